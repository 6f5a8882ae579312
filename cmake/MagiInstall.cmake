# Where each installed file goes: executables, man pages, prompts, and completion scripts, which each executable prints
# of itself once it is built.
get_property(executables GLOBAL PROPERTY MAGI_EXECUTABLES)
install(TARGETS ${executables} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

foreach(section 1 5 7)
  file(GLOB pages CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/man/*.${section}")
  install(FILES ${pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}")
endforeach()

# Disabled until a user enables it.
install(FILES packaging/systemd/magi-prune.service packaging/systemd/magi-prune.timer DESTINATION "lib/systemd/user")
install(DIRECTORY prompts/ DESTINATION "${CMAKE_INSTALL_DATADIR}/magi-code/prompts" FILES_MATCHING PATTERN "*.md")
install(FILES README.md NOTICE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" FILES_MATCHING PATTERN "*.md")

if(NOT CMAKE_CROSSCOMPILING)
  # Where Debian's zsh looks: for packages, and for what the administrator installs.
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(zsh_folder "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
  else()
    set(zsh_folder "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  endif()
  set(completions "")
  foreach(tool IN LISTS executables)
    set(bash "${CMAKE_BINARY_DIR}/completions/bash/${tool}")
    set(zsh "${CMAKE_BINARY_DIR}/completions/zsh/_${tool}")
    set(fish "${CMAKE_BINARY_DIR}/completions/fish/${tool}.fish")
    add_custom_command(OUTPUT "${bash}" "${zsh}" "${fish}"
      COMMAND ${CMAKE_COMMAND} -E make_directory completions/bash completions/zsh completions/fish
      COMMAND ${tool} --completion bash > "${bash}"
      COMMAND ${tool} --completion zsh > "${zsh}"
      COMMAND ${tool} --completion fish > "${fish}"
      DEPENDS ${tool} WORKING_DIRECTORY "${CMAKE_BINARY_DIR}" VERBATIM)
    list(APPEND completions "${bash}" "${zsh}" "${fish}")
  endforeach()
  add_custom_target(completions ALL DEPENDS ${completions})
  install(DIRECTORY "${CMAKE_BINARY_DIR}/completions/bash/" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(DIRECTORY "${CMAKE_BINARY_DIR}/completions/zsh/" DESTINATION "${zsh_folder}")
  install(DIRECTORY "${CMAKE_BINARY_DIR}/completions/fish/" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
