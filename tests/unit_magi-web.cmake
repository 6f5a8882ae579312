magi_unit_tests(magi-web DEPS magi-web_core)
