magi_unit_tests(os DEPS magi_os)
