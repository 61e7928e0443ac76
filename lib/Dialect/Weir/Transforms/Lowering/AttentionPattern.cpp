//===- AttentionPattern.cpp - Recognises attention ------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AttentionPattern.h"

#include "LaunchIndices.h"
#include "weir/Dialect/Weir/IR/Annotation.h"
#include "weir/Dialect/Weir/IR/Axis.h"
#include "weir/Dialect/Weir/IR/BuildMoves.h"
#include "weir/Dialect/Weir/IR/ValueOrigins.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/ConstantData.h"
#include "weir/Support/ScalarAlgebra.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace weir;

/// The most ops between the products of an attention.
static constexpr size_t mostBetween = 12;
/// The highest number that counts as a mask. A score that is set to such a
/// number has the probability 0, because scores of 16-bit queries and keys are
/// far above the number.
static constexpr double lowestFill = -1e9;

//===----------------------------------------------------------------------===//
// Values in groups
//===----------------------------------------------------------------------===//

static GroupOp getGroup(Operation *op) {
  return op->getParentOfType<GroupOp>();
}

/// The op that computes `value`, perhaps in another group; null for inputs,
/// constants and ops with several results.
static WeirOpInterface getProducer(Value value) {
  auto op = getOrigin(value).getDefiningOp<WeirOpInterface>();
  return op && op->getNumResults() == 1 && getGroup(op) ? op
                                                        : WeirOpInterface();
}

/// The tensor that `value`, an operand in the group `reader`, broadcasts on the
/// same device; `value` itself if it is no broadcast. If possible, the result
/// is a value outside of groups.
static Value getRepeated(Value value, GroupOp reader) {
  while (true) {
    if (Value outside = getOutside(value))
      value = outside;
    Value origin = getOrigin(value), repeated = getBroadcast(origin);
    GroupOp group = repeated ? getGroup(origin.getDefiningOp()) : GroupOp();
    if (!group || group.getDeviceAttr() != reader.getDeviceAttr())
      return value;
    value = repeated;
  }
}

/// Whether exactly one op reads `value`, perhaps in another group.
static bool hasOneReader(Value value) {
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    Operation *reader = use.getOwner();
    if (auto group = dyn_cast<GroupOp>(reader))
      value = group.getBlock().getArgument(use.getOperandNumber());
    else if (isa<YieldOp>(reader))
      value = reader->getParentOp()->getResult(use.getOperandNumber());
    else
      return isa<WeirOpInterface>(reader);
  }
  return false;
}

static bool holdsFloats(Value value) {
  return isa<FloatType>(getTensorType(value).getElementType());
}

static bool isFloatCast(WeirOpInterface op) {
  const OpRecord &record = op.getOpRecord();
  return record.movesElements() && record.isPointwise() &&
         op->getNumOperands() == 1 && holdsFloats(op->getOperand(0)) &&
         holdsFloats(op->getResult(0));
}

static bool haveOneShape(Value left, Value right) {
  return getTensorType(left).getShape() == getTensorType(right).getShape();
}

namespace {
/// An op that multiplies a tensor by a number.
struct Factor {
  Value running;
  double number;
};
} // namespace

static std::optional<Factor> asFactor(WeirOpInterface op) {
  const OpRecord &record = op.getOpRecord();
  if (!record.isLeaf() || !record.isPointwise() || op->getNumOperands() != 2)
    return std::nullopt;
  const bool isProduct = isFormula(*record.getExpression(), "a * b"),
             isQuotient = isFormula(*record.getExpression(), "a / b");
  if (!isProduct && !isQuotient)
    return std::nullopt;
  for (unsigned at : {0u, 1u}) {
    Value running = op->getOperand(at);
    std::optional<double> number = getOnlyNumber(op->getOperand(1 - at));
    if (!number || !haveOneShape(running, op->getResult(0)) ||
        (isQuotient && at == 1))
      continue;
    return Factor{running, isQuotient ? 1 / *number : *number};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Whether each query i sees the keys from 0 to i + `shift` and no others.
/// `seen` has a row of keys for each query. The element of a key that the query
/// sees is true if `whenSeen`, and false otherwise.
static bool isTriangle(ArrayRef<char> seen, int64_t queries, int64_t keys,
                       int64_t shift, bool whenSeen) {
  for (int64_t query = 0; query < queries; ++query)
    for (int64_t key = 0; key < keys; ++key) {
      const bool isSeen = (seen[query * keys + key] != 0) == whenSeen;
      if (isSeen != (key <= query + shift))
        return false;
    }
  return true;
}

/// The kind of causal mask that the constant `condition` is; nothing if it is
/// no causal mask. Where scores stay, the elements of `condition` are
/// `whenSeen`.
static std::optional<CausalMask> asCausal(Value condition, Value scores,
                                          bool whenSeen) {
  ConstantOp constant = getConstant(condition);
  ArrayRef<int64_t> shape = getTensorType(scores).getShape();
  RankedTensorType type = getTensorType(condition);
  if (!constant || type.getRank() < 2 ||
      type.getShape().take_back(2) != shape.take_back(2) ||
      type.getNumElements() != shape.end()[-2] * shape.end()[-1])
    return std::nullopt;
  const int64_t queries = shape.end()[-2], keys = shape.end()[-1];
  const std::vector<char> bytes = getConstantBytes(constant.getValue());
  if (keys >= queries &&
      isTriangle(bytes, queries, keys, keys - queries, whenSeen))
    // A single query sees all keys.
    return queries == 1      ? CausalMask::None
           : keys == queries ? CausalMask::TopLeft
                             : CausalMask::BottomRight;
  if (isTriangle(bytes, queries, keys, 0, whenSeen))
    return CausalMask::TopLeft;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// Follows the operands of ops from the last product back to the first.
class Follower {
public:
  explicit Follower(WeirOpInterface product) { found.product = product; }

  /// Whether `value` is computed from a product of queries and keys.
  bool follow(Value value);

  Attention found;

private:
  bool followOp(WeirOpInterface op);
  bool followSoftmax(SoftmaxOp op);
  bool followSum(WeirOpInterface op);
  bool followChoice(WeirOpInterface op);
  bool followFactor(WeirOpInterface op);
  void refuse(std::string reason) {
    if (found.refusal.empty())
      found.refusal = std::move(reason);
  }

  bool isScaled = false;
};
} // namespace

bool Follower::follow(Value value) {
  WeirOpInterface op = getProducer(value);
  GroupOp group = op ? getGroup(op) : GroupOp();
  GroupOp last = getGroup(found.product);
  if (!op || Annotation::of(group) != Annotation::of(last))
    return false;
  if (!hasOneReader(op->getResult(0)))
    refuse(fmt::format("the result of '{}' is also read elsewhere",
                       weir::getOpName(op).str()));
  if (isa<MatmulOp>(*op)) {
    found.scores = op;
    return found.softmax;
  }
  if (found.between.size() == mostBetween)
    return false;
  found.between.push_back(op);
  return followOp(op);
}

bool Follower::followOp(WeirOpInterface op) {
  if (isFloatCast(op))
    return follow(op->getOperand(0));
  if (auto softmax = dyn_cast<SoftmaxOp>(*op))
    return followSoftmax(softmax);
  if (!found.softmax || !op.getOpRecord().isPointwise())
    return false;
  StringRef expression = op.getOpRecord().getExpressionText();
  if (expression == "a + b")
    return followSum(op);
  if (expression == "select(a, b, c)")
    return followChoice(op);
  return followFactor(op);
}

bool Follower::followSoftmax(SoftmaxOp op) {
  auto rank = static_cast<size_t>(getTensorType(op->getResult(0)).getRank());
  const int64_t last = fromStart(-1, rank);
  if (found.softmax || fromStart(op.getAxis(), rank) != last)
    return false;
  found.softmax = op;
  return follow(op->getOperand(0));
}

bool Follower::followFactor(WeirOpInterface op) {
  std::optional<Factor> factor = asFactor(op);
  if (!factor)
    return false;
  found.scale *= factor->number;
  isScaled = true;
  return follow(factor->running);
}

bool Follower::followSum(WeirOpInterface op) {
  const Follower before = *this;
  for (unsigned at : {0u, 1u}) {
    Value running = op->getOperand(at), other = op->getOperand(1 - at);
    if (!haveOneShape(running, op->getResult(0)))
      continue;
    *this = before;
    if (isScaled || found.bias)
      refuse("it adds more than one mask, or one in front of the factor");
    found.bias = getRepeated(other, getGroup(op));
    if (follow(running))
      return true;
  }
  return false;
}

bool Follower::followChoice(WeirOpInterface op) {
  for (unsigned at : {1u, 2u}) {
    std::optional<double> fill = getOnlyNumber(op->getOperand(3 - at));
    Value running = op->getOperand(at);
    if (!fill || !haveOneShape(running, op->getResult(0)))
      continue;
    if (!(*fill <= lowestFill))
      refuse(fmt::format("its masked scores are {:g}, which is above {:g}",
                         *fill, lowestFill));
    else if (isScaled || found.choice)
      refuse("it masks scores more than once, or in front of the factor");
    found.choice = op;
    found.condition = getRepeated(op->getOperand(0), getGroup(op));
    found.chosen = at;
    return follow(running);
  }
  return false;
}

/// Replaces the choice by `causal` if a causal mask is the whole mask. A kernel
/// takes only one mask.
static void simplifyChoice(Attention &found) {
  if (!found.choice)
    return;
  Value scores = found.choice->getOperand(found.chosen);
  Value low = found.choice->getOperand(3 - found.chosen);
  std::optional<CausalMask> causal =
      asCausal(found.condition, scores, /*whenSeen=*/found.chosen == 1);
  if (!found.bias && causal) {
    found.causal = *causal;
    found.choice = {};
  } else if (found.refusal.empty() && found.bias &&
             getTensorType(found.bias).getElementType() !=
                 getTensorType(low).getElementType()) {
    found.refusal = "its two masks have different types";
  }
}

std::optional<Attention> weir::findAttention(WeirOpInterface product) {
  Follower follower(product);
  if (!isa<MatmulOp>(*product) || !follower.follow(product->getOperand(0)))
    return std::nullopt;
  Attention &found = follower.found;
  if (!getOutside(product->getOperand(1)) ||
      !getOutside(found.scores->getOperand(0)) ||
      !getOutside(found.scores->getOperand(1)))
    return std::nullopt;
  simplifyChoice(found);
  return std::move(found);
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

/// Adds the effect of `op` to `value` and returns the operand of `op`; null if
/// `op` is no cast, transpose or scaling.
static Value lookThrough(WeirOpInterface op, ScaledTranspose &value) {
  if (isFloatCast(op))
    return op->getOperand(0);
  if (auto perm = op->getAttrOfType<ArrayAttr>("perm")) {
    for (int64_t &dim : value.order)
      dim = cast<IntegerAttr>(perm[static_cast<unsigned>(dim)]).getInt();
    return op->getOperand(0);
  }
  std::optional<Factor> factor = asFactor(op);
  if (!factor)
    return {};
  value.scale *= factor->number;
  return factor->running;
}

/// Looks through the group that computes the base, if that is possible. Returns
/// whether it was possible.
static bool lookThroughGroup(ScaledTranspose &value) {
  auto group = value.base.getDefiningOp<GroupOp>();
  if (!group || group->getNumResults() != 1)
    return false;
  ScaledTranspose next = value;
  Value running = getInside(value.base);
  size_t numOps = 0;
  for (; !isa<BlockArgument>(running); ++numOps) {
    auto op = running.getDefiningOp<WeirOpInterface>();
    running = op && running.hasOneUse() ? lookThrough(op, next) : Value();
    if (!running)
      return false;
  }
  next.base = getOutside(running);
  // The terminator is one of the ops.
  if (numOps + 1 != group.getBlock().getOperations().size() || !next.base ||
      getTensorType(next.base).getElementType() !=
          getTensorType(value.base).getElementType())
    return false;
  next.groups.push_back(group);
  value = std::move(next);
  return true;
}

ScaledTranspose weir::findScaledTranspose(Value value) {
  ScaledTranspose found;
  found.base = value;
  llvm::append_range(found.order,
                     llvm::seq<int64_t>(getTensorType(value).getRank()));
  while (lookThroughGroup(found))
    continue;
  return found;
}
