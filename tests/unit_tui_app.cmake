find_library(MAGI_VTERM vterm REQUIRED)
magi_unit_tests(tui_app DEPS magi-code_tui_app "${MAGI_VTERM}")
