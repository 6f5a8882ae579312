magi_unit_tests(magi-provider DEPS magi-provider_core magi_fake_core)
target_sources(unit_magi-provider PRIVATE unit/magi-provider/oracle.cc unit/magi-provider/served.cc fuzz/wire_targets.cc)
# Programs that the tests start, and what is loaded into one of them.
add_library(slow_resolver SHARED unit/magi-provider/slow_resolver.cc)
set_target_properties(slow_resolver PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
add_dependencies(unit_magi-provider slow_resolver magi-provider magi-fake-provider)
