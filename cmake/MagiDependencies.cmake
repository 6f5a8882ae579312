# Debian 12 packages only; versions and costs: docs/libraries.md.
# Static: loading libboost_json.so and what it needs would cost each tool a tenth of a millisecond.
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS headers json)
find_package(simdjson CONFIG REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
if(MAGI_TESTS)
  find_package(GTest CONFIG REQUIRED)
endif()
