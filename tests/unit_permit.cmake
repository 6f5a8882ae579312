magi_unit_tests(permit DEPS magi-code_core)
