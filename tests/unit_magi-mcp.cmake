magi_unit_tests(magi-mcp DEPS magi-mcp_core)
