//===- CudaModule.cpp - Generated code on a GPU --------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaModule.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

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

/// Advice on how to get code for a GPU of the architecture `arch`.
static std::string adviseFor(uint32_t arch) {
  constexpr uint32_t oldest = 80;
  return arch < oldest
             ? fmt::format("code is generated for sm_{} and later ones; "
                           "compile the model for other devices",
                           oldest)
             : fmt::format("compile the model for sm_{}, too", arch);
}

StatusOr<std::vector<GpuImage>>
weir::rankImages(std::span<const GpuImage> images, uint32_t arch) {
  std::vector<GpuImage> ranked;
  std::string known;
  for (const GpuImage &image : images) {
    known += fmt::format("{}{} for sm_{}", known.empty() ? "" : ", ",
                         image.kind == GpuImage::Kind::Ptx ? "PTX" : "code",
                         image.arch);
    if (rank(image, arch) > 0)
      ranked.push_back(image);
  }
  if (ranked.empty())
    return unavailable(fmt::format(
        "the artifact has no code for sm_{}, which the GPU is; it has {}; {}",
        arch, known.empty() ? "none" : known, adviseFor(arch)));
  std::ranges::stable_sort(ranked, std::greater(), [&](const GpuImage &image) {
    return rank(image, arch);
  });
  return ranked;
}

StatusOr<std::shared_ptr<CudaModule>>
CudaModule::load(std::shared_ptr<CudaContext> context,
                 std::span<const std::byte> blob) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<GpuImage> images,
                        artifact::parseGpuCode(blob));
  WEIR_ASSIGN_OR_RETURN(const std::vector<GpuImage> ranked,
                        rankImages(images, context->arch()));
  std::shared_ptr<CudaModule> module(new CudaModule(std::move(context)));
  WEIR_RETURN_IF_ERROR(module->loadBest(ranked));
  return module;
}

Status CudaModule::check(CUresult result, std::string_view call) {
  Status status = owner->check(result, call);
  if (status.isOk() || !log[0])
    return status;
  return Status(status.code(),
                fmt::format("{}: {}", status.message(), oneLine(log.data())));
}

CUresult CudaModule::loadImage(const GpuImage &image) {
  log[0] = 0;
  options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  values = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  const CUresult result = owner->api.cuLibraryLoadData(
      &library, image.bytes.data(), options.data(), values.data(),
      options.size(), nullptr, nullptr, 0);
  if (result != CUDA_SUCCESS)
    library = nullptr;
  return result;
}

/// Whether the error `result` is about the image that a GPU has refused, so
/// another image may fit.
static bool isAboutImage(CUresult result) {
  return result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
         result == CUDA_ERROR_INVALID_IMAGE ||
         result == CUDA_ERROR_INVALID_PTX ||
         result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
}

/// Whether the driver is too old for the code, or lacks its compiler.
static bool isAboutDriver(CUresult result) {
  return result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
         result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
         result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND ||
         result == CUDA_ERROR_JIT_COMPILATION_DISABLED;
}

/// Loads `image` and one of its kernels. By default the driver loads lazily,
/// and may look at the image only when it is asked for a kernel. On failure,
/// sets `call` to the name of the call that failed.
CUresult CudaModule::tryImage(const GpuImage &image, std::string_view &call) {
  const CudaApi &api = owner->api;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  call = "cuLibraryLoadData";
  CUresult result = loadImage(image);
  if (result != CUDA_SUCCESS)
    return result;
  call = "cuLibraryEnumerateKernels";
  result = api.cuLibraryEnumerateKernels(&kernel, 1, library);
  // An image that is not code has no kernels. A request for a kernel fails, and
  // the error says why.
  if (result == CUDA_SUCCESS && !kernel) {
    call = "cuLibraryGetKernel";
    result = api.cuLibraryGetKernel(&kernel, library,
                                    artifact::gpuEntryName(0).c_str());
    if (result == CUDA_ERROR_UNKNOWN)
      result = CUDA_ERROR_INVALID_IMAGE;
  }
  if (result == CUDA_SUCCESS) {
    call = "cuKernelGetFunction";
    result = api.cuKernelGetFunction(&function, kernel);
  }
  if (result == CUDA_SUCCESS) {
    call = "cuFuncLoad";
    result = api.cuFuncLoad(function);
  }
  if (result != CUDA_SUCCESS)
    (void)api.cuLibraryUnload(std::exchange(library, nullptr));
  return result;
}

/// The error for an image that `call` has refused with `result`.
Status CudaModule::refusal(CUresult result, std::string_view call) {
  Status status = check(result, call);
  if (!isAboutDriver(result))
    return status;
  return unavailable(fmt::format("{}; install a newer driver, or {}",
                                 status.message(), adviseFor(owner->arch())));
}

Status CudaModule::loadBest(std::span<const GpuImage> images) {
  const CudaContext::Use use(*owner);
  WEIR_RETURN_IF_ERROR(use.status());
  Status first = Status::ok();
  for (const GpuImage &image : images) {
    std::string_view call;
    const CUresult result = tryImage(image, call);
    if (result == CUDA_SUCCESS)
      return Status::ok();
    // The error is not about the image, so other images would fail, too.
    if (!isAboutImage(result))
      return refusal(result, call);
    if (first.isOk())
      first = refusal(result, call);
  }
  return first;
}

CudaModule::~CudaModule() {
  if (!library)
    return;
  owner->release([&] { (void)owner->api.cuLibraryUnload(library); });
}

Status CudaModule::checkParameters(CUkernel kernel, const std::string &name,
                                   size_t numBuffers) {
  // A launch reads as many addresses as the kernel has parameters. Only the
  // last parameter is checked. For a parameter that does not exist, the driver
  // reports an error of the program.
  if (numBuffers == 0)
    return Status::ok();
  size_t offset = 0, size = 0;
  const CUresult result =
      owner->api.cuKernelGetParamInfo(kernel, numBuffers - 1, &offset, &size);
  if (result == CUDA_SUCCESS && size == sizeof(CUdeviceptr) &&
      offset == size * (numBuffers - 1))
    return Status::ok();
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE)
    return check(result, "cuKernelGetParamInfo");
  return dataLoss(fmt::format(
      "the generated code's entry {} expects other parameters than the {} "
      "buffers of its kernel; compile the model again",
      name, numBuffers));
}

/// A launch of more threads than the entry was compiled for would be an error.
Status CudaModule::checkThreads(CUkernel kernel, const std::string &name,
                                uint32_t numThreads) {
  int most = 0;
  WEIR_RETURN_IF_ERROR(check(owner->api.cuKernelGetAttribute(
                                 &most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                 kernel, owner->device()),
                             "cuKernelGetAttribute"));
  if (static_cast<int64_t>(numThreads) <= most)
    return Status::ok();
  return dataLoss(fmt::format(
      "a block of the generated code's entry {} has at most {} thread{}, and "
      "its kernel asks for {}; compile the model again",
      name, most, most == 1 ? "" : "s", numThreads));
}

/// Lets blocks of `kernel` have more shared memory than what all GPUs allow.
Status CudaModule::allowShared(CUkernel kernel, uint32_t function,
                               uint64_t bytes) {
  constexpr uint64_t always = 48 << 10;
  uint64_t &most = sharedBytesOf[function];
  // Several kernels of Weir may have the same function.
  if (bytes <= std::max(always, most))
    return Status::ok();
  WEIR_RETURN_IF_ERROR(
      check(owner->api.cuKernelSetAttribute(
                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                static_cast<int>(bytes), kernel, owner->device()),
            "cuKernelSetAttribute")
          .withContext(
              fmt::format("it needs {} bytes of shared memory", bytes)));
  most = bytes;
  return Status::ok();
}

StatusOr<CUfunction> CudaModule::find(uint32_t function, size_t numBuffers,
                                      uint32_t numThreads,
                                      uint64_t sharedBytes) {
  const CudaApi &api = owner->api;
  const std::string name = artifact::gpuEntryName(function);
  CUkernel kernel = nullptr;
  CUfunction loaded = nullptr;
  const CUresult result =
      api.cuLibraryGetKernel(&kernel, library, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    return dataLoss(fmt::format("the generated code has no entry {}; compile "
                                "the model again",
                                name));
  WEIR_RETURN_IF_ERROR(check(result, "cuLibraryGetKernel"));
  WEIR_RETURN_IF_ERROR(checkParameters(kernel, name, numBuffers));
  WEIR_RETURN_IF_ERROR(checkThreads(kernel, name, numThreads));
  WEIR_RETURN_IF_ERROR(allowShared(kernel, function, sharedBytes));
  // Unless it is asked, the driver loads a function at the first launch. That
  // takes milliseconds, and the first launch may be in a capture.
  WEIR_RETURN_IF_ERROR(
      check(api.cuKernelGetFunction(&loaded, kernel), "cuKernelGetFunction"));
  WEIR_RETURN_IF_ERROR(check(api.cuFuncLoad(loaded), "cuFuncLoad"));
  return loaded;
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
