//===- CompileGpuKernels.cpp - Compiles kernel functions for GPUs ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Target/NVPTX/CompileGpuKernels.h"

#include "../CPU/KernelCompiler.h"
#include "Emulation.h"
#include "GpuEmulation.h"
#include "PtxCompiler.h"
#include "Ptxas.h"

#include "weir/Artifact/GpuCode.h"
#include "weir/Cache/CacheFile.h"
#include "weir/Conversion/LinalgToKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

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

CompiledKernel weir::describeGpuKernel(func::FuncOp function, size_t number) {
  auto get = [&](StringRef name) {
    auto value = function->getAttrOfType<IntegerAttr>(name);
    return value ? static_cast<uint64_t>(value.getInt()) : 0;
  };
  return {static_cast<uint32_t>(number),
          get(kernelattrs::tasks),
          1,
          get(kernelattrs::scratch),
          static_cast<uint32_t>(get(kernelattrs::threads)),
          getOverwrittenBy(function).vec()};
}

namespace {
/// The code of the kernel functions of one module.
class GpuLibrary {
public:
  GpuLibrary(ModuleOp module, std::vector<TargetGpu> gpus, CacheFile *cache)
      : module(module), gpus(std::move(gpus)),
        isEmulated(module->hasAttr(kernelattrs::emulatesGpu)), cache(cache),
        assembler(Ptxas::find()) {}

  FailureOr<CompiledGpuKernels> make();

private:
  std::string keyOf() const;
  std::string describeImages(const std::vector<GpuImage> &built) const;
  FailureOr<std::string> build();
  LogicalResult addPtx();
  LogicalResult addMachineCode(const std::vector<PtxText> &texts);
  LogicalResult addEmulation();
  LogicalResult emitFailure(const Status &status);
  void add(GpuImage::Kind kind, uint32_t arch, std::string bytes);

  ModuleOp module;
  /// The GPUs in ascending order.
  std::vector<TargetGpu> gpus;
  bool isEmulated;
  CacheFile *cache;
  StatusOr<Ptxas> assembler;
  std::vector<std::pair<GpuImage, std::string>> images;
};
} // namespace

/// The key of the code. It contains everything that the code depends on.
std::string GpuLibrary::keyOf() const {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return cache->keyOf(
      {"gpu", assembler.isOk() ? assembler->getVersion() : "", text});
}

std::string
GpuLibrary::describeImages(const std::vector<GpuImage> &built) const {
  std::vector<std::string> ready, missing;
  for (const TargetGpu &gpu : gpus) {
    const bool hasCode = llvm::any_of(built, [&](const GpuImage &image) {
      return image.kind == GpuImage::Kind::Cubin && image.arch == gpu.arch;
    });
    (hasCode ? ready : missing).push_back(gpu.name);
  }
  std::vector<std::string> parts = {"PTX of " + gpus.front().name};
  if (!ready.empty())
    parts.push_back(
        fmt::format("machine code of {}", fmt::join(ready, " and ")));
  if (!assembler.isOk())
    parts.push_back(
        fmt::format("no machine code ({})", assembler.status().message()));
  else if (!missing.empty())
    parts.push_back(fmt::format("no machine code of {} (ptxas is older; set "
                                "CUDA_HOME to a newer toolkit)",
                                fmt::join(missing, " and ")));
  if (isEmulated)
    parts.push_back("code that emulates a GPU");
  return fmt::format("{}", fmt::join(parts, ", "));
}

void GpuLibrary::add(GpuImage::Kind kind, uint32_t arch, std::string bytes) {
  images.emplace_back(GpuImage{kind, arch, {}}, std::move(bytes));
}

/// Emits the error at a function, if the text of the error names its entry.
LogicalResult GpuLibrary::emitFailure(const Status &status) {
  for (auto [number, function] : llvm::enumerate(module.getOps<func::FuncOp>()))
    if (StringRef(status.message())
            .contains("'" +
                      artifact::gpuEntryName(static_cast<uint32_t>(number)) +
                      "'"))
      return function.emitError("cannot be compiled for GPUs: ")
             << StringRef(status.message());
  return module.emitError(StringRef(status.message()));
}

LogicalResult GpuLibrary::addMachineCode(const std::vector<PtxText> &texts) {
  std::vector<StatusOr<std::string>> codes = assembler->assemble(texts);
  for (auto [text, code] : llvm::zip(texts, codes)) {
    if (code.isOk())
      add(GpuImage::Kind::Cubin, text.gpu.arch, *std::move(code));
    else if (code.status().code() != StatusCode::Unavailable)
      return emitFailure(code.status());
  }
  return success();
}

/// Adds PTX. The driver makes machine code of it for GPUs whose machine code is
/// missing.
LogicalResult GpuLibrary::addPtx() {
  std::vector<PtxText> texts;
  for (const TargetGpu &gpu : gpus) {
    if (!texts.empty() && !assembler.isOk())
      break;
    FailureOr<std::string> ptx = compileToPtx(module, gpu);
    if (failed(ptx))
      return failure();
    texts.push_back({gpu, *std::move(ptx)});
  }
  const PtxText &lowest = texts.front();
  add(GpuImage::Kind::Ptx, lowest.gpu.arch, lowest.text + '\0');
  return assembler.isOk() ? addMachineCode(texts) : success();
}

LogicalResult GpuLibrary::addEmulation() {
  FailureOr<std::string> object = emulateKernels(module);
  if (failed(object))
    return failure();
  add(emulationImage, 0, *std::move(object));
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
  for (auto [number, function] : llvm::enumerate(module.getOps<func::FuncOp>()))
    compiled.kernels[function.getSymName()] =
        describeGpuKernel(function, number);
  const std::string key = cache ? keyOf() : "";
  if (cache)
    if (auto found = cache->find(key)) {
      compiled.code = *std::move(found);
      compiled.isFound = true;
    }
  if (!compiled.isFound) {
    FailureOr<std::string> built = build();
    if (failed(built))
      return failure();
    compiled.code = *std::move(built);
    if (cache)
      cache->add(key, compiled.code);
  }
  auto parsed = artifact::parseGpuCode(
      std::as_bytes(std::span(compiled.code.data(), compiled.code.size())));
  if (!parsed.isOk())
    return module.emitError(StringRef(parsed.status().message()));
  compiled.images = describeImages(*parsed);
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
  return compileToPtx(module, gpus->front());
}
