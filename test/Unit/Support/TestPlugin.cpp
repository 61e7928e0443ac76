//===- TestPlugin.cpp - A plug-in that does what its file is called -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The tests copy it to libweir-good1.so, libweir-old.so and so on. They look at
// the variables that it exports.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Device.h"
#include "weir/Support/DeviceName.h"
#include "weir/Support/DevicePlugin.h"

#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <thread>

using namespace weir;

#define WEIR_TEST_EXPORT __attribute__((visibility("default")))

extern "C" {
/// How often the plug-in was asked for.
WEIR_TEST_EXPORT std::atomic<int> weirTestCalls{0};
/// The error when the plug-in named a device; empty if there was none.
WEIR_TEST_EXPORT std::string weirTestAnswer;
}

/// The kind in the name of the file that this code was loaded from.
static std::string ownKind() {
  Dl_info here;
  dladdr(reinterpret_cast<const void *>(&ownKind), &here);
  const std::string path = here.dli_fname;
  const size_t begin = path.rfind("libweir-") + sizeof("libweir-") - 1;
  return path.substr(begin, path.rfind(".so") - begin);
}

/// A driver without devices.
class TestDriver final : public DeviceDriver {
public:
  std::string_view name() const override { return kind; }
  std::vector<DeviceInfo> detect() const override {
    throw std::runtime_error("no such bus");
  }
  bool hasFeature(std::string_view) const override { return false; }
  Status canOpen(std::span<const DeviceRequest>) const override {
    return unavailable("there is no device");
  }
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest>) const override {
    return unavailable("there is no device");
  }

private:
  const std::string kind = ownKind();
};

static DevicePlugin makePlugin() {
  static const std::string kind = ownKind();
  static const TestDriver driver;
  static const OpKernelRow rows[] = {
      {"add", {"others", "add", {"f32"}, {}, false}}};
  DevicePlugin plugin;
  plugin.version = kind == "old" ? 999 : devicePluginVersion;
  plugin.kind.name = kind == "alias"      ? "other"
                     : kind == "shouting" ? "Shouting"
                                          : std::string_view(kind);
  plugin.kind.rates.flopsPerSecond.fill(1e9);
  plugin.kind.rates.bytesPerSecond = kind == "slow" ? 0 : 1e9;
  plugin.kind.rates.launchSeconds = 1e-6;
  plugin.kind.link = {1e9, 1e-6};
  plugin.kind.codeGenerator = kind == "quantum" ? "quantum" : "";
  if (kind == "mixed")
    plugin.kind.rows = rows;
  if (kind != "driverless")
    plugin.driver = &driver;
  return plugin;
}

/// Names a device of another kind or of the own one.
static void askFor(const std::string &device) {
  weirTestAnswer = std::string(parseDeviceName(device).status().message());
}

extern "C" WEIR_TEST_EXPORT const DevicePlugin *
weirDevicePlugin(uint32_t version) {
  ++weirTestCalls;
  const std::string kind = ownKind();
  if (kind == "throwing")
    throw std::runtime_error("broken");
  if (kind == "asking")
    askFor("asked:0");
  if (kind == "selfish")
    askFor("selfish:0");
  if (kind == "tardy")
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  static const DevicePlugin plugin = makePlugin();
  return kind == "refusing" ? nullptr : &plugin;
}
