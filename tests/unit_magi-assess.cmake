magi_unit_tests(magi-assess DEPS magi-assess_core)
