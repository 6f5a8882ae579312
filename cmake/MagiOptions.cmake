# Build switches and the flags that every target shares.
option(MAGI_WERROR "Treat warnings as errors" ON)
option(MAGI_STATIC "Link the C++ runtime into tools that load no C++ shared object" ON)
option(MAGI_FUZZ "Build the libFuzzer targets (Clang only)" OFF)
option(MAGI_TESTS "Build the tests" ON)
set(MAGI_SANITIZE "" CACHE STRING "Sanitizers, for example address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

find_program(MAGI_CCACHE ccache)
if(MAGI_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${MAGI_CCACHE}")
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
add_library(magi_flags INTERFACE)
target_include_directories(magi_flags INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(magi_flags INTERFACE
  -Wall -Wextra -Wpedantic $<$<BOOL:${MAGI_WERROR}>:-Werror>
  -fvisibility=hidden -ffunction-sections -fdata-sections -fstack-protector-strong
  "-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=")
target_compile_definitions(magi_flags INTERFACE _FILE_OFFSET_BITS=64 _GNU_SOURCE
  "MAGI_VERSION=\"${PROJECT_VERSION}\"")
# --as-needed matters for start-up: an unused shared library still costs its load time.
target_link_options(magi_flags INTERFACE
  -Wl,--as-needed -Wl,--gc-sections -Wl,-z,relro -Wl,-z,now)
if(MAGI_SANITIZE)
  target_compile_options(magi_flags INTERFACE -fsanitize=${MAGI_SANITIZE} -fno-omit-frame-pointer -g)
  target_link_options(magi_flags INTERFACE -fsanitize=${MAGI_SANITIZE})
endif()
