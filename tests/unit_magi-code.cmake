magi_unit_tests(magi-code DEPS magi-code_core)
