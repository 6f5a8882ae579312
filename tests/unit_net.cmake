magi_unit_tests(net DEPS magi_net)
