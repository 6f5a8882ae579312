magi_unit_tests(base DEPS magi_base)
