magi_unit_tests(tui_text DEPS magi-code_tui_text magi-code_tui_theme)
