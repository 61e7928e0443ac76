//===- VerifyPhase.cpp - Checks what must hold after a phase ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Support/HostTensor.h"

#include "mlir/IR/Verifier.h"

namespace weir {
#define GEN_PASS_DEF_VERIFYPHASE
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// Checks that `value` has a rank and an element type that are allowed, and a
/// known size that is small enough for offsets.
static LogicalResult checkSize(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto error = [&] {
    return emitError(value.getLoc(), "'") << getValueName(value) << "' ";
  };
  if (!type.hasStaticShape())
    return error() << "has no static shape";
  if (type.getRank() > maxTensorRank)
    return error() << "has " << type.getRank() << " dims; expected at most "
                   << maxTensorRank;
  std::optional<DType> dtype = toDType(type.getElementType());
  if (!dtype)
    return error() << "has element type " << type.getElementType()
                   << "; expected f32, f16, bf16, f64, i8, ui8, i16, ui16, "
                      "i32, ui32, i64, ui64 or i1";
  StatusOr<size_t> bytes = rowMajorBytes(*dtype, toDims(type));
  if (!bytes.isOk())
    return error() << "is too large: " << type << " has more than "
                   << maxTensorBytes << " bytes; make its dims smaller";
  return success();
}

static LogicalResult checkBound(func::FuncOp entry) {
  for (BlockArgument input : entry.getArguments())
    if (failed(checkSize(input)))
      return failure();
  WalkResult result = entry.walk([](Operation *op) -> WalkResult {
    for (Value value : op->getResults())
      if (failed(checkSize(value)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Warns of ops that probably do not compute what is meant, once for all plans
/// of an entry.
static void warnOfDoubts(ModuleOp module) {
  llvm::DenseSet<std::pair<Location, StringAttr>> given;
  module.walk([&](WeirOpInterface op) {
    const std::string doubt = op.getDoubt();
    if (!doubt.empty() &&
        given.insert({op->getLoc(), StringAttr::get(op.getContext(), doubt)})
            .second)
      op->emitWarning("'") << op->getName() << "' op " << doubt;
  });
}

static LogicalResult checkLifted(func::FuncOp entry) {
  WalkResult result = entry.walk([](Operation *op) -> WalkResult {
    if (isa<ReadOp, AssignOp>(op))
      return op->emitOpError("is left behind the phase 'lifted', which makes "
                             "parameters inputs and outputs; run "
                             "weir-phase-lifted first");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult checkGrouped(func::FuncOp entry) {
  for (Operation &op : entry.getBody().front())
    if (!isa<GroupOp, ConstantOp, KeepOp, func::ReturnOp>(op))
      return op.emitOpError(
          "is outside of a group; run weir-phase-grouped first");
  return success();
}

static LogicalResult checkPlaced(func::FuncOp entry, const Topology &devices) {
  for (auto group : entry.getOps<GroupOp>()) {
    StringAttr device = group.getDeviceAttr();
    StatusOr<DeviceName> name =
        parseDeviceName(device ? std::string_view(device.getValue()) : "");
    if (!name.isOk() || !devices.indexOf(*name))
      return group.emitOpError(
          "is on no device of the list; run weir-phase-placed first");
  }
  return success();
}

static LogicalResult checkPartitioned(func::FuncOp entry) {
  for (auto group : entry.getOps<GroupOp>())
    for (Value input : group.getInputs())
      if (StringAttr home = getDeviceOf(input);
          home && home != group.getDeviceAttr())
        return group.emitOpError("reads a value that is on ")
               << home << "; run weir-phase-partitioned first";
  Operation *exit = entry.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(exit->getOperands())) {
    StringAttr space = getOutputSpace(entry, static_cast<unsigned>(i));
    if (StringAttr home = getDeviceOf(value); space && home && home != space)
      return entry.emitError("output ")
             << i << " lies in the memory of " << space
             << ", but its value is on " << home;
  }
  return success();
}

static LogicalResult checkLowered(func::FuncOp entry) {
  for (auto group : entry.getOps<GroupOp>()) {
    for (Operation &op : group.getBlock())
      if (!isa<LaunchOp, ViewOp, JoinOp, YieldOp, ConstantOp>(op))
        return op.emitOpError(
            "was not lowered to a kernel; run weir-phase-lowered first");
    StatusOr<DeviceName> device =
        parseDeviceName(group.getDevice().value_or(""));
    if (!device.isOk())
      return group.emitOpError(StringRef(device.status().message()));
    for (Operation &op : group.getBlock()) {
      auto launch = dyn_cast<LaunchOp>(op);
      std::string reason = launch ? whyKernelRefuses(launch, device->kind) : "";
      if (!reason.empty())
        return launch.emitOpError("was lowered to what cannot be loaded: ")
               << reason;
    }
  }
  return success();
}

namespace {
class VerifyPhase : public weir::impl::VerifyPhaseBase<VerifyPhase> {
public:
  using VerifyPhaseBase::VerifyPhaseBase;

  void runOnOperation() override {
    // In later phases, invalid IR is a bug in a pass and not in the graph.
    if ((phase == "bound" && failed(verify(getOperation()))) ||
        failed(findDevices()) ||
        failed(forEachEntry(getOperation(),
                            [&](func::FuncOp entry) { return check(entry); })))
      signalPassFailure();
    else if (phase == "bound")
      warnOfDoubts(getOperation());
  }

private:
  /// Finds the devices of the module, once for all entries.
  LogicalResult findDevices() {
    if (phase != "placed")
      return success();
    FailureOr<Topology> found = getDevices(getOperation());
    if (failed(found))
      return failure();
    devices = *std::move(found);
    return success();
  }

  LogicalResult check(func::FuncOp entry) {
    if (phase == "placed")
      return checkPlaced(entry, devices);
    using Check = LogicalResult (*)(func::FuncOp);
    constexpr std::pair<StringLiteral, Check> checks[] = {
        {"bound", checkBound},
        {"lifted", checkLifted},
        {"grouped", checkGrouped},
        {"partitioned", checkPartitioned},
        {"lowered", checkLowered}};
    for (auto &[name, function] : checks)
      if (name == phase)
        return function(entry);
    return entry.emitError("unknown phase '")
           << phase
           << "'; expected bound, lifted, grouped, placed, partitioned or "
              "lowered";
  }

  /// The devices for the checks of phase `placed`.
  Topology devices;
};
} // namespace
