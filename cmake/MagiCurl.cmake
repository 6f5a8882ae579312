# magi_curl: libcurl for the one program that speaks HTTP.  Debian's shared libcurl loads 36 objects (LDAP, Kerberos, SSH,
# RTMP and what they need), two thirds of the program's start-up.  Its archive is linked instead where it can be had, with
# functions that are never called in place of those libraries'; the program allows http and https alone.  TLS, HTTP/2 and
# the decompressors stay shared, so that they follow the distribution's security updates.
add_library(magi_curl INTERFACE)
find_library(MAGI_CURL_ARCHIVE NAMES libcurl.a)
pkg_check_modules(MAGI_CURL_NEEDS QUIET IMPORTED_TARGET libnghttp2 libidn2 libpsl libzstd libbrotlidec zlib)

if(MAGI_STATIC AND MAGI_CURL_ARCHIVE AND MAGI_CURL_NEEDS_FOUND)
  set(unused "${CMAKE_BINARY_DIR}/generated/curl_unused.cc")
  add_custom_command(OUTPUT "${unused}"
    COMMAND "${CMAKE_SOURCE_DIR}/cmake/curl-unused.sh" "${CMAKE_NM}" "${MAGI_CURL_ARCHIVE}" > "${unused}"
    DEPENDS "${CMAKE_SOURCE_DIR}/cmake/curl-unused.sh" "${MAGI_CURL_ARCHIVE}" VERBATIM)
  add_library(magi_curl_unused STATIC "${unused}")
  target_link_libraries(magi_curl INTERFACE "${MAGI_CURL_ARCHIVE}" magi_curl_unused PkgConfig::MAGI_CURL_NEEDS OpenSSL::SSL
                        Threads::Threads)
else()
  target_link_libraries(magi_curl INTERFACE CURL::libcurl)
endif()
