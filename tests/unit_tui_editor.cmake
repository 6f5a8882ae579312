magi_unit_tests(tui_editor DEPS magi-code_tui_editor)
