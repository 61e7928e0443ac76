//===- FuseAttention.cpp - Makes attention one launch -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The groups of an attention are formed and placed one by one, like all other
// groups. If all of them are on one device whose plug-in has a kernel for
// attention, the last group takes over the others. So the formation of groups
// does not depend on devices, and nothing changes on the CPU.
//
//===----------------------------------------------------------------------===//

#include "AttentionPattern.h"
#include "GroupBodies.h"

#include "weir/Dialect/Weir/IR/BuildMoves.h"
#include "weir/Dialect/Weir/IR/ValueOrigins.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/TensorNames.h"
#include "weir/Support/ShapeLimits.h"

#include "mlir/Dialect/Traits.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>

namespace weir {
#define GEN_PASS_DEF_FUSEATTENTION
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class FuseAttention : public weir::impl::FuseAttentionBase<FuseAttention> {
public:
  using FuseAttentionBase::FuseAttentionBase;

  void runOnOperation() override {
    FailureOr<Topology> devices = getDevices(getOperation());
    if (failed(devices))
      return signalPassFailure();
    auto visit = [&](func::FuncOp entry) {
      for (const DeviceDesc &device : devices->devices)
        if (!device.name.kind->rows.empty())
          fuseIn(entry, device);
      return success();
    };
    if (failed(forEachEntry(getOperation(), visit)))
      signalPassFailure();
  }

private:
  static void fuseIn(func::FuncOp entry, const DeviceDesc &device);
};

/// The identity of a mask: the values from which it is made. The layers of a
/// network share equal masks.
using MaskKey = std::tuple<const void *, const void *, const void *, unsigned>;
using KnownMasks = std::map<MaskKey, Value>;

/// Fuses one attention into one launch.
class Fusion {
public:
  Fusion(Attention &attention, const KernelRow &row, KnownMasks &masks)
      : attention(attention), row(row), masks(masks),
        group(groupOf(attention.product)), builder(group) {}

  /// Fuses the ops if the kernel of `kind` accepts them.
  void fuse(DeviceKind kind);

private:
  static GroupOp groupOf(Operation *op) {
    return op->getParentOfType<GroupOp>();
  }
  GroupOp makeGroup(Location location, ValueRange inputs, Type result);
  Value transposed(const ScaledTranspose &from, Location location);
  Value findQueries();
  Value findKeys();
  Value exported(Value value);
  Value findMask();
  Value chooseMask(Value condition, Value added, Value low);
  Location locate();
  DictionaryAttr makeConfig();
  int64_t countFlops();
  LaunchOp launch(ValueRange inputs);
  void replaceProduct(ValueRange inputs);
  void eraseDead();

  Attention &attention;
  const KernelRow &row;
  KnownMasks &masks;
  /// The key under which the mask is remembered once the ops are fused. Absent
  /// if the mask is not new.
  std::optional<MaskKey> newMask;
  /// The group of the last product, which takes over the other groups.
  GroupOp group;
  OpBuilder builder;
  /// Groups that may have no readers at the end, whether the ops are fused or
  /// not. A group comes before the groups that it reads.
  SmallVector<GroupOp> perhapsDead;
  /// The values of bodies that became results of groups for the mask.
  SmallVector<Value> newResults;
};
} // namespace

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Makes `group` return only `values`, which include all results that are read.
/// Returns the group that replaces it.
static GroupOp yieldOnly(GroupOp group, ArrayRef<Value> values) {
  OpBuilder builder(group);
  auto made = GroupOp::create(builder, group.getLoc(),
                              ValueRange(values).getTypes(), group.getInputs(),
                              group.getDeviceAttr(), group.getStageAttr());
  made->setAttrs(group->getAttrDictionary());
  for (OpResult result : group->getResults())
    if (const auto *at = llvm::find(values, getInside(result));
        at != values.end())
      result.replaceAllUsesWith(made->getResult(at - values.begin()));
  group.getBlock().getTerminator()->setOperands(values);
  made.getBody().takeBody(group.getBody());
  group->erase();
  return made;
}

/// Removes ops and results of `group` that nothing reads, and the group itself
/// if nothing is left.
static void prune(GroupOp group) {
  SmallVector<Value> read;
  for (OpResult result : group->getResults())
    if (!result.use_empty())
      read.push_back(getInside(result));
  if (read.empty())
    return group->erase();
  if (read.size() < group->getNumResults())
    group = yieldOnly(group, read);
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(group.getBlock())))
    if (!isa<YieldOp>(op) && op.use_empty())
      op.erase();
  dropUnusedInputs(group);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Makes a group before the last one, with an argument for each of `inputs`.
GroupOp Fusion::makeGroup(Location location, ValueRange inputs, Type result) {
  auto made = GroupOp::create(builder, location, TypeRange(result), inputs,
                              group.getDeviceAttr(), group.getStageAttr());
  Block *block = new Block();
  made.getBody().push_back(block);
  for (Value input : inputs)
    block->addArgument(input.getType(), input.getLoc());
  perhapsDead.push_back(made);
  return made;
}

static void yield(GroupOp group, Value result) {
  OpBuilder inside = OpBuilder::atBlockEnd(&group.getBlock());
  YieldOp::create(inside, group.getLoc(), ValueRange(result));
  group->getResult(0).setType(result.getType());
}

/// A value with the dims of `from.base` in the order `from.order`: the base
/// itself, or the result of a new group.
Value Fusion::transposed(const ScaledTranspose &from, Location location) {
  if (llvm::is_sorted(from.order))
    return from.base;
  GroupOp made = makeGroup(location, from.base, from.base.getType());
  OpBuilder inside = OpBuilder::atBlockEnd(&made.getBlock());
  yield(made, makeTranspose(inside, location, made.getBlock().getArgument(0),
                            from.order));
  return made->getResult(0);
}

/// The queries, without a factor that their own group may apply.
Value Fusion::findQueries() {
  Value queries = getOutside(attention.scores->getOperand(0));
  ScaledTranspose from = findScaledTranspose(queries);
  if (from.scale == 1)
    return queries;
  attention.scale *= from.scale;
  perhapsDead.append(from.groups.begin(), from.groups.end());
  return transposed(from, asStepOf(queries.getLoc()));
}

/// The keys as rows, without a factor that their own group may apply. The
/// product reads the keys transposed.
Value Fusion::findKeys() {
  Value keys = getOutside(attention.scores->getOperand(1));
  ScaledTranspose from = findScaledTranspose(keys);
  attention.scale *= from.scale;
  std::swap(from.order.end()[-1], from.order.end()[-2]);
  perhapsDead.append(from.groups.begin(), from.groups.end());
  return transposed(from, asStepOf(keys.getLoc()));
}

/// Makes `value` available outside of groups: a value of a body becomes a
/// result of its group.
Value Fusion::exported(Value value) {
  auto owner = dyn_cast<GroupOp>(value.getParentBlock()->getParentOp());
  if (!owner)
    return value;
  SmallVector<Value> values;
  for (OpResult result : owner->getResults()) {
    if (getInside(result) == value)
      return result;
    values.push_back(getInside(result));
  }
  values.push_back(value);
  newResults.push_back(value);
  return yieldOnly(owner, values)->getResults().back();
}

/// Makes a group that computes the mask, which is added to the scores. The mask
/// is `added` where scores stay, and the low number where the choice replaces
/// them.
Value Fusion::chooseMask(Value condition, Value added, Value low) {
  SmallVector<int64_t> shape;
  [[maybe_unused]] const bool fits = OpTrait::util::getBroadcastedShape(
      getTensorType(condition).getShape(), getTensorType(added).getShape(),
      shape);
  assert(fits && "both are repeated along the scores");
  Type type = makeTensorType(shape, getTensorType(low).getElementType());
  GroupOp made = makeGroup(asStepOf(attention.choice->getLoc()),
                           {condition, added, low}, type);
  Block &block = made.getBlock();
  OpBuilder inside = OpBuilder::atBlockEnd(&block);
  Operation *choice = inside.clone(*attention.choice);
  choice->setLoc(made.getLoc());
  choice->setOperand(0, block.getArgument(0));
  choice->setOperand(attention.chosen, block.getArgument(1));
  choice->setOperand(3 - attention.chosen, block.getArgument(2));
  choice->getResult(0).setType(type);
  yield(made, choice->getResult(0));
  return made->getResult(0);
}

/// The mask that is added to the scores, or null.
Value Fusion::findMask() {
  Value added = attention.bias ? exported(attention.bias) : Value();
  if (!attention.choice)
    return added;
  Value low = getOutside(attention.choice->getOperand(3 - attention.chosen));
  // Ops stay in memory while their groups are replaced, so the results of ops
  // identify values.
  auto identify = [](Value value) {
    return value ? getOrigin(value).getAsOpaquePointer() : nullptr;
  };
  const MaskKey key(identify(attention.condition), identify(added),
                    identify(low), attention.chosen);
  if (auto known = masks.find(key); known != masks.end())
    return known->second;
  newMask = key;
  if (!added) {
    auto type = makeTensorType({}, getTensorType(low).getElementType());
    added = ConstantOp::create(
        builder, asStepOf(attention.choice->getLoc()),
        DenseElementsAttr::get(type,
                               builder.getZeroAttr(type.getElementType())));
  }
  return chooseMask(exported(attention.condition), added, low);
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

DictionaryAttr Fusion::makeConfig() {
  NamedAttrList config;
  config.set("scale", builder.getF64FloatAttr(attention.scale));
  if (attention.causal == CausalMask::TopLeft)
    config.set("causal", builder.getStringAttr("top_left"));
  if (attention.causal == CausalMask::BottomRight)
    config.set("causal", builder.getStringAttr("bottom_right"));
  return config.getDictionary(builder.getContext());
}

int64_t Fusion::countFlops() {
  int64_t flops = saturatingAdd(getCost(attention.scores).flops,
                                getCost(attention.product).flops);
  for (WeirOpInterface op : attention.between)
    flops = saturatingAdd(flops, getCost(op).flops);
  return flops;
}

/// The names of all ops that are now part of the launch. The first one becomes
/// the name of the launch, and the last one becomes the name of its result.
Location Fusion::locate() {
  SmallVector<Location> parts = {attention.scores->getLoc()};
  for (GroupOp each : perhapsDead)
    if (each->hasOneUse())
      for (auto op : each.getBlock().getOps<WeirOpInterface>())
        parts.push_back(op->getLoc());
  for (WeirOpInterface op : llvm::reverse(attention.between))
    parts.push_back(op->getLoc());
  parts.push_back(attention.product->getLoc());
  return FusedLoc::get(builder.getContext(), parts);
}

LaunchOp Fusion::launch(ValueRange inputs) {
  return LaunchOp::create(
      builder, locate(), attention.product->getResultTypes(),
      builder.getStringAttr(row.kernel), inputs, makeConfig(),
      /*post_ops=*/builder.getArrayAttr({}),
      /*copies=*/builder.getArrayAttr({}),
      builder.getI64IntegerAttr(countFlops()), /*overwritten_by=*/nullptr);
}

/// Replaces the last product by a launch that reads `inputs`. The inputs become
/// operands of the group.
void Fusion::replaceProduct(ValueRange inputs) {
  Block &block = group.getBlock();
  SmallVector<Value> arguments;
  for (Value input : inputs) {
    group.getInputsMutable().append(input);
    arguments.push_back(block.addArgument(input.getType(), input.getLoc()));
  }
  builder.setInsertionPoint(attention.product);
  LaunchOp made = launch(arguments);
  attention.product->replaceAllUsesWith(made);
  attention.product->erase();
  dropUnusedInputs(group);
}

void Fusion::eraseDead() {
  // A group may be in the list twice, because queries and keys may come from
  // the same group.
  llvm::SmallPtrSet<Operation *, 4> erased;
  for (GroupOp dead : perhapsDead)
    if (!erased.contains(dead) && dead->use_empty()) {
      erased.insert(dead);
      dead->erase();
    }
}

/// Why the product of several factors cannot replace them; empty if it can.
static std::string whyFactorRefuses(double factor) {
  const auto single = static_cast<float>(factor);
  return std::isnormal(single)
             ? std::string()
             : fmt::format("its factors come to {:g}, which is no normal "
                           "number of f32",
                           factor);
}

void Fusion::fuse(DeviceKind kind) {
  SmallVector<Value> inputs = {findQueries(), findKeys(),
                               getOutside(attention.product->getOperand(1))};
  if (Value mask = findMask())
    inputs.push_back(mask);
  std::string refusal = whyFactorRefuses(attention.scale);
  if (refusal.empty()) {
    LaunchOp tried = launch(inputs);
    refusal = whyKernelRefuses(tried, kind);
    tried->erase();
  }
  if (refusal.empty()) {
    llvm::SetVector<Operation *> fused;
    for (WeirOpInterface op : attention.between)
      fused.insert(groupOf(op));
    fused.insert(groupOf(attention.scores));
    if (newMask)
      masks[*newMask] = inputs.back();
    replaceProduct(inputs);
    for (Operation *each : fused)
      prune(cast<GroupOp>(each));
  } else {
    noteApart(attention.softmax, refusal);
  }
  eraseDead();
  if (!refusal.empty())
    for (Value value : newResults)
      prune(groupOf(value.getDefiningOp()));
}

/// Fuses the attentions on `device`.
void FuseAttention::fuseIn(func::FuncOp entry, const DeviceDesc &device) {
  KnownMasks masks;
  for (auto group : llvm::make_early_inc_range(entry.getOps<GroupOp>())) {
    auto product = dyn_cast<WeirOpInterface>(&group.getBlock().front());
    if (!product || group.getDevice() != StringRef(device.name.toString()))
      continue;
    const KernelRow *row = findAttentionRow(product, device);
    std::optional<Attention> found =
        row ? findAttention(product) : std::nullopt;
    if (!found)
      continue;
    if (found->refusal.empty())
      Fusion(*found, *row, masks).fuse(device.name.kind);
    else
      noteApart(found->softmax,
                "kernel '" + row->kernel + "': " + found->refusal);
  }
}
