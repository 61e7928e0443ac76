//===- TestPlugin.cpp - A plug-in that does what its file is called -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The tests copy it to libweir-good1.so, libweir-old.so and so on.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Device.h"
#include "weir/Support/DevicePlugin.h"

#include <dlfcn.h>
#include <stdexcept>
#include <string>

using namespace weir;

/// The kind in the name of the file that this code was loaded from.
static std::string ownKind() {
  Dl_info here;
  dladdr(reinterpret_cast<const void *>(&ownKind), &here);
  const std::string path = here.dli_fname;
  const size_t begin = path.rfind("libweir-") + sizeof("libweir-") - 1;
  return path.substr(begin, path.rfind(".so") - begin);
}

static DevicePlugin makePlugin() {
  static const std::string kind = ownKind();
  static const OpKernelRow rows[] = {
      {"add", {"others", "add", {"f32"}, {}, false}}};
  DevicePlugin plugin;
  plugin.version = kind == "old" ? 999 : devicePluginVersion;
  plugin.kind.name = kind == "alias" ? "other" : std::string_view(kind);
  plugin.kind.rates.flopsPerSecond.fill(1e9);
  plugin.kind.rates.bytesPerSecond = kind == "slow" ? 0 : 1e9;
  plugin.kind.rates.launchSeconds = 1e-6;
  plugin.kind.link = {1e9, 1e-6};
  plugin.kind.codeGenerator = kind == "quantum" ? "quantum" : "";
  if (kind == "mixed")
    plugin.kind.rows = rows;
  // The tests open no device.
  if (kind != "driverless")
    plugin.driver = reinterpret_cast<const DeviceDriver *>(&rows);
  return plugin;
}

extern "C" __attribute__((visibility("default"))) const DevicePlugin *
weirDevicePlugin(uint32_t version) {
  if (ownKind() == "throwing")
    throw std::runtime_error("broken");
  static const DevicePlugin plugin = makePlugin();
  return ownKind() == "refusing" ? nullptr : &plugin;
}
