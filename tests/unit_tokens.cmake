magi_unit_tests(tokens DEPS magi_tokens)
