magi_unit_tests(config DEPS magi_config magi_json magi_os)
