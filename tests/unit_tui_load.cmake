magi_unit_tests(tui_load DEPS magi-code_tui_load)
