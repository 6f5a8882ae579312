magi_unit_tests(magi-tool DEPS magi-tool_core)
