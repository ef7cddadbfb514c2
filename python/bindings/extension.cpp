// shardwright._src._native.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "errors.h"
#include "shardwright/cost/device.h"
#include "shardwright/driver/target.h"
#include "shardwright/plan/tactic.h"
#include "shardwright/search/search.h"

namespace nb = nanobind;
using namespace nb::literals;

NB_MODULE(_native, native) {
  using namespace shardwright;
  native.doc() = "The native core of Shardwright.";
  nb::exception<python::NativeError>(native, "Error", PyExc_ValueError);
  native.def("known_devices", &cost::knownDevices, "Names of the device profiles built in.");
  native.def("device_name", &driver::deviceName, "text"_a,
             "The profile built in that is meant, whatever the case of its letters.");
  native.def(
      "device_flavor",
      [](const std::string& name) {
        return cost::flavorName(python::valueOf(cost::loadDevice(name)).flavor);
      },
      "name"_a, "`gpu`, `tpu` or `cpu`; the name is as device_name gives it.");
  native.def("search_names", &search::searchNames, "Names of the search algorithms.");
  native.def(
      "check_tactic", [](const std::string& text) { python::valueOf(plan::parseTactic(text)); },
      "text"_a, "Raises Error if the text is no tactic.");
  python::bindModule(native);
  python::bindPlanned(native);
}
