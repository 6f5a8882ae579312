magi_unit_tests(config DEPS magi_config magi_json magi_os)
target_compile_definitions(unit_config PRIVATE "MAGI_SOURCE_DIR=\"${CMAKE_SOURCE_DIR}\"")
