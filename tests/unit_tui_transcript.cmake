magi_unit_tests(tui_transcript DEPS magi-code_tui_transcript)
if(TARGET unit_tui_transcript)
  target_compile_definitions(unit_tui_transcript PRIVATE "MAGI_SOURCE_DIR=\"${CMAKE_SOURCE_DIR}\"")
endif()
