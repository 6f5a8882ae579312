magi_fuzz_target(tokens SOURCES tokens_fuzz.cc DEPS magi_tokens)
