magi_unit_tests(magi-provider DEPS magi-provider_core)
