//===- ViewTransposes.cpp - Transposes that move no bytes -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A kernel that can read a transposed matrix can read the operand of a
// transpose in front of it. A kernel that can write rows at any distance can
// write the result of a transpose behind it. In both cases, the transpose need
// not move bytes. On CPUs, this would change which bits a kernel computes on
// which processor. So only kernels of plug-ins are asked, and only if their
// device kinds say that they look at strides (DeviceKindInfo::takesStrides).
//
//===----------------------------------------------------------------------===//

#include "../Layouts/ChangedDims.h"
#include "weir/Dialect/Weir/IR/ValueOrigins.h"
#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/MeaningMap.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

namespace weir {
#define GEN_PASS_DEF_VIEWTRANSPOSES
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
/// A change of the types of several values. Unless the change is kept, the
/// destructor restores the old types.
class Retyping {
public:
  ~Retyping() {
    for (auto [value, type] : llvm::reverse(before))
      value.setType(type);
  }
  void set(Value value, Type type) {
    before.emplace_back(value, value.getType());
    value.setType(type);
  }
  void keep() { before.clear(); }

private:
  SmallVector<std::pair<Value, Type>> before;
};

class ViewTransposes : public weir::impl::ViewTransposesBase<ViewTransposes> {
public:
  using ViewTransposesBase::ViewTransposesBase;

  void runOnOperation() override {
    FailureOr<Topology> devices = getDevices(getOperation());
    if (failed(devices))
      return signalPassFailure();
    KernelChooser kernels(/*allowReference=*/false);
    auto visit = [&](func::FuncOp entry) {
      for (auto group : entry.getOps<GroupOp>())
        for (const DeviceDesc &device : devices->devices)
          if (device.name.kind->takesStrides &&
              group.getDevice() == StringRef(device.name.toString()))
            viewTranspose(group, device, kernels);
      return success();
    };
    if (failed(forEachEntry(getOperation(), visit)))
      signalPassFailure();
  }

private:
  static void viewTranspose(GroupOp group, const DeviceDesc &device,
                            KernelChooser &kernels);
};
} // namespace

/// `type` with its dims in the memory order `order`.
static RankedTensorType withOrder(RankedTensorType type,
                                  ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return withoutLayout(type);
  return type.cloneWithEncoding(LayoutAttr::get(type.getContext(), order));
}

static SmallVector<int64_t> getPermutation(TransposeOp transpose) {
  SmallVector<int64_t> perm;
  for (auto dim : transpose.getPerm().getAsRange<IntegerAttr>())
    perm.push_back(dim.getInt());
  return perm;
}

/// The result type with which `transpose` moves no bytes.
static RankedTensorType getViewedResult(TransposeOp transpose) {
  SmallVector<int64_t> perm = getPermutation(transpose), order;
  for (int64_t dim : getMemoryOrder(transpose->getOperand(0)))
    order.push_back(llvm::find(perm, dim) - perm.begin());
  return withOrder(getTensorType(transpose->getResult(0)), order);
}

/// The operand type with which `transpose` moves no bytes.
static RankedTensorType getViewedOperand(TransposeOp transpose) {
  SmallVector<int64_t> perm = getPermutation(transpose), order;
  for (int64_t dim : getMemoryOrder(transpose->getResult(0)))
    order.push_back(perm[dim]);
  return withOrder(getTensorType(transpose->getOperand(0)), order);
}

/// Whether `op` is a contraction, or a launch of several ops, that a library
/// kernel computes.
static bool isContracted(Operation *op, const DeviceDesc &device,
                         KernelChooser &kernels) {
  if (auto launch = dyn_cast<LaunchOp>(op))
    return whyKernelRefuses(launch, device.name.kind).empty();
  auto weirOp = dyn_cast<WeirOpInterface>(op);
  return weirOp && isContraction(weirOp) &&
         kernels.choose(weirOp, device).kind == KernelChoice::Kind::Library;
}

/// Makes all readers of `transpose`, the only op of its group, read its operand
/// directly. The readers must be contractions on the same device.
static bool viewForReaders(GroupOp group, TransposeOp transpose,
                           const DeviceDesc &device, KernelChooser &kernels) {
  Value result = group.getResult(0);
  RankedTensorType type = getViewedResult(transpose);
  Retyping types;
  types.set(transpose->getResult(0), type);
  types.set(result, type);
  for (OpOperand &use : result.getUses()) {
    auto reader = dyn_cast<GroupOp>(use.getOwner());
    if (!reader || reader.getDeviceAttr() != group.getDeviceAttr())
      return false;
    types.set(reader.getBlock().getArgument(use.getOperandNumber()), type);
  }
  for (OpOperand &use : result.getUses()) {
    Block &block = cast<GroupOp>(use.getOwner()).getBlock();
    for (Operation *user : block.getArgument(use.getOperandNumber()).getUsers())
      if (!isContracted(user, device, kernels))
        return false;
  }
  types.keep();
  return true;
}

/// Makes the contraction before `transpose`, the only op of its group, write
/// its result in the order that the transpose would give it.
static void viewForProducer(TransposeOp transpose, Value input,
                            const DeviceDesc &device, KernelChooser &kernels) {
  auto producer = input.getDefiningOp<GroupOp>();
  if (!producer || !input.hasOneUse() || producer->getNumResults() != 1 ||
      producer.getDevice() != StringRef(device.name.toString()))
    return;
  auto ops = producer.getBlock().without_terminator();
  if (!llvm::hasSingleElement(ops))
    return;
  Operation *op = &*ops.begin();
  RankedTensorType type = getViewedOperand(transpose);
  Retyping types;
  types.set(op->getResult(0), type);
  types.set(input, type);
  types.set(transpose->getOperand(0), type);
  if (isContracted(op, device, kernels))
    types.keep();
}

void ViewTransposes::viewTranspose(GroupOp group, const DeviceDesc &device,
                                   KernelChooser &kernels) {
  auto ops = group.getBlock().getOps<WeirOpInterface>();
  auto transpose =
      ops.empty() ? TransposeOp() : dyn_cast<TransposeOp>(**ops.begin());
  Value input = transpose ? getOutside(transpose->getOperand(0)) : Value();
  if (!input || group->getNumResults() != 1 ||
      !transpose->getOperand(0).hasOneUse() || isView(transpose))
    return;
  bool isAlone = llvm::hasSingleElement(ops);
  if (isAlone && viewForReaders(group, transpose, device, kernels))
    return;
  if (llvm::all_of(llvm::drop_begin(ops), isView))
    viewForProducer(transpose, input, device, kernels);
}
