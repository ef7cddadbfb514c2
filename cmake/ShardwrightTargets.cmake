# How every target of the project is declared.

include_guard()

find_program(SHARDWRIGHT_CCACHE ccache)
if(SHARDWRIGHT_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${SHARDWRIGHT_CCACHE}")
endif()

# lld links the static MLIR tools in a fraction of the time of GNU ld.
find_program(SHARDWRIGHT_LLD NAMES ld.lld-22 ld.lld)
if(SHARDWRIGHT_LLD)
  add_link_options("-fuse-ld=lld" "-B${CMAKE_BINARY_DIR}/linker")
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/linker")
  file(CREATE_LINK "${SHARDWRIGHT_LLD}" "${CMAKE_BINARY_DIR}/linker/ld.lld" SYMBOLIC)
endif()

if(SHARDWRIGHT_SANITIZE)
  add_compile_options("-fsanitize=${SHARDWRIGHT_SANITIZE}" -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  # Debian's MLIR carries no vptr information that the sanitizer could trust.
  add_compile_options(-fno-sanitize=vptr)
  add_link_options("-fsanitize=${SHARDWRIGHT_SANITIZE}")
endif()

add_compile_options(-ffunction-sections -fdata-sections)
add_link_options("LINKER:--gc-sections" "LINKER:--as-needed")

set(SHARDWRIGHT_WARNINGS -Wall -Wextra -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports both of these inside std::string and std::variant where nothing is wrong (GCC bug 105651).
  list(APPEND SHARDWRIGHT_WARNINGS -Wno-restrict -Wno-maybe-uninitialized)
else()
  # clang 22 finds std::get_temporary_buffer inside libstdc++ 12's own stable_sort.
  list(APPEND SHARDWRIGHT_WARNINGS -Wno-deprecated-declarations)
endif()
if(SHARDWRIGHT_WERROR)
  list(APPEND SHARDWRIGHT_WARNINGS -Werror)
endif()

# shardwright_library(NAME SOURCES ... DEPS ...)
# One layer of the core, or one part of the MLIR rim.
function(shardwright_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  # What TableGen writes is not held to our warnings.
  target_include_directories(${name} SYSTEM PUBLIC "${PROJECT_BINARY_DIR}/src")
  target_compile_options(${name} PRIVATE ${SHARDWRIGHT_WARNINGS})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
endfunction()

# shardwright_executable(NAME SOURCES ... DEPS ...)
function(shardwright_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_include_directories(${name} SYSTEM PRIVATE "${PROJECT_BINARY_DIR}/src")
  target_compile_options(${name} PRIVATE ${SHARDWRIGHT_WARNINGS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
endfunction()

# shardwright_test(NAME SOURCES ... DEPS ...)
# A GoogleTest binary; each of its tests is one ctest entry.
function(shardwright_test name)
  if(NOT SHARDWRIGHT_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  shardwright_executable(${name} SOURCES ${ARG_SOURCES} DEPS ${ARG_DEPS} GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
    PROPERTIES ENVIRONMENT "ASAN_OPTIONS=allow_user_poisoning=0")
endfunction()
