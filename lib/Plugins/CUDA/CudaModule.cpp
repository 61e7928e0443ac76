//===- CudaModule.cpp - Generated code on a GPU --------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaModule.h"

#include <array>
#include <fmt/format.h>

using namespace weir;
using artifact::GpuImage;

/// How well a GPU of the architecture `arch` runs `image`; 0: not at all.
static uint32_t rank(const GpuImage &image, uint32_t arch) {
  constexpr uint32_t machineCode = 1u << 20;
  if (image.arch > arch)
    return 0;
  if (image.kind == GpuImage::Kind::Cubin)
    return image.arch / 10 == arch / 10 ? machineCode + image.arch : 0;
  return image.kind == GpuImage::Kind::Ptx ? image.arch : 0;
}

StatusOr<GpuImage> weir::chooseImage(std::span<const GpuImage> images,
                                     uint32_t arch) {
  const GpuImage *best = nullptr;
  std::string known;
  for (const GpuImage &image : images) {
    known += fmt::format("{}{} for sm_{}", known.empty() ? "" : ", ",
                         image.kind == GpuImage::Kind::Ptx ? "PTX" : "code",
                         image.arch);
    if (rank(image, arch) > (best ? rank(*best, arch) : 0))
      best = &image;
  }
  if (best)
    return *best;
  return unavailable(fmt::format("the artifact has no code for sm_{}, which "
                                 "the GPU is; it has {}; compile "
                                 "the model with --gpu-arch=sm_{}",
                                 arch, known.empty() ? "none" : known, arch));
}

StatusOr<std::shared_ptr<CudaModule>>
CudaModule::load(std::shared_ptr<CudaContext> context,
                 std::span<const std::byte> blob) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<GpuImage> images,
                        artifact::parseGpuCode(blob));
  WEIR_ASSIGN_OR_RETURN(const GpuImage image,
                        chooseImage(images, context->arch()));
  std::shared_ptr<CudaModule> module(new CudaModule(std::move(context)));
  WEIR_RETURN_IF_ERROR(module->loadImage(image));
  return module;
}

Status CudaModule::loadImage(const GpuImage &image) {
  // What the driver's compiler says of PTX that it refuses.
  std::array<char, 2048> log{};
  std::array options{CU_JIT_ERROR_LOG_BUFFER,
                     CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void *, 2> values{log.data(),
                               reinterpret_cast<void *>(log.size() - 1)};
  const CudaContext::Use use(*owner);
  WEIR_RETURN_IF_ERROR(use.status());
  Status status =
      owner->check(owner->api.cuLibraryLoadData(
                       &library, image.bytes.data(), options.data(),
                       values.data(), options.size(), nullptr, nullptr, 0),
                   "cuLibraryLoadData");
  if (status.isOk())
    return status;
  library = nullptr;
  if (log[0])
    return Status(status.code(),
                  fmt::format("{}: {}", status.message(), oneLine(log.data())));
  return status;
}

CudaModule::~CudaModule() {
  if (!library)
    return;
  const CudaContext::Use use(*owner);
  (void)owner->api.cuLibraryUnload(library);
}

StatusOr<CUkernel> CudaModule::find(uint32_t function, size_t numBuffers) {
  const std::string name = artifact::gpuEntryName(function);
  CUkernel kernel = nullptr;
  const CUresult result =
      owner->api.cuLibraryGetKernel(&kernel, library, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    return dataLoss(fmt::format("the generated code has no entry {}; compile "
                                "the model again",
                                name));
  WEIR_RETURN_IF_ERROR(owner->check(result, "cuLibraryGetKernel"));
  // A launch reads as many addresses as the kernel has parameters.
  size_t offset = 0, size = 0;
  const auto hasParameter = [&](size_t index) {
    return owner->api.cuKernelGetParamInfo(kernel, index, &offset, &size) ==
           CUDA_SUCCESS;
  };
  if ((numBuffers > 0 && !hasParameter(numBuffers - 1)) ||
      hasParameter(numBuffers))
    return dataLoss(fmt::format(
        "the generated code's entry {} expects another number of parameters "
        "than the {} buffers of its kernel; compile the model again",
        name, numBuffers));
  return kernel;
}

StatusOr<std::shared_ptr<CudaModule>>
CudaModules::get(const std::shared_ptr<CudaContext> &context,
                 std::span<const std::byte> blob) {
  const std::lock_guard lock(mutex);
  // A blob that is in use is the only one at its address.
  if (const auto known = modules.find(blob.data()); known != modules.end())
    if (std::shared_ptr<CudaModule> module = known->second.lock())
      return module;
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<CudaModule> module,
                        CudaModule::load(context, blob));
  std::erase_if(modules, [](const auto &one) { return one.second.expired(); });
  modules[blob.data()] = module;
  return module;
}
