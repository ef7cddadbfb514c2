// One function per part of the native module; extension.cpp lists them.
#pragma once

#include <nanobind/nanobind.h>

namespace shardwright::python {

void bindModule(nanobind::module_& native);
void bindPlanned(nanobind::module_& native);

}  // namespace shardwright::python
