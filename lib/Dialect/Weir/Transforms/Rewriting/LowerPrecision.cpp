//===- LowerPrecision.cpp - Computes in 16 bits what is faster in them ----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PrecisionPlan.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

#include <fmt/format.h>
#include <optional>

namespace weir {
#define GEN_PASS_DEF_LOWERPRECISION
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
/// The values of an entry in f32 and in the type of 16 bits. When a value is
/// first needed in the other type, a cast is inserted after the op that
/// computes it.
class BothPrecisions {
public:
  explicit BothPrecisions(const PrecisionPlan &plan) : plan(plan) {}

  /// `value` with elements of type `type`.
  Value get(Value value, Type type);
  /// The number of casts in each run.
  int64_t getNumCasts() const { return numCasts; }

private:
  const PrecisionPlan &plan;
  llvm::DenseMap<Value, Value> casts;
  int64_t numCasts = 0;
};

/// The devices of a module that compute in f16. On other devices, f16 would be
/// slower than f32.
class HalfDevices {
public:
  explicit HalfDevices(const Topology &topology) {
    for (const DeviceDesc &device : topology.devices) {
      const std::string name = device.name.toString();
      if (computesIn(device, "f16"))
        names.insert(name);
      if (first.empty() && device.name.kind->computes)
        first = name;
    }
  }

  /// A function that says why an op's device does not compute in f16; empty if
  /// the device does. If anything in the entry is annotated with a device, the
  /// function accepts all ops without annotation. Otherwise these ops count as
  /// ops of the first device.
  WhyNotNarrowFn reasonsIn(func::FuncOp entry) const {
    const std::string other = isPlaced(entry) ? "" : first;
    return [this, other](Operation *op) -> std::string {
      auto weirOp = cast<WeirOpInterface>(op);
      const StringAttr device = weirOp.getDeviceAttr();
      const std::string name = device ? device.str() : other;
      return name.empty() || names.contains(name)
                 ? ""
                 : name + " has no kernels for f16";
    };
  }

private:
  /// Whether anything in `entry` is annotated with a device.
  static bool isPlaced(func::FuncOp entry) {
    const auto isInSpace = [](DictionaryAttr port) {
      return port && port.contains(attrs::space);
    };
    SmallVector<DictionaryAttr> ports, outputs;
    entry.getAllArgAttrs(ports);
    entry.getAllResultAttrs(outputs);
    ports.append(outputs);
    return llvm::any_of(ports, isInSpace) ||
           llvm::any_of(entry.getOps<WeirOpInterface>(),
                        [](WeirOpInterface op) { return op.getDeviceAttr(); });
  }

  llvm::StringSet<> names;
  std::string first;
};

class LowerPrecision : public weir::impl::LowerPrecisionBase<LowerPrecision> {
public:
  using LowerPrecisionBase::LowerPrecisionBase;

  void runOnOperation() override {
    if (type != "bf16" && type != "f16") {
      emitError(UnknownLoc::get(&getContext()), "weir-lower-precision: there ")
          << "is no type '" << type << "'; expected bf16 or f16";
      return signalPassFailure();
    }
    narrow = type == "f16" ? DType::F16 : DType::BF16;
    std::optional<HalfDevices> halfDevices;
    if (narrow == DType::F16) {
      FailureOr<Topology> devices = getDevices(getOperation());
      if (failed(devices))
        return signalPassFailure();
      halfDevices.emplace(*devices);
    }
    const ParameterFacts facts(getOperation());
    numNarrow = numCasts = 0;
    kept.clear();
    auto lower = [&](func::FuncOp entry) -> LogicalResult {
      if (failed(checkSizesKnown(entry)))
        return failure();
      PrecisionPlan plan(
          entry, facts, narrow,
          halfDevices ? halfDevices->reasonsIn(entry)
                      : [](Operation *) { return std::string(); });
      numCasts += rewrite(entry, plan);
      count(entry, plan);
      return success();
    };
    if (failed(forEachEntry(getOperation(), lower)))
      return signalPassFailure();
    report();
  }

private:
  int64_t rewrite(func::FuncOp entry, const PrecisionPlan &plan);
  void count(func::FuncOp entry, const PrecisionPlan &plan);
  void report();

  DType narrow = DType::BF16;
  /// The number of ops in 16 bits in all entries, and the number of casts if
  /// each entry runs once.
  int64_t numNarrow = 0, numCasts = 0;
  /// The reasons why ops that could be in 16 bits are in f32, by the names of
  /// the ops in reports.
  llvm::MapVector<StringAttr, Attribute> kept;
};
} // namespace

Value BothPrecisions::get(Value value, Type type) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from.getElementType() == type)
    return value;
  Value &made = casts[value];
  if (made)
    return made;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  std::string name =
      fmt::format("{}_{}", getValueName(value).str(), toString(*toDType(type)));
  NamedAttribute to = builder.getNamedAttr("to", TypeAttr::get(type));
  auto cast = CastOp::create(
      builder, NameLoc::get(builder.getStringAttr(name), value.getLoc()),
      TypeRange(makeTensorType(from.getShape(), type)), ValueRange(value), to);
  numCasts += !plan.isDerivable(value);
  return made = cast.getResult();
}

/// Whether `op` only observes a tensor. Such an op accepts any type.
static bool isOnlooker(Operation &op) {
  return op.getNumResults() == 0 && !op.hasTrait<OpTrait::IsTerminator>();
}

/// Gives results and operands the types of the plan. Returns the number of
/// casts in each run.
int64_t LowerPrecision::rewrite(func::FuncOp entry, const PrecisionPlan &plan) {
  Block &block = entry.getBody().front();
  Type wide = Float32Type::get(&getContext());
  Type narrow = this->narrow == DType::F16
                    ? Type(Float16Type::get(&getContext()))
                    : Type(BFloat16Type::get(&getContext()));
  // All wanted types are collected first, while operands still have type f32.
  SmallVector<std::pair<OpOperand *, Type>> wanted;
  for (Operation &op : block) {
    if (isOnlooker(op))
      continue;
    bool isNarrow = plan.get(&op) == OpPrecision::Narrow;
    for (OpOperand &operand : op.getOpOperands())
      if (isF32(operand.get()))
        wanted.emplace_back(&operand,
                            isNarrow && getOperandPrecision(operand) ==
                                            OperandPrecision::AsResult
                                ? narrow
                                : wide);
  }
  for (Operation &op : block)
    if (plan.get(&op) == OpPrecision::Narrow)
      for (OpResult result :
           llvm::make_filter_range(op.getResults(), hasOpPrecision))
        result.setType(makeTensorType(
            cast<RankedTensorType>(result.getType()).getShape(), narrow));
  BothPrecisions values(plan);
  for (auto [operand, type] : wanted)
    operand->set(values.get(operand->get(), type));
  return values.getNumCasts();
}

void LowerPrecision::count(func::FuncOp entry, const PrecisionPlan &plan) {
  Builder builder(&getContext());
  const std::string prefix = getReportPrefix(entry);
  for (auto op : entry.getOps<WeirOpInterface>()) {
    numNarrow += plan.get(op) == OpPrecision::Narrow;
    if (std::string reason = plan.whyNot(op); !reason.empty())
      kept[builder.getStringAttr(prefix + weir::getOpName(op).str())] =
          builder.getStringAttr(reason);
  }
}

/// Records on the module which ops are in 16 bits and which are not.
void LowerPrecision::report() {
  Builder builder(&getContext());
  SmallVector<NamedAttribute> reasons;
  for (auto [name, reason] : kept)
    reasons.emplace_back(name, reason);
  getOperation()->setAttr(
      attrs::precision,
      builder.getDictionaryAttr(
          {builder.getNamedAttr(
               "type", builder.getStringAttr(StringRef(toString(narrow)))),
           builder.getNamedAttr("ops", builder.getI64IntegerAttr(numNarrow)),
           builder.getNamedAttr("casts", builder.getI64IntegerAttr(numCasts)),
           builder.getNamedAttr("kept", builder.getDictionaryAttr(reasons))}));
}
