//===- DevicePlugin.h - Device kinds from shared objects --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The devices of kind `foo` come from the shared object `libweir-foo.so`, in a
// folder of the environment variable WEIR_PLUGIN_PATH or in `weir/plugins`
// beside the runtime library. It is loaded when the kind is first named, by the
// compiler or the runtime, and never unloaded. docs/device-plugins.md shows how
// to write one.
//
// A plug-in and Weir share C++ classes. So both must be compiled by the same
// compiler against the same headers. The version of the interface identifies
// the headers.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_DEVICEPLUGIN_H
#define WEIR_SUPPORT_DEVICEPLUGIN_H

#include "weir/Support/DeviceKind.h"
#include "weir/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

class DeviceDriver;

/// The version of the interface between Weir and its plug-ins. It changes
/// whenever a class or struct changes that both use.
inline constexpr uint32_t devicePluginVersion = 7;

/// What a plug-in provides. Everything that it refers to lives as long as the
/// process.
struct DevicePlugin {
  /// The version that the plug-in was compiled with. This member stays the
  /// first in all versions.
  uint32_t version = devicePluginVersion;
  /// The description of the kind. The name of the kind is a part of the file's
  /// name.
  DeviceKindInfo kind;
  /// Opens the devices.
  const DeviceDriver *driver = nullptr;
};

/// The function that a plug-in exports as `extern "C"` under the name
/// `weirDevicePlugin`. It gets the version that Weir expects, and returns null
/// if it cannot provide it. It may name devices of other kinds, but not of its
/// own, and must not wait for a thread that names devices.
using DevicePluginFunction = const DevicePlugin *(uint32_t version);

/// The folders that are searched, in order.
std::vector<std::string> devicePluginFolders();

/// The file name of the plug-in for `kind`: "libweir-foo.so".
std::string devicePluginFile(std::string_view kind);

/// The kinds for which there is a file in one of the folders, ordered by name.
/// Loads nothing.
std::vector<std::string> listDevicePlugins();

/// The plug-in for the devices of `kind`. If it is not loaded yet, loads the
/// first file with its name. If there is no file, the error is NotFound and
/// names the file and the folders. If the file cannot be loaded, the error says
/// why. Failures are remembered: a refused file is not tried again, and a
/// missing one may not be looked for again until WEIR_PLUGIN_PATH changes.
/// Thread-safe.
StatusOr<const DevicePlugin *> findDevicePlugin(std::string_view kind);

/// The plug-ins that were loaded so far, ordered by kind.
std::vector<const DevicePlugin *> loadedDevicePlugins();

} // namespace weir

#endif // WEIR_SUPPORT_DEVICEPLUGIN_H
