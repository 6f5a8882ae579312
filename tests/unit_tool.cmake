magi_unit_tests(tool DEPS magi_tool)
