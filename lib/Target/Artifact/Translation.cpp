//===- Translation.cpp - Translates the exec dialect to an artifact -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Target/Artifact/Translation.h"

#include "Blobs.h"
#include "EntryTranslation.h"
#include "weir/Conversion/ClusterToLoops.h"
#include "weir/Dialect/Weir/IR/Metadata.h"
#include "weir/Support/ToolMain.h"
#include "weir/Target/NVPTX/CompileGpuKernels.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

ArtifactImage::ArtifactImage() = default;
ArtifactImage::ArtifactImage(ArtifactImage &&) = default;
ArtifactImage &ArtifactImage::operator=(ArtifactImage &&) = default;
ArtifactImage::~ArtifactImage() = default;

void ArtifactImage::dropLast() {
  parts.pop_back();
  model.variants.resize(parts.back().numVariants);
  model.blobs.resize(parts.back().numBlobs);
  blobs.resize(parts.back().numBlobs);
}

/// Whether one variant can contain both entries.
static bool haveSameDevices(exec::EntryOp left, exec::EntryOp right) {
  return left.getDevices() == right.getDevices() &&
         left.getIsolated() == right.getIsolated() &&
         left.getInFlight() == right.getInFlight() &&
         left.getThreads() == right.getThreads() &&
         left.getMemory() == right.getMemory() &&
         left.getOptions() == right.getOptions();
}

static KnownVariables findVariables(ModuleOp module) {
  KnownVariables variables;
  for (auto entry : module.getOps<exec::EntryOp>())
    for (auto variable : entry.getBlock().getOps<exec::VariableOp>())
      variables.try_emplace(variable.getParameterAttr(), variable);
  return variables;
}

/// Adds the module's entries as a variant for the CPU of `code`.
static LogicalResult addVariant(ModuleOp module, const EntryTensors &tensors,
                                ArtifactImage &image, BlobTable &blobs,
                                const KernelCode &code,
                                std::vector<std::string> cpuFeatures) {
  auto &variant =
      image.model.variants.emplace_back(std::make_unique<artifact::VariantT>());
  variant->cpu_features = std::move(cpuFeatures);
  auto entries = module.getOps<exec::EntryOp>();
  exec::EntryOp first = *entries.begin();
  const KnownVariables variables = findVariables(module);
  VariantTables tables(*variant, blobs, variables, code);
  if (failed(tables.addDevices(first)))
    return failure();
  for (exec::EntryOp entry : entries) {
    if (!haveSameDevices(first, entry))
      return entry.emitOpError("expects the devices of entry '")
             << first.getSymName() << "': all entries share them";
    variant->entries.push_back(
        translateEntry(entry, tables, tensors.lookup(entry.getSymName())));
    if (!variant->entries.back())
      return failure();
  }
  return success();
}

static void addKernels(const llvm::StringMap<CompiledKernel> &kernels,
                       uint32_t blob, KernelCode &code) {
  for (const auto &[name, kernel] : kernels)
    code[name] = {blob, kernel};
}

/// Adds a variant for the target CPU of `kernels`. `code` has kernels for other
/// devices.
static LogicalResult addCompiledVariant(ModuleOp module, ModuleOp kernels,
                                        const EntryTensors &tensors,
                                        ArtifactImage &image, BlobTable &blobs,
                                        KernelCode code, CacheFile *cache) {
  FailureOr<CompiledKernels> compiled = compileKernels(kernels, cache);
  if (failed(compiled))
    return failure();
  image.numKernels += compiled->kernels.size();
  image.numFound += compiled->numFound;
  addKernels(compiled->kernels,
             blobs.addCode(compiled->cpu.name, compiled->object), code);
  return addVariant(module, tensors, image, blobs, code,
                    compiled->cpu.features);
}

/// The kernels for GPUs, which all variants share.
static FailureOr<KernelCode> addGpuCode(ModuleOp module, ArtifactImage &image,
                                        BlobTable &blobs, CacheFile *cache) {
  KernelCode code;
  for (auto kernels : module.getOps<ModuleOp>()) {
    if (!kernels->hasAttr(kernelattrs::targetGpus))
      continue;
    FailureOr<CompiledGpuKernels> compiled = compileGpuKernels(kernels, cache);
    if (failed(compiled))
      return failure();
    image.numKernels += compiled->kernels.size();
    image.numFound += compiled->isFound ? compiled->kernels.size() : 0;
    image.gpuImages = compiled->images;
    addKernels(compiled->kernels, blobs.addCode("gpu", compiled->code), code);
  }
  return code;
}

static void addMetadata(ModuleOp module, artifact::ModelT &model) {
  auto pairs = module->getAttrOfType<ArrayAttr>(attrs::metadata);
  if (!pairs)
    return;
  for (Attribute pair : pairs) {
    auto texts = dyn_cast<ArrayAttr>(pair);
    if (!texts || texts.size() != 2 ||
        !llvm::all_of(texts, llvm::IsaPred<StringAttr>))
      continue;
    auto &entry =
        model.metadata.emplace_back(std::make_unique<artifact::MetadataT>());
    entry->key = cast<StringAttr>(texts[0]).str();
    entry->value = cast<StringAttr>(texts[1]).str();
  }
}

ArtifactTranslation::ArtifactTranslation(const EntryTensors &tensors,
                                         CacheFile *cache)
    : tensors(tensors), cache(cache),
      blobs(std::make_unique<BlobTable>(image)) {
  image.model.producer = "weir " + std::string(versionText());
}

ArtifactTranslation::~ArtifactTranslation() = default;

LogicalResult ArtifactTranslation::addVariants(ModuleOp module) {
  const size_t numVariants = image.model.variants.size();
  blobs->setModule(module);
  FailureOr<KernelCode> code = addGpuCode(module, image, *blobs, cache);
  if (failed(code))
    return failure();
  for (auto kernels : module.getOps<ModuleOp>())
    if (kernels->hasAttr(kernelattrs::targetCpu) &&
        failed(addCompiledVariant(module, kernels, tensors, image, *blobs,
                                  *code, cache)))
      return failure();
  return success(image.model.variants.size() > numVariants ||
                 succeeded(addVariant(module, tensors, image, *blobs, *code,
                                      /*cpuFeatures=*/{})));
}

LogicalResult ArtifactTranslation::add(ModuleOp module) {
  if (module.getOps<exec::EntryOp>().empty())
    return module.emitError("has no entry; run convert-weir-to-exec first");
  if (image.parts.empty())
    addMetadata(module, image.model);
  const LogicalResult result = addVariants(module);
  image.parts.push_back({image.model.variants.size(), image.blobs.size()});
  if (failed(result) && image.parts.size() > 1)
    image.dropLast();
  return result;
}

Status weir::checkImage(ArtifactImage &image) {
  Status valid = artifact::check(image.model, image.blobs);
  if (valid.isOk() || valid.code() == StatusCode::InvalidArgument)
    return valid;
  return internalError(
      fmt::format("the compiler made an artifact that nothing could load: {}",
                  valid.message()));
}
