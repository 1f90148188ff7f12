# gough_generate(TARGET ROBOT file [WHAT w] [FROM f] [ROTATION r] [LANG c|cuda] [FOLD] [BATCH] [LANES])
#
# Generates code for a robot while TARGET is built, adds it to TARGET, and lets TARGET include "NAME.h": NAME is the
# robot's name and WHAT, as in palida_inverse. The options are those of `gough generate`. The code is generated anew when
# the robot file changes. Where a project has no C, the C file is compiled as C++.                      docs/codegen.md
function(gough_generate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FOLD;BATCH;LANES" "ROBOT;WHAT;FROM;ROTATION;LANG" "")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "gough_generate: read '${target}', expected a target")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "gough_generate: read '${arg_UNPARSED_ARGUMENTS}', "
                        "expected ROBOT, WHAT, FROM, ROTATION, LANG, FOLD, BATCH or LANES")
  endif()
  cmake_path(ABSOLUTE_PATH arg_ROBOT BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE robot)
  if(NOT arg_ROBOT OR NOT EXISTS ${robot} OR IS_DIRECTORY ${robot})
    message(FATAL_ERROR "gough_generate: ROBOT: read '${arg_ROBOT}', expected a robot file")
  endif()
  if(NOT arg_WHAT)
    set(arg_WHAT inverse)
  endif()
  if(NOT arg_LANG)
    set(arg_LANG c)
  endif()

  # The tool names its files after the robot, and CMake must know their names: read anew when the file changes.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${robot})
  file(STRINGS ${robot} line REGEX "^robot *:" LIMIT_COUNT 1)
  if(NOT line MATCHES "^robot *: *(\"([^\"]+)\"|'([^']+)'|([^ #\"']+( +[^ #]+)*))")
    message(FATAL_ERROR "gough_generate: ${robot}: read '${line}', expected a line 'robot: NAME'")
  endif()
  string(MAKE_C_IDENTIFIER "${CMAKE_MATCH_2}${CMAKE_MATCH_3}${CMAKE_MATCH_4}_${arg_WHAT}" name)

  if(arg_LANES)
    string(APPEND name _lanes)
  endif()

  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(arg_LANG STREQUAL "c")
    set(ending c)
  elseif(NOT arg_LANG STREQUAL "cuda")
    message(FATAL_ERROR "gough_generate: LANG: read '${arg_LANG}', expected c or cuda")
  elseif("CUDA" IN_LIST languages)
    set(ending cu)
    string(APPEND name _cuda)
  else()
    message(FATAL_ERROR "gough_generate: LANG: read 'cuda' in a project without it, expected enable_language(CUDA)")
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/gough_code/${target})
  set(source ${folder}/${name}.${ending})
  set(options --what ${arg_WHAT} --lang ${arg_LANG})
  foreach(key FROM ROTATION)
    if(arg_${key})
      string(TOLOWER ${key} option)
      list(APPEND options --${option} ${arg_${key}})
    endif()
  endforeach()
  if(arg_FOLD)
    list(APPEND options --fold)
  endif()
  set(made ${source})
  if(arg_LANES)
    list(APPEND options --lanes)
  endif()
  if(arg_BATCH)
    list(APPEND options --batch)
    list(APPEND made ${folder}/${name}_batch.c)
  endif()
  add_custom_command(
    OUTPUT ${made} ${folder}/${name}.h
    COMMAND gough::gough_cli generate ${robot} ${options} -o ${folder}
    DEPENDS ${robot} gough::gough_cli
    COMMENT "Generating ${name}"
    VERBATIM)

  target_sources(${target} PRIVATE ${made} ${folder}/${name}.h)
  set_property(TARGET ${target} APPEND PROPERTY INCLUDE_DIRECTORIES ${folder})
  if(arg_LANG STREQUAL "c")
    set(language C)
    if(NOT "C" IN_LIST languages)
      set(language CXX)
      set_source_files_properties(${made} PROPERTIES LANGUAGE CXX)
    endif()
    if(CMAKE_${language}_COMPILER_ID MATCHES "GNU|Clang")  # sqrt as an instruction, products and sums fused, vectors as written
      set_source_files_properties(${made} PROPERTIES COMPILE_OPTIONS
                                  "-fno-math-errno;-ffp-contract=fast;-fno-tree-slp-vectorize")
    endif()
    if(UNIX)
      set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES m)
    endif()
  endif()
endfunction()
