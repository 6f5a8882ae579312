magi_unit_tests(fake DEPS magi_fake_core)
