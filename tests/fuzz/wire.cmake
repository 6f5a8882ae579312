foreach(target sse responses_reader messages_reader chat_reader responses_request messages_request chat_request)
  magi_fuzz_target(${target} SOURCES wire_fuzzer.cc wire_targets.cc DEPS magi-provider_core magi_fake_core
                   DEFINITIONS MAGI_FUZZ_TARGET=fuzz_${target})
endforeach()
