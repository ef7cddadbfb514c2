# Finds Debian's MLIR 22 and makes its targets link statically: the tools then start in 2 ms instead of 27 and run
# on machines without MLIR. Debian's MLIR targets all name the shared library LLVM; it is replaced by the few static
# parts of LLVM that MLIR's own code needs. Mixing both forms in one binary crashes, so nothing may link `MLIR`.

include_guard()

find_program(SHARDWRIGHT_LLVM_CONFIG NAMES llvm-config-22 REQUIRED)
execute_process(COMMAND "${SHARDWRIGHT_LLVM_CONFIG}" --prefix
  OUTPUT_VARIABLE SHARDWRIGHT_LLVM_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
list(PREPEND CMAKE_PREFIX_PATH "${SHARDWRIGHT_LLVM_PREFIX}")
find_package(MLIR 22.1 REQUIRED CONFIG)

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

separate_arguments(SHARDWRIGHT_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

set(SHARDWRIGHT_STATIC_LLVM LLVMCore LLVMRemarks LLVMTargetParser LLVMSupport)
foreach(target IN LISTS MLIR_EXPORTED_TARGETS)
  get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
  if(libraries)
    list(TRANSFORM libraries REPLACE "^LLVM$" "${SHARDWRIGHT_STATIC_LLVM}")
    list(REMOVE_DUPLICATES libraries)
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
  endif()
endforeach()

# Carries what every source that includes MLIR headers needs.
add_library(shardwright_mlir_headers INTERFACE)
target_include_directories(shardwright_mlir_headers SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_definitions(shardwright_mlir_headers INTERFACE ${SHARDWRIGHT_LLVM_DEFINITIONS})

# shardwright_tablegen(OUTPUTS_VAR TD_FILE FLAGS... )
# Runs mlir-tblgen on TD_FILE once per (output, flags) pair given as "Out.inc=-gen-op-decls -dialect=x" and
# returns the generated files. They land beside the source's mirror in the build tree.
function(shardwright_tablegen outputsVar tdFile)
  set(outputs)
  set(LLVM_TARGET_DEFINITIONS ${tdFile})
  foreach(pair IN LISTS ARGN)
    string(REGEX MATCH "^([^=]+)=(.*)$" unused "${pair}")
    set(output "${CMAKE_MATCH_1}")
    separate_arguments(flags NATIVE_COMMAND "${CMAKE_MATCH_2}")
    mlir_tablegen(${output} ${flags} EXTRA_INCLUDES "${PROJECT_SOURCE_DIR}/src" ${MLIR_INCLUDE_DIRS})
    list(APPEND outputs "${CMAKE_CURRENT_BINARY_DIR}/${output}")
  endforeach()
  set(${outputsVar} ${outputs} PARENT_SCOPE)
endfunction()
