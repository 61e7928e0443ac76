//===- ConvertClustersToLoops.cpp - Kernel functions of all clusters ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GpuIndexChecks.h"

#include "weir/Conversion/ClusterCache.h"
#include "weir/Conversion/ClusterToLoops.h"
#include "weir/Conversion/Passes.h"
#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Support/DeviceName.h"
#include "weir/Support/IndexCheckAttrs.h"

#include "llvm/ADT/StringSet.h"

#include <optional>

namespace weir {
#define GEN_PASS_DEF_CONVERTCLUSTERSTOLOOPS
#include "weir/Conversion/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
/// The launches of clusters, and the kinds of device on which each cluster is
/// launched.
class LaunchedClusters {
public:
  explicit LaunchedClusters(ModuleOp module);

  /// Whether a cluster is launched on CPUs, or not at all.
  bool isForCpu(func::FuncOp cluster) const {
    return forCpu.contains(cluster.getSymName()) ||
           !getOnGpu(cluster.getSymName());
  }
  /// A launch of a cluster on a GPU, or null. All such launches run the same
  /// code, so they check the same indices.
  LaunchOp getOnGpu(StringRef cluster) const { return onGpu.lookup(cluster); }

  /// The launches, each with a mark that says whether it is on a GPU.
  SmallVector<std::pair<LaunchOp, bool>> launches;
  /// Whether a launch is on a GPU that the CPU emulates.
  bool isEmulated = false;

private:
  llvm::StringSet<> forCpu;
  llvm::StringMap<LaunchOp> onGpu;
};

class ConvertClustersToLoops
    : public weir::impl::ConvertClustersToLoopsBase<ConvertClustersToLoops> {
public:
  using ConvertClustersToLoopsBase::ConvertClustersToLoopsBase;
  ConvertClustersToLoops(ConvertClustersToLoopsOptions options,
                         OpenCacheFn openCache)
      : ConvertClustersToLoopsBase(std::move(options)),
        openCache(std::move(openCache)) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    registerLoopDialects(registry);
  }
  void runOnOperation() override;

private:
  /// Lowered clusters by their names.
  using Lowered = llvm::StringMap<LoweredCluster>;

  FailureOr<Lowered> lowerFor(StringRef target, size_t number,
                              ModuleOp clusters, const LaunchedClusters &used);
  FailureOr<Lowered> lowerForAll(ModuleOp clusters,
                                 const LaunchedClusters &used);
  FailureOr<Lowered> lowerForGpu(ModuleOp clusters,
                                 const LaunchedClusters &used);

  OpenCacheFn openCache;
  CacheFile *cache = nullptr;
  /// Whether some kernel functions have no body.
  bool hasDeclarations = false;
};

/// Lowers clusters for one target, or finds them in a cache.
class TargetLowering {
public:
  TargetLowering(ModuleOp kernels, const LoopTarget &target, CacheFile *cache)
      : kernels(kernels), target(target) {
    if (cache)
      known.emplace(*cache, target);
  }

  FailureOr<LoweredCluster> lower(func::FuncOp cluster);

private:
  ModuleOp kernels;
  LoopTarget target;
  std::optional<ClusterCache> known;
  /// The lowering, made when the first cluster needs it.
  std::optional<ClusterToLoops> lowering;
};
} // namespace

/// The code generator of the device that `launch` is on; empty if the device
/// has no code generator.
static std::string_view getCodeGenerator(LaunchOp launch) {
  auto group = launch->getParentOfType<GroupOp>();
  if (!group || !group.getDevice())
    return {};
  StatusOr<DeviceName> device = parseDeviceName(group.getDevice()->str());
  return device.isOk() ? device->kind->codeGenerator : std::string_view();
}

LaunchedClusters::LaunchedClusters(ModuleOp module) {
  module.walk([&](LaunchOp launch) {
    if (launch.getKernel() != generatedKernel)
      return;
    auto name = launch.getConfig().getAs<StringAttr>(attrs::cluster);
    if (!name)
      return;
    const std::string_view generator = getCodeGenerator(launch);
    const bool isGpu = isForGpus(generator);
    isEmulated |= generator == emulatedGpuCodeGenerator;
    launches.push_back({launch, isGpu});
    if (!isGpu) {
      forCpu.insert(name.getValue());
      return;
    }
    onGpu.try_emplace(name.getValue(), launch);
  });
}

FailureOr<LoweredCluster> TargetLowering::lower(func::FuncOp cluster) {
  const std::string key = known ? known->keyOf(cluster) : "";
  if (known)
    if (auto found = known->find(key, cluster, kernels))
      return *std::move(found);
  if (!lowering)
    lowering.emplace(kernels.getContext(), target);
  FailureOr<LoweredCluster> lowered = lowering->lower(cluster, kernels);
  if (succeeded(lowered) && known)
    known->add(key, *lowered);
  return lowered;
}

FailureOr<ConvertClustersToLoops::Lowered>
ConvertClustersToLoops::lowerFor(StringRef text, size_t number,
                                 ModuleOp clusters,
                                 const LaunchedClusters &used) {
  auto [name, bits] = text.rsplit('=');
  LoopTarget target;
  if (bits.getAsInteger(10, target.vectorBits) || name.empty() ||
      (target.vectorBits != 256 && target.vectorBits != 512))
    return clusters.emitError("expected a target NAME=BITS of 256 or 512 bits, "
                              "found '")
           << text << "'";
  OpBuilder builder(clusters);
  auto kernels =
      ModuleOp::create(builder, clusters.getLoc(),
                       (attrs::kernelsModule + llvm::Twine(number)).str());
  kernels->setAttr(kernelattrs::targetCpu, builder.getStringAttr(name));
  TargetLowering lowering(kernels, target, cache);
  Lowered all;
  for (auto cluster : clusters.getOps<func::FuncOp>()) {
    if (!used.isForCpu(cluster))
      continue;
    FailureOr<LoweredCluster> lowered = lowering.lower(cluster);
    if (failed(lowered))
      return cluster.emitOpError("cannot be lowered to loops");
    for (KernelFunction &kernel : lowered->functions)
      hasDeclarations |= kernel.function.isDeclaration();
    all[cluster.getSymName()] = std::move(*lowered);
  }
  return all;
}

/// Whether two lowerings have the same launches with the same buffers. All
/// variants of an entry share one plan, so this must hold for all targets.
static bool haveSamePlan(const LoweredCluster &left,
                         const LoweredCluster &right) {
  auto isSameBuffer = [](const ClusterBuffer &a, const ClusterBuffer &b) {
    return a.kind == b.kind && a.index == b.index;
  };
  auto areEqual = [&](const KernelFunction &a, const KernelFunction &b) {
    func::FuncOp first = a.function, second = b.function;
    return first.getSymName() == second.getSymName() &&
           llvm::equal(a.reads, b.reads, isSameBuffer) &&
           llvm::equal(a.writes, b.writes, isSameBuffer) &&
           a.overwrittenBy == b.overwrittenBy;
  };
  return left.temporaries == right.temporaries &&
         llvm::equal(left.functions, right.functions, areEqual);
}

/// The attributes of the launch of `kernel`. The first kernel gets the
/// attributes of `cluster`. They refer to operands by number, and only this
/// kernel has the same operands.
static DictionaryAttr
describeKernel(LaunchOp cluster, const KernelFunction &kernel, bool isFirst) {
  func::FuncOp function = kernel.function;
  NamedAttrList config;
  if (isFirst)
    config = cluster.getConfig();
  config.erase(attrs::cluster);
  config.append(attrs::function, function.getSymNameAttr());
  return config.getDictionary(cluster.getContext());
}

/// For each operand of the launch of `kernel`, the result that may overwrite
/// it, or -1. Null if no result may overwrite an operand. The operand and the
/// result must have the same tensor type, although different tensor types can
/// have the same type in memory.
static DenseI64ArrayAttr describeOverwrites(const KernelFunction &kernel,
                                            ValueRange inputs,
                                            ArrayRef<Type> results) {
  SmallVector<int64_t> overwrittenBy(kernel.overwrittenBy);
  for (auto [number, input] : llvm::zip(overwrittenBy, inputs))
    if (number >= 0 && results[static_cast<size_t>(number)] != input.getType())
      number = -1;
  if (llvm::all_of(overwrittenBy, [](int64_t number) { return number < 0; }))
    return {};
  func::FuncOp function = kernel.function;
  return DenseI64ArrayAttr::get(function.getContext(), overwrittenBy);
}

/// Divides `flops` of a cluster between its kernel functions, by the points of
/// their loops.
static SmallVector<int64_t> divideFlops(int64_t flops,
                                        ArrayRef<KernelFunction> functions) {
  double points = 0, passed = 0;
  for (const KernelFunction &kernel : functions)
    points += static_cast<double>(kernel.points);
  SmallVector<int64_t> shares;
  int64_t given = 0;
  for (const KernelFunction &kernel : functions) {
    passed += static_cast<double>(kernel.points);
    // The last function gets the rest, so that the sum is exact.
    const double part =
        points == 0 ? 0 : static_cast<double>(flops) * (passed / points);
    bool isWhole = shares.size() + 1 == functions.size() || points == 0 ||
                   part >= static_cast<double>(flops);
    int64_t due = isWhole ? flops : static_cast<int64_t>(part);
    shares.push_back(due - given);
    given = due;
  }
  return shares;
}

/// Replaces the launch of a cluster by the launches of its kernel functions.
static void replaceLaunch(LaunchOp launch, const LoweredCluster &lowered) {
  OpBuilder builder(launch);
  SmallVector<Value> results(launch.getNumResults());
  SmallVector<Value> temporaries(lowered.temporaries.size());
  auto at = [&](const ClusterBuffer &buffer) -> Value & {
    return buffer.kind == ClusterBuffer::Kind::Result
               ? results[buffer.index]
               : temporaries[buffer.index];
  };
  SmallVector<int64_t> flops =
      divideFlops(launch.getFlops(), lowered.functions);
  for (auto [number, kernel] : llvm::enumerate(lowered.functions)) {
    SmallVector<Value> inputs;
    for (const ClusterBuffer &buffer : kernel.reads)
      inputs.push_back(buffer.kind == ClusterBuffer::Kind::Operand
                           ? launch.getInputs()[buffer.index]
                           : at(buffer));
    SmallVector<Type> types;
    for (const ClusterBuffer &buffer : kernel.writes)
      types.push_back(buffer.kind == ClusterBuffer::Kind::Result
                          ? launch.getResult(buffer.index).getType()
                          : Type(lowered.temporaries[buffer.index]));
    auto made = LaunchOp::create(
        builder, launch.getLoc(), types, launch.getKernelAttr(), inputs,
        describeKernel(launch, kernel, number == 0), builder.getArrayAttr({}),
        builder.getArrayAttr({}), builder.getI64IntegerAttr(flops[number]),
        describeOverwrites(kernel, inputs, types));
    for (auto [buffer, value] : llvm::zip(kernel.writes, made.getResults()))
      at(buffer) = value;
  }
  launch->replaceAllUsesWith(results);
  launch.erase();
}

/// Lowers clusters for each target CPU. No module is made if no cluster is for
/// a CPU.
FailureOr<ConvertClustersToLoops::Lowered>
ConvertClustersToLoops::lowerForAll(ModuleOp clusters,
                                    const LaunchedClusters &used) {
  if (llvm::none_of(clusters.getOps<func::FuncOp>(), [&](func::FuncOp cluster) {
        return used.isForCpu(cluster);
      }))
    return Lowered();
  if (targets.empty())
    return getOperation().emitError("expected at least one target, as in "
                                    "targets=x86-64-v3=256");
  Lowered first;
  llvm::StringSet<> named;
  for (auto [number, target] : llvm::enumerate(targets)) {
    if (StringRef name = StringRef(target).rsplit('=').first;
        !named.insert(name).second)
      return getOperation().emitError("target '") << name << "' is named twice";
    FailureOr<Lowered> lowered = lowerFor(target, number, clusters, used);
    if (failed(lowered))
      return failure();
    if (number == 0)
      first = *std::move(lowered);
    else if (!llvm::all_of(*lowered, [&](const auto &cluster) {
               return haveSamePlan(cluster.second, first[cluster.first()]);
             }))
      return getOperation().emitError(
          "generated kernels differ in more than code between target CPUs; "
          "compile for one of them");
  }
  return first;
}

/// Makes the first function of a cluster check the indices that `launch` lists.
/// Another thread may check an index after it was used. So no result may
/// overwrite the indices.
static void addChecks(LaunchOp launch, KernelFunction &kernel) {
  auto list = launch.getConfig().getAs<ArrayAttr>(indexChecksAttr);
  const auto numbers = llvm::map_to_vector(
      list.getAsValueRange<IntegerAttr>(),
      [](const llvm::APInt &number) { return number.getSExtValue(); });
  const std::vector<IndexCheck> checks = *parseIndexChecks(numbers, "");
  addIndexChecks(kernel.function, launch.getInputs().getTypes(), checks);
  for (const IndexCheck &check : checks)
    kernel.overwrittenBy[check.operand] = -1;
  if (kernel.function->hasAttr(kernelattrs::overwrittenBy))
    kernel.function->setAttr(kernelattrs::overwrittenBy,
                             Builder(kernel.function.getContext())
                                 .getDenseI64ArrayAttr(kernel.overwrittenBy));
}

/// Checks that all GPU launches of a cluster check the same indices, because
/// they run the same code.
static LogicalResult verifyChecks(const LaunchedClusters &used) {
  for (auto [launch, isGpu] : used.launches) {
    auto cluster = launch.getConfig().getAs<StringAttr>(attrs::cluster);
    if (isGpu && used.getOnGpu(cluster).getConfig().get(indexChecksAttr) !=
                     launch.getConfig().get(indexChecksAttr))
      return launch.emitOpError("expects the checks of indices of other "
                                "launches of its cluster; give it a cluster of "
                                "its own, as weir-lower-groups does");
  }
  return success();
}

/// Lowers clusters for GPUs. The functions for GPUs and for CPUs have different
/// names, because a cluster may have both.
FailureOr<ConvertClustersToLoops::Lowered>
ConvertClustersToLoops::lowerForGpu(ModuleOp clusters,
                                    const LaunchedClusters &used) {
  Lowered all;
  std::optional<ClusterToLoops> lowering;
  ModuleOp kernels;
  for (auto cluster : clusters.getOps<func::FuncOp>()) {
    LaunchOp launch = used.getOnGpu(cluster.getSymName());
    if (!launch)
      continue;
    if (!lowering) {
      lowering.emplace(&getContext(), LoopTarget{.isGpu = true});
      OpBuilder builder(clusters);
      kernels = ModuleOp::create(builder, clusters.getLoc(),
                                 (attrs::kernelsModule + Twine("gpu")).str());
      kernels->setAttr(
          kernelattrs::targetGpus,
          builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(gpus)));
      if (used.isEmulated)
        kernels->setAttr(kernelattrs::emulatesGpu, builder.getUnitAttr());
    }
    FailureOr<LoweredCluster> lowered = lowering->lower(cluster, kernels);
    if (failed(lowered))
      return cluster.emitOpError("cannot be lowered to loops for GPUs");
    if (launch.getConfig().contains(indexChecksAttr))
      addChecks(launch, lowered->functions.front());
    const std::string name = (cluster.getSymName() + ".gpu").str();
    for (auto [number, kernel] : llvm::enumerate(lowered->functions))
      kernel.function.setSymName(getKernelName(name, number));
    all[cluster.getSymName()] = std::move(*lowered);
  }
  return all;
}

static void keepLowerings(ModuleOp clusters,
                          const llvm::StringMap<LoweredCluster> &lowered) {
  for (auto cluster : clusters.getOps<func::FuncOp>())
    if (auto found = lowered.find(cluster.getSymName()); found != lowered.end())
      keepLowering(cluster, found->second);
}

void ConvertClustersToLoops::runOnOperation() {
  ModuleOp module = getOperation();
  auto clusters = module.lookupSymbol<ModuleOp>(attrs::clustersModule);
  if (!clusters)
    return;
  cache = openCache ? openCache() : nullptr;
  const LaunchedClusters used(module);
  if (failed(verifyChecks(used)))
    return signalPassFailure();
  FailureOr<Lowered> forCpu = lowerForAll(clusters, used);
  FailureOr<Lowered> forGpu = lowerForGpu(clusters, used);
  if (failed(forCpu) || failed(forGpu))
    return signalPassFailure();
  for (auto [launch, isGpu] : used.launches) {
    auto name = launch.getConfig().getAs<StringAttr>(attrs::cluster);
    replaceLaunch(launch, (isGpu ? *forGpu : *forCpu)[name.getValue()]);
  }
  if (keepClusters)
    keepLowerings(clusters, *forCpu);
  else if (!hasDeclarations)
    clusters.erase();
}

std::unique_ptr<Pass>
weir::createConvertClustersToLoops(ConvertClustersToLoopsOptions options,
                                   OpenCacheFn openCache) {
  return std::make_unique<ConvertClustersToLoops>(std::move(options),
                                                  std::move(openCache));
}
