# cmake -DOUTPUT=... -DPROFILES=a.json;b.json -P EmbedDevices.cmake
# Writes a source file that holds the device profiles, so that the tools need no file beside them.
set(entries "")
foreach(profile IN LISTS PROFILES)
  get_filename_component(name "${profile}" NAME_WE)
  file(READ "${profile}" text)
  string(APPEND entries "    {\"${name}\", R\"profile(${text})profile\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made from devices/*.json.
#include \"shardwright/cost/builtin_devices.h\"

namespace shardwright::cost {
namespace {
constexpr BuiltinDevice kDevices[] = {
${entries}};
}  // namespace

std::span<const BuiltinDevice> builtinDevices() { return kDevices; }

}  // namespace shardwright::cost
")
