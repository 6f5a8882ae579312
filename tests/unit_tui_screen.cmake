find_library(MAGI_VTERM vterm REQUIRED)
magi_unit_tests(tui_screen DEPS magi-code_tui_screen "${MAGI_VTERM}")
