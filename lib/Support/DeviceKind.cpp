//===- DeviceKind.cpp - What the compiler knows of device kinds -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/DeviceKind.h"

#include "weir/Support/DevicePlugin.h"
#include "weir/Support/Printable.h"
#include "weir/Support/ProcessorList.h"

#include <algorithm>
#include <fmt/format.h>

using namespace weir;

namespace {

/// The rates of all types: `wide` is the rate of types of 64 bits, `narrow` of
/// types of at most 16 bits, and `usual` of all others.
constexpr std::array<double, numDTypes> flops(double usual, double wide,
                                              double narrow) {
  std::array<double, numDTypes> result{};
  result.fill(usual);
  for (DType type : {DType::F64, DType::I64, DType::U64})
    result[static_cast<size_t>(type)] = wide;
  for (DType type : {DType::F16, DType::BF16, DType::I8, DType::U8})
    result[static_cast<size_t>(type)] = narrow;
  return result;
}

// The rates are typical orders of magnitude, which suffice to rank devices.

/// The rates of a CPU thread with vectors of 512 bits: two FMAs of 16 lanes in
/// a cycle at 2 GHz. A vector has half as many lanes of 64 bits. A launch is
/// one command of the executor and one call of the CPU library.
constexpr DeviceRates cpuThread{flops(128e9, 64e9, 128e9), 20e9, 1e-6};
/// The rates of null devices, on which only launches take time.
constexpr DeviceRates nothing{flops(1e18, 1e18, 1e18), 1e18, 1e-7};
/// The link between devices in the memory of one host.
constexpr LinkRates hostMemory{10e9, 1e-6};

Status checkCpuOption(std::string_view name, std::string_view value) {
  if (name != "cores" && name != "numa_node")
    return notFound("the options of cpu devices are cores, numa_node");
  const auto numbers = parseProcessorList(value);
  if (name == "cores" && !numbers)
    return invalidArgument(fmt::format("expected a list of processors such as "
                                       "0-3,8, each once and from 0 to {}",
                                       maxProcessors - 1));
  if (name == "numa_node" && (!numbers || numbers->size() != 1))
    return invalidArgument("expected the number of a NUMA node");
  return Status::ok();
}

constexpr DeviceKindInfo cpuInfo{.name = "cpu",
                                 .kernels = "cpu",
                                 .codeGenerator = cpuCodeGenerator,
                                 .sharesCores = true,
                                 .checkOption = checkCpuOption,
                                 .isEverywhere = true,
                                 .rates = cpuThread,
                                 .ratesArePerThread = true,
                                 .link = hostMemory};
constexpr DeviceKindInfo nullInfo{.name = "null",
                                  .kernels = "cpu",
                                  .codeGenerator = cpuCodeGenerator,
                                  .computes = false,
                                  .isEverywhere = true,
                                  .rates = nothing,
                                  .link = hostMemory};

} // namespace

constinit const DeviceKind DeviceKind::CPU{cpuInfo};
constinit const DeviceKind DeviceKind::Null{nullInfo};

DeviceKind::DeviceKind() : DeviceKind(cpuInfo) {}

std::vector<DeviceKind> weir::deviceKinds() {
  std::vector<DeviceKind> kinds = {DeviceKind::CPU, DeviceKind::Null};
  for (const DevicePlugin *plugin : loadedDevicePlugins())
    kinds.emplace_back(plugin->kind);
  return kinds;
}

Status weir::checkDeviceOption(DeviceKind kind, std::string_view name,
                               std::string_view value) {
  Status status =
      kind->checkOption
          ? kind->checkOption(name, value)
          : notFound(fmt::format("{} devices have no options", toString(kind)));
  if (status.isOk())
    return status;
  if (status.code() == StatusCode::NotFound)
    return notFound(fmt::format("there is no option '{}'; {}", printable(name),
                                status.message()));
  return std::move(status).withContext(fmt::format(
      "the option '{}' is '{}'", printable(name), printable(value)));
}

DeviceRates weir::defaultRates(DeviceKind kind, uint32_t threads) {
  DeviceRates rates = kind->rates;
  if (kind->ratesArePerThread)
    for (double &rate : rates.flopsPerSecond)
      rate *= std::max(threads, 1u);
  return rates;
}
