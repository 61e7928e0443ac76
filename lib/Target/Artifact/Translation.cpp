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

/// Whether both entries can be in one variant.
static bool haveSameDevices(exec::EntryOp left, exec::EntryOp right) {
  return left.getDevices().withGroups({}) ==
             right.getDevices().withGroups({}) &&
         left.getInFlight() == right.getInFlight();
}

static KnownVariables findVariables(ModuleOp module) {
  KnownVariables variables;
  for (auto entry : module.getOps<exec::EntryOp>())
    for (auto variable : entry.getBlock().getOps<exec::VariableOp>())
      variables.try_emplace(variable.getParameterAttr(), variable);
  return variables;
}

static void addKernels(const llvm::StringMap<CompiledKernel> &kernels,
                       uint32_t blob, KernelCode &code) {
  for (const auto &[name, kernel] : kernels)
    code[name] = {blob, kernel};
}

namespace {
/// Adds the entries of a module to an image, as one or more variants.
class ModuleVariants {
public:
  ModuleVariants(ModuleOp module, const EntryTensors &tensors,
                 ArtifactImage &image, BlobTable &blobs)
      : module(module), tensors(tensors), image(image), blobs(blobs) {}

  LogicalResult add(CacheFile *cache, const CheckCodeFn &checkCode);

private:
  LogicalResult addGpuCode(CacheFile *cache);
  LogicalResult addCompiled(const CompiledKernels &compiled);
  /// Adds a variant for the CPU of `code`.
  LogicalResult addVariant(const KernelCode &code,
                           std::vector<std::string> cpuFeatures);

  ModuleOp module;
  const EntryTensors &tensors;
  ArtifactImage &image;
  BlobTable &blobs;
  /// The kernels for GPUs, which all variants share.
  KernelCode gpuCode;
};
} // namespace

LogicalResult ModuleVariants::addVariant(const KernelCode &code,
                                         std::vector<std::string> cpuFeatures) {
  auto &variant =
      image.model.variants.emplace_back(std::make_unique<artifact::VariantT>());
  variant->cpu_features = std::move(cpuFeatures);
  auto entries = module.getOps<exec::EntryOp>();
  exec::EntryOp first = *entries.begin();
  const KnownVariables variables = findVariables(module);
  VariantTables tables(*variant, blobs, variables, code);
  tables.addDevices(first);
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

LogicalResult ModuleVariants::addCompiled(const CompiledKernels &compiled) {
  image.numKernels += compiled.kernels.size();
  image.numFound += compiled.numFound;
  KernelCode code = gpuCode;
  addKernels(compiled.kernels,
             blobs.addCode(compiled.cpu.name, compiled.object), code);
  return addVariant(code, compiled.cpu.features);
}

LogicalResult ModuleVariants::addGpuCode(CacheFile *cache) {
  for (auto kernels : module.getOps<ModuleOp>()) {
    if (!kernels->hasAttr(kernelattrs::targetGpus))
      continue;
    FailureOr<CompiledGpuKernels> compiled = compileGpuKernels(kernels, cache);
    if (failed(compiled))
      return failure();
    image.numKernels += compiled->kernels.size();
    image.numFound += compiled->isFound ? compiled->kernels.size() : 0;
    image.gpuImages = compiled->images;
    addKernels(compiled->kernels, blobs.addCode("gpu", compiled->code),
               gpuCode);
  }
  return success();
}

LogicalResult ModuleVariants::add(CacheFile *cache,
                                  const CheckCodeFn &checkCode) {
  blobs.setModule(module);
  if (failed(addGpuCode(cache)))
    return failure();
  bool hasTargets = false;
  for (auto kernels : module.getOps<ModuleOp>()) {
    if (!kernels->hasAttr(kernelattrs::targetCpu))
      continue;
    hasTargets = true;
    FailureOr<CompiledKernels> compiled = compileKernels(kernels, cache);
    if (failed(compiled) ||
        (checkCode && failed(checkCode(module, *compiled))) ||
        failed(addCompiled(*compiled)))
      return failure();
  }
  return hasTargets ? success() : addVariant(gpuCode, /*cpuFeatures=*/{});
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
                                         CacheFile *cache,
                                         CheckCodeFn checkCode)
    : tensors(tensors), cache(cache), checkCode(std::move(checkCode)),
      blobs(std::make_unique<BlobTable>(image)) {
  image.model.producer = "weir " + std::string(versionText());
}

ArtifactTranslation::~ArtifactTranslation() = default;

LogicalResult ArtifactTranslation::add(ModuleOp module) {
  if (module.getOps<exec::EntryOp>().empty())
    return module.emitError("has no entry; run convert-weir-to-exec first");
  if (image.parts.empty())
    addMetadata(module, image.model);
  const LogicalResult result =
      ModuleVariants(module, tensors, image, *blobs).add(cache, checkCode);
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
