set(replay_support ../unit/context/replay_support.cc replay_properties.cc)
magi_fuzz_target(event SOURCES event_fuzz.cc ${replay_support} DEPS magi_context)
magi_fuzz_target(replay SOURCES replay_fuzz.cc ${replay_support} DEPS magi_context)
magi_fuzz_target(foreign SOURCES foreign_fuzz.cc ../unit/magi-replay/foreign_support.cc ${replay_support} DEPS magi-replay_core)
