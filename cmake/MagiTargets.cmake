# The three kinds of target.  A module names what it uses; nothing else is visible to it.

# magi_module(NAME SOURCES ... [DEPS ...] [PRIVATE_DEPS ...]): a layer of libcommon.
function(magi_module name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(magi_${name} STATIC ${A_SOURCES})
  target_link_libraries(magi_${name} PUBLIC magi_flags ${A_DEPS} PRIVATE ${A_PRIVATE_DEPS})
endfunction()

# magi_tool(NAME SOURCES ... [DEPS ...] [LIBEXEC]): logic as <name>_core, wiring in main.cc.
# A unit test links <name>_core; nothing else may.
function(magi_tool name)
  cmake_parse_arguments(A "LIBEXEC" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(${name}_core STATIC ${A_SOURCES})
  target_link_libraries(${name}_core PUBLIC magi_flags ${A_DEPS} PRIVATE ${A_PRIVATE_DEPS})
  add_executable(${name} main.cc)
  target_link_libraries(${name} PRIVATE ${name}_core)
  set_property(GLOBAL APPEND PROPERTY MAGI_EXECUTABLES ${name})
endfunction()

# magi_unit_tests(MODULE DEPS ...): every tests/unit/<module>/*_test.cc as one executable.
function(magi_unit_tests module)
  cmake_parse_arguments(A "" "" "DEPS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/unit/${module}/*_test.cc")
  if(NOT sources)
    return()
  endif()
  string(REPLACE "/" "_" target "unit_${module}")
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE magi_flags ${A_DEPS} GTest::gtest_main GTest::gmock)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_test(NAME ${target} COMMAND ${target})
endfunction()
