magi_unit_tests(json DEPS magi_json Boost::json)
