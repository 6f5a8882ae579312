magi_unit_tests(tui_panel DEPS magi-code_tui_panel)
