magi_unit_tests(event DEPS magi_event)
