magi_unit_tests(tui_terminal DEPS magi-code_tui_terminal)
