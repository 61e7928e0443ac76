//===- CudaDriver.cpp - Finds and opens NVIDIA's GPUs --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"

#include "weir/Support/DeviceName.h"

#include <array>
#include <fmt/format.h>

using namespace weir;

/// The description of GPU `ordinal` that the driver gives.
static StatusOr<DeviceInfo> describe(const CudaApi &api, int ordinal) {
  CUdevice gpu = 0;
  std::array<char, 256> name{};
  size_t bytes = 0;
  int major = 0, minor = 0;
  WEIR_RETURN_IF_ERROR(
      api.check(api.cuDeviceGet(&gpu, ordinal), "cuDeviceGet"));
  WEIR_RETURN_IF_ERROR(api.check(
      api.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, gpu),
      "cuDeviceGetName"));
  WEIR_RETURN_IF_ERROR(
      api.check(api.cuDeviceTotalMem(&bytes, gpu), "cuDeviceTotalMem"));
  WEIR_RETURN_IF_ERROR(
      api.check(api.cuDeviceGetAttribute(
                    &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu),
                "cuDeviceGetAttribute"));
  WEIR_RETURN_IF_ERROR(
      api.check(api.cuDeviceGetAttribute(
                    &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu),
                "cuDeviceGetAttribute"));
  DeviceInfo info;
  info.name = fmt::format("cuda:{}", ordinal);
  info.kind = "cuda";
  info.memoryBytes = bytes;
  info.description = fmt::format("{}, sm_{}{}", name.data(), major, minor);
  return info;
}

std::vector<DeviceInfo> CudaDriver::detect() const {
  std::vector<DeviceInfo> devices;
  const StatusOr<const CudaApi *> api = CudaApi::get();
  for (int i = 0; api && i < (*api)->numDevices; ++i)
    if (StatusOr<DeviceInfo> info = describe(**api, i))
      devices.push_back(*std::move(info));
  return devices;
}

Status CudaDriver::canOpen(std::span<const DeviceRequest> requests) const {
  const StatusOr<const CudaApi *> api = CudaApi::get();
  for (const DeviceRequest &request : requests) {
    if (!api)
      return unavailable(fmt::format(
          "{}: {}; install the driver of the GPU, or compile the model for "
          "other devices",
          request.name, api.status().message()));
    WEIR_ASSIGN_OR_RETURN(const DeviceName name, parseDeviceName(request.name));
    if (name.index >= static_cast<uint32_t>((*api)->numDevices))
      return unavailable(fmt::format(
          "{}: the machine has {} GPU{}, from cuda:0 on; compile the model for "
          "the devices of the machine",
          request.name, (*api)->numDevices,
          (*api)->numDevices == 1 ? "" : "s"));
  }
  return Status::ok();
}

StatusOr<std::vector<std::unique_ptr<Device>>>
CudaDriver::open(std::span<const DeviceRequest> requests) const {
  WEIR_RETURN_IF_ERROR(canOpen(requests));
  WEIR_ASSIGN_OR_RETURN(const CudaApi *api, CudaApi::get());
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<std::shared_ptr<CudaContext>> contexts;
  for (const DeviceRequest &request : requests) {
    WEIR_ASSIGN_OR_RETURN(const DeviceName name, parseDeviceName(request.name));
    const int ordinal = static_cast<int>(name.index);
    auto info = describe(*api, ordinal);
    if (!info)
      return std::move(info).status().withContext(request.name);
    info->name = request.name;
    WEIR_ASSIGN_OR_RETURN(const CudaOptions options,
                          CudaOptions::parse(request));
    if (options.allowsTF32)
      info->addNote({"tf32", "convolutions and products of f32 are in TF32"});
    WEIR_ASSIGN_OR_RETURN(std::shared_ptr<CudaContext> context,
                          CudaContext::open(*api, ordinal));
    for (const std::shared_ptr<CudaContext> &other : contexts) {
      WEIR_RETURN_IF_ERROR(
          context->enablePeer(*other).withContext(request.name));
      WEIR_RETURN_IF_ERROR(
          other->enablePeer(*context).withContext(other->name));
    }
    contexts.push_back(context);
    WEIR_ASSIGN_OR_RETURN(
        std::unique_ptr<CudaDevice> device,
        CudaDevice::open(std::move(context), *std::move(info), options));
    devices.push_back(std::move(device));
  }
  return devices;
}
