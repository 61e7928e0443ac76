//===- AssignLayouts.cpp - Chooses each tensor's order of dims in memory --===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ChangedDims.h"
#include "RelayWeights.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/DimRelations.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringMap.h"

#include <fmt/format.h>

namespace weir {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// The layout with the dims in the order batch, spatial dims, channels.
static LayoutAttr getChannelsLast(RankedTensorType type) {
  SmallVector<int64_t> order = {0};
  llvm::append_range(order, llvm::seq<int64_t>(2, type.getRank()));
  order.push_back(1);
  return LayoutAttr::get(type.getContext(), order);
}

/// The layout with `order`; null for row-major.
static LayoutAttr toLayout(MLIRContext *context, ArrayRef<int64_t> order) {
  if (llvm::equal(order, llvm::seq<int64_t>(0, order.size())))
    return {};
  return LayoutAttr::get(context, order);
}

static LayoutAttr getLayout(Value value) {
  return dyn_cast_or_null<LayoutAttr>(
      cast<RankedTensorType>(value.getType()).getEncoding());
}

/// Whether each result element depends on elements at its own position along
/// every dim, up to an offset and a step. This holds for slices, pads and
/// repetition.
static bool movesAlongDims(WeirOpInterface op) {
  const OpRecord &record = op.getOpRecord();
  if (!record.isLeaf() || !record.movesElements() || op->getNumOperands() != 1)
    return false;
  if (getTensorType(op->getOperand(0)).getRank() !=
      getTensorType(op->getResult(0)).getRank())
    return false;
  return llvm::all_of(splitAtDims(op, 0), [](const analysis::DimFactor &each) {
    return each.factor.kind != analysis::Factor::Kind::Opaque &&
           (!each.factor.isLinked() || each.operandDim == each.resultDim);
  });
}

/// Whether `op` keeps the order of dims, so that its operands and results can
/// have any common layout.
static bool keepsDims(WeirOpInterface op) {
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  auto hasRank = [&](Type type) {
    return cast<RankedTensorType>(type).getRank() == rank;
  };
  if (!op.getCopies().empty())
    return llvm::all_of(op->getOperandTypes(), hasRank) &&
           llvm::all_of(op->getResultTypes(), hasRank);
  return movesAlongDims(op);
}

/// Whether generated code makes `value` from smaller tensors, for example by
/// repetition, for one reader. Such a value can be written in any layout.
static bool isRepetition(Value value) {
  auto op = value.getDefiningOp<WeirOpInterface>();
  if (!op || !value.hasOneUse() || !op.getOpRecord().getFill().empty())
    return false;
  const OpRecord &record = op.getOpRecord();
  const bool isMove = record.movesElements() && op->getNumOperands() == 1;
  const bool isGenerated = record.isLeaf() && record.getKernels().empty() &&
                           record.getLayoutRole() == LayoutRole::Free;
  return (isMove || isGenerated) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           RankedTensorType type = getTensorType(operand);
           return !type.getEncoding() &&
                  type.getNumElements() < getTensorType(value).getNumElements();
         });
}

/// Whether operand `number` is an image like operand 0: its batch and channels
/// are the same, and its spatial dims may differ.
static bool isLikeFirst(const OpRecord &record, unsigned number) {
  if (!record.hasIndexSpec())
    return false;
  const std::vector<IndexSpec::Term> &terms =
      record.getIndexSpec().operandTerms();
  return number < terms.size() &&
         llvm::equal(terms[0].dims, terms[number].dims,
                     [](const IndexSpec::Dim &a, const IndexSpec::Dim &b) {
                       return a.isRepeated() ? b.isRepeated() : a == b;
                     }) &&
         llvm::any_of(terms[0].dims, [](const IndexSpec::Dim &dim) {
           return dim.isRepeated();
         });
}

/// Whether `value` is a cast of an input and has one reader. The op that casts
/// can then also change the layout.
static bool isConvertedInput(Value value) {
  auto op = value.getDefiningOp<WeirOpInterface>();
  return op && value.hasOneUse() && op.getOpRecord().movesElements() &&
         op.getOpRecord().isPointwise() &&
         isa<BlockArgument>(op->getOperand(0)) &&
         getElementTypeOrSelf(op->getOperand(0)) != getElementTypeOrSelf(value);
}

namespace {
class AssignLayouts : public weir::impl::AssignLayoutsBase<AssignLayouts> {
public:
  using AssignLayoutsBase::AssignLayoutsBase;

  void runOnOperation() override {
    const ParameterFacts facts(getOperation());
    auto assign = [&](func::FuncOp entry) -> LogicalResult {
      if (failed(checkSizesKnown(entry)))
        return failure();
      assignAll(entry, facts);
      return success();
    };
    if (failed(forEachEntry(getOperation(), assign)))
      signalPassFailure();
  }

private:
  void assignAll(func::FuncOp entry, const ParameterFacts &facts) {
    relayouts.clear();
    numRelayouts.clear();
    for (Operation &op : llvm::make_early_inc_range(entry.getBody().front())) {
      // A weir.keep accepts any layout, so that keeping a tensor changes no
      // layout.
      if (isa<KeepOp>(op))
        continue;
      auto weirOp = dyn_cast<WeirOpInterface>(op);
      if (weirOp && keepsOperand(weirOp))
        continue;
      assign(&op, weirOp ? wantedLayout(weirOp) : LayoutAttr());
    }
    DerivableValues derivable(entry, facts);
    for (auto op : llvm::make_early_inc_range(
             entry.getBody().front().getOps<RelayoutOp>()))
      relayWeight(op, derivable);
  }

  /// The layout that `op` should give its result; null for row-major.
  LayoutAttr wantedLayout(WeirOpInterface op) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    bool keeps = keepsDims(op);
    switch (op.getOpRecord().getLayoutRole()) {
    case LayoutRole::Free:
      return {};
    case LayoutRole::RowMajor:
      if (keeps)
        break;
      return {};
    case LayoutRole::ChannelsLast:
      return getChannelsLast(type);
    case LayoutRole::Follow:
      break;
    }
    // The first operand with the result's rank and a layout decides.
    for (OpOperand &operand : op->getOpOperands())
      if (LayoutAttr layout = getLayout(operand.get());
          layout && followsLayout(op, operand, keeps))
        return layout;
    return {};
  }

  /// Whether `operand` must have the layout of the result. This is so for
  /// tensors with the index of the result. A tensor that is broadcast or
  /// indexed differently need not have this layout.
  static bool followsLayout(WeirOpInterface op, OpOperand &operand,
                            bool keeps) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    if (keeps)
      return true;
    if (!op.getOpRecord().isPointwise())
      return operand.getOperandNumber() == 0 ||
             isLikeFirst(op.getOpRecord(), operand.getOperandNumber());
    return type.getShape() == result.getShape();
  }

  /// If `op` can keep the layout of its operand, gives the result the layout
  /// that follows from it. Returns whether `op` can.
  static bool keepsOperand(WeirOpInterface op) {
    std::optional<SmallVector<int64_t>> order = getOrderBehindChange(op);
    if (!order)
      return false;
    setLayout(op->getResult(0), toLayout(op->getContext(), *order));
    return true;
  }

  static void setLayout(Value value, LayoutAttr layout) {
    value.setType(
        cast<RankedTensorType>(value.getType()).cloneWithEncoding(layout));
  }

  void assign(Operation *op, LayoutAttr layout) {
    auto weirOp = dyn_cast<WeirOpInterface>(op);
    bool keeps = weirOp && keepsDims(weirOp);
    const bool isFree =
        weirOp && weirOp.getOpRecord().getLayoutRole() == LayoutRole::Free;
    for (OpOperand &operand : op->getOpOperands()) {
      if (isFree)
        break;
      bool follows = weirOp && followsLayout(weirOp, operand, keeps);
      operand.set(
          withLayout(operand.get(), follows ? layout : LayoutAttr(), op));
    }
    if (!layout)
      return;
    // Besides an image, results may be vectors along the channels.
    const int64_t rank = getTensorType(op->getResult(0)).getRank();
    for (OpResult result : op->getResults())
      if (getTensorType(result).getRank() == rank)
        setLayout(result, layout);
  }

  /// `value` in `layout`, if necessary through a relayout before `reader`.
  /// Placement decides where the relayout runs.
  Value withLayout(Value value, LayoutAttr layout, Operation *reader) {
    if (getLayout(value) == layout)
      return value;
    if (isConvertedInput(value) || isRepetition(value)) {
      setLayout(value, layout);
      return value;
    }
    Value &made = relayouts[{value, layout}];
    if (made)
      return made;
    OpBuilder builder(reader);
    if (Operation *producer = value.getDefiningOp())
      builder.setInsertionPointAfter(producer);
    else
      builder.setInsertionPointToStart(reader->getBlock());
    std::string name = nameRelayout(value);
    auto type =
        cast<RankedTensorType>(value.getType()).cloneWithEncoding(layout);
    auto relayout = RelayoutOp::create(
        builder, NameLoc::get(builder.getStringAttr(name), value.getLoc()),
        TypeRange(type), ValueRange(value));
    return made = relayout.getResult();
  }

  /// A name that no other relayout has. A value may be needed in two layouts.
  std::string nameRelayout(Value value) {
    const std::string base = (getValueName(value) + "_relayout").str();
    const unsigned number = numRelayouts[base]++;
    return number ? fmt::format("{}_{}", base, number) : base;
  }

  llvm::StringMap<unsigned> numRelayouts;
  /// The relayouts created so far, one per value and layout.
  llvm::DenseMap<std::pair<Value, LayoutAttr>, Value> relayouts;
};
} // namespace
