//===- CompileGpuKernels.cpp - Compiles kernel functions for GPUs ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Target/NVPTX/CompileGpuKernels.h"

#include "Emulation.h"
#include "PtxCompiler.h"
#include "Ptxas.h"

#include "weir/Artifact/GpuCode.h"
#include "weir/Cache/CacheFile.h"
#include "weir/Conversion/LinalgToKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace weir;
using artifact::GpuImage;

static FailureOr<std::vector<TargetGpu>> getTargets(ModuleOp module) {
  std::vector<std::string> names;
  if (auto list = module->getAttrOfType<ArrayAttr>(kernelattrs::targetGpus))
    for (auto name : list.getAsRange<StringAttr>())
      names.push_back(name.str());
  StatusOr<std::vector<TargetGpu>> gpus = parseTargetGpus(names);
  if (!gpus.isOk())
    return module.emitError("expects the attribute '")
           << kernelattrs::targetGpus
           << "': " << StringRef(gpus.status().message());
  return *std::move(gpus);
}

static CompiledKernel describe(func::FuncOp function, size_t number) {
  auto get = [&](StringRef name) {
    auto value = function->getAttrOfType<IntegerAttr>(name);
    return value ? static_cast<uint64_t>(value.getInt()) : 0;
  };
  std::vector<int64_t> overwrittenBy;
  if (auto numbers = function->getAttrOfType<DenseI64ArrayAttr>(
          kernelattrs::overwrittenBy))
    overwrittenBy = numbers.asArrayRef().vec();
  return {static_cast<uint32_t>(number),
          get(kernelattrs::tasks),
          1,
          get(kernelattrs::scratch),
          static_cast<uint32_t>(get(kernelattrs::threads)),
          std::move(overwrittenBy)};
}

namespace {
/// The code of one module.
class GpuLibrary {
public:
  GpuLibrary(ModuleOp module, std::vector<TargetGpu> gpus, CacheFile *cache);

  FailureOr<CompiledGpuKernels> make();

private:
  std::string keyOf() const;
  std::string describeImages() const;
  FailureOr<std::string> build();
  LogicalResult addPtx();
  LogicalResult addEmulation();
  void add(GpuImage::Kind kind, uint32_t arch, std::string bytes);

  ModuleOp module;
  /// Of real GPUs, in ascending order.
  std::vector<TargetGpu> gpus;
  bool isEmulated;
  CacheFile *cache;
  StatusOr<Ptxas> assembler;
  std::vector<std::pair<GpuImage, std::string>> images;
};
} // namespace

/// The assembler is needed only for real GPUs.
static StatusOr<Ptxas> findAssembler(const std::vector<TargetGpu> &gpus) {
  return gpus.empty() ? StatusOr<Ptxas>(unavailable("there is no GPU"))
                      : Ptxas::find();
}

GpuLibrary::GpuLibrary(ModuleOp module, std::vector<TargetGpu> given,
                       CacheFile *cache)
    : module(module), gpus(std::move(given)),
      isEmulated(std::erase_if(gpus,
                               [](const TargetGpu &gpu) {
                                 return gpu.isEmulated();
                               }) != 0),
      cache(cache), assembler(findAssembler(gpus)) {}

/// All that the code follows from.
std::string GpuLibrary::keyOf() const {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return cache->keyOf(
      {"gpu", assembler.isOk() ? assembler->getVersion() : "", text});
}

std::string GpuLibrary::describeImages() const {
  std::vector<std::string> names, parts;
  for (const TargetGpu &gpu : gpus)
    names.push_back(gpu.name);
  if (!gpus.empty())
    parts.push_back("PTX of " + names.front());
  if (!gpus.empty() && assembler.isOk())
    parts.push_back(
        fmt::format("machine code of {}", fmt::join(names, " and ")));
  else if (!gpus.empty())
    parts.push_back(
        fmt::format("no machine code ({})", assembler.status().message()));
  if (isEmulated)
    parts.push_back("code that emulates a GPU");
  return fmt::format("{}", fmt::join(parts, ", "));
}

void GpuLibrary::add(GpuImage::Kind kind, uint32_t arch, std::string bytes) {
  images.push_back({{kind, arch, {}}, std::move(bytes)});
}

LogicalResult GpuLibrary::addPtx() {
  for (const TargetGpu &gpu : gpus) {
    const bool isFirst = gpu.arch == gpus.front().arch;
    if (!isFirst && !assembler.isOk())
      continue;
    FailureOr<std::string> ptx = compileToPtx(module, gpu);
    if (failed(ptx))
      return failure();
    StatusOr<std::string> code = std::string();
    if (assembler.isOk())
      code = assembler->assemble(*ptx, gpu);
    if (!code.isOk())
      return emitError(UnknownLoc::get(module.getContext()),
                       StringRef(code.status().message()));
    if (isFirst) {
      ptx->push_back('\0');
      add(GpuImage::Kind::Ptx, gpu.arch, *std::move(ptx));
    }
    if (assembler.isOk())
      add(GpuImage::Kind::Cubin, gpu.arch, *std::move(code));
  }
  return success();
}

LogicalResult GpuLibrary::addEmulation() {
  FailureOr<std::string> object = emulateKernels(module);
  if (failed(object))
    return failure();
  add(GpuImage::Kind::Emulation, 0, *std::move(object));
  return success();
}

FailureOr<std::string> GpuLibrary::build() {
  if (failed(addPtx()) || (isEmulated && failed(addEmulation())))
    return failure();
  std::vector<GpuImage> packed;
  for (auto &[image, bytes] : images) {
    image.bytes = std::as_bytes(std::span(bytes));
    packed.push_back(image);
  }
  const std::vector<std::byte> code = artifact::packGpuCode(packed);
  return std::string(reinterpret_cast<const char *>(code.data()), code.size());
}

FailureOr<CompiledGpuKernels> GpuLibrary::make() {
  CompiledGpuKernels compiled;
  compiled.images = describeImages();
  for (auto [number, function] : llvm::enumerate(module.getOps<func::FuncOp>()))
    compiled.kernels[function.getSymName()] = describe(function, number);
  const std::string key = cache ? keyOf() : "";
  if (cache)
    if (auto found = cache->find(key)) {
      compiled.code = *std::move(found);
      compiled.isFound = true;
      return compiled;
    }
  FailureOr<std::string> built = build();
  if (failed(built))
    return failure();
  compiled.code = *std::move(built);
  if (cache)
    cache->add(key, compiled.code);
  return compiled;
}

FailureOr<CompiledGpuKernels> weir::compileGpuKernels(ModuleOp module,
                                                      CacheFile *cache) {
  FailureOr<std::vector<TargetGpu>> gpus = getTargets(module);
  if (failed(gpus))
    return failure();
  return GpuLibrary(module, *std::move(gpus), cache).make();
}

FailureOr<std::string> weir::printGpuKernels(ModuleOp module) {
  FailureOr<std::vector<TargetGpu>> gpus = getTargets(module);
  if (failed(gpus))
    return failure();
  for (const TargetGpu &gpu : *gpus)
    if (!gpu.isEmulated())
      return compileToPtx(module, gpu);
  return module.emitError("has no PTX: the only architecture is 'emulated'; "
                          "name one such as sm_90");
}
