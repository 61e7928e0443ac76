//===- DeriveParameters.cpp - Computes derived parameters -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "MadeElements.h"
#include "ValueNumbers.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/DerivableValues.h"
#include "weir/Dialect/Weir/Transforms/Folding/Folding.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/MeaningMap.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/UniqueNames.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>
#include <limits>

namespace weir {
#define GEN_PASS_DEF_DERIVEPARAMETERS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

static constexpr uint64_t maxFlops = uint64_t(1) << 30;
/// The most bytes of an intermediate tensor. A larger tensor is allowed if the
/// artifact stores as many bytes for the parameters and constants.
static constexpr uint64_t maxHeldBytes = uint64_t(1) << 28;
/// The number of visits that each derivable op adds to the budget for measuring
/// expressions, besides the number of its operands. Without a limit, a chain of
/// values that are not derived would take quadratic time.
static constexpr size_t mostVisits = 64;

namespace {
/// A value and the ops that compute it.
struct Expression {
  Value root;
  /// The ops in the order of the graph, including constants.
  SmallVector<Operation *> ops;
  SmallVector<BlockArgument> parameters;
  /// The operands that are derived parameters themselves.
  SmallVector<Value> derived;
  /// Whether a run reads the value. Otherwise only other derived parameters
  /// read it.
  bool isRead = true;
  /// The number of ops and operands that were visited to find the expression.
  size_t visits = 0;
};

class DeriveParameters
    : public weir::impl::DeriveParametersBase<DeriveParameters> {
public:
  using DeriveParametersBase::DeriveParametersBase;

  void runOnOperation() override {
    const ParameterFacts facts(getOperation());
    taken = UniqueNames();
    for (auto symbol : getOperation().getOps<SymbolOpInterface>())
      taken.take(symbol.getName());
    numbers = ValueNumbers();
    known.clear();
    left = {};
    MadeElements made(getOperation());
    if (failed(forEachEntry(getOperation(), [&](func::FuncOp entry) {
          deriveIn(entry, facts, made);
          return success();
        })))
      return signalPassFailure();
    if (!left.empty())
      getOperation()->setAttr(attrs::notDerived,
                              left.getDictionary(&getContext()));
  }

private:
  void deriveIn(func::FuncOp entry, const ParameterFacts &facts,
                MadeElements &made) {
    DerivableValues derivable(entry, facts);
    numbers.set(entry, derivable);
    made.setEntry(entry, derivable);
    names.clear();
    hoist(entry, share(entry, choose(entry, derivable, made)));
    eraseUnread(entry, derivable);
  }
  SmallVector<Value> choose(func::FuncOp entry,
                            const DerivableValues &derivable,
                            MadeElements &made);
  SmallVector<Expression> share(func::FuncOp entry, ArrayRef<Value> chosen);
  void hoist(func::FuncOp entry, ArrayRef<Expression> expressions);
  DerivedOp outline(func::FuncOp entry, const Expression &expression,
                    StringRef name);
  void eraseUnread(func::FuncOp entry, const DerivableValues &derivable);

  /// The names of the derived parameters of the entry.
  llvm::DenseMap<Value, FlatSymbolRefAttr> names;
  /// The names of all symbols of the module.
  UniqueNames taken;
  ValueNumbers numbers;
  /// The derived parameters of earlier entries, by their numbers in `numbers`.
  llvm::DenseMap<uintptr_t, FlatSymbolRefAttr> known;
  /// The reasons why values are not derived, by the names of the values in
  /// reports.
  NamedAttrList left;
};
} // namespace

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// The expression of `root`, down to parameters and to the values in `known`.
/// An expression that takes more than `limit` visits is not complete.
static Expression trace(Value root, const llvm::DenseSet<Value> &known = {},
                        size_t limit = std::numeric_limits<size_t>::max()) {
  Expression expression;
  expression.root = root;
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<BlockArgument> parameters;
  llvm::SetVector<Value> derived;
  SmallVector<Value> open = {root};
  while (!open.empty() && expression.visits <= limit) {
    Value value = open.pop_back_val();
    ++expression.visits;
    if (auto parameter = dyn_cast<BlockArgument>(value))
      parameters.insert(parameter);
    else if (value != root && known.contains(value))
      derived.insert(value);
    else if (ops.insert(value.getDefiningOp()))
      llvm::append_range(open, value.getDefiningOp()->getOperands());
  }
  expression.parameters = parameters.takeVector();
  llvm::sort(expression.parameters,
             [](BlockArgument left, BlockArgument right) {
               return left.getArgNumber() < right.getArgNumber();
             });
  expression.derived = derived.takeVector();
  expression.ops = ops.takeVector();
  llvm::sort(expression.ops, [](Operation *left, Operation *right) {
    return left->isBeforeInBlock(right);
  });
  return expression;
}

namespace {
/// Decides which values the compiler should compute. For most values, bounds on
/// the cost of their expression suffice, so that shared subexpressions need not
/// be traced once for each value.
class DerivingCosts {
public:
  DerivingCosts(func::FuncOp entry, const DerivableValues &derivable);

  /// The reason why each run should compute `root`; empty if the compiler
  /// should compute it.
  std::string whyNot(Value root);

private:
  struct Bounds {
    /// A lower and an upper bound on the flops of the expression: the flops of
    /// one path, and the sum over all paths.
    uint64_t leastFlops = 0, mostFlops = 0;
    /// The bytes of the largest parameter or constant, and of the largest
    /// tensor.
    uint64_t leastBytes = 0, largestBytes = 0;
    /// The bytes of all parameters and constants, and the bytes that the
    /// artifact stores for them. A constant with equal elements is stored as a
    /// single number.
    uint64_t mostBytes = 0, mostStored = 0;
  };
  /// The numbers that decide whether a value is derived. `size` is the bytes of
  /// the value. `bytes` is the bytes of the parameters and constants that the
  /// value is computed from, and `stored` is what the artifact stores for them.
  /// `largest` is the bytes of the largest tensor in the expression, and
  /// `flops` is its work.
  struct Costs {
    uint64_t size, bytes, stored, largest, flops;

    std::string whyNot() const;
  };
  Bounds boundsOf(Operation *op);
  uint64_t getFlops(Operation *op);
  bool measure(Value root, Costs &costs);

  MeaningMap<uint64_t> flopsOf;
  /// The flops of all ops and the bytes of all parameters and constants so far.
  /// No expression takes more, however many paths it has.
  uint64_t allFlops = 0, allBytes = 0;
  /// The number of further ops and operands that may be visited, besides
  /// `mostVisits` for each expression.
  size_t visitsLeft = 0;
  llvm::DenseMap<Value, Bounds> bounds;
};
} // namespace

uint64_t DerivingCosts::getFlops(Operation *op) {
  auto weirOp = dyn_cast<WeirOpInterface>(op);
  return weirOp ? flopsOf.get(weirOp, getEvaluationFlops) : 0;
}

DerivingCosts::Bounds DerivingCosts::boundsOf(Operation *op) {
  Bounds found;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    found.leastBytes = found.mostBytes = getSpanBytes(constant.getResult());
    found.mostStored = constant.getValue().isSplat() ? 0 : found.mostBytes;
    allBytes = llvm::SaturatingAdd(allBytes, found.mostBytes);
  }
  for (Value operand : op->getOperands()) {
    const Bounds &known = bounds[operand];
    found.leastFlops = std::max(found.leastFlops, known.leastFlops);
    found.mostFlops = llvm::SaturatingAdd(found.mostFlops, known.mostFlops);
    found.leastBytes = std::max(found.leastBytes, known.leastBytes);
    found.largestBytes = std::max(found.largestBytes, known.largestBytes);
    found.mostBytes = llvm::SaturatingAdd(found.mostBytes, known.mostBytes);
    found.mostStored = llvm::SaturatingAdd(found.mostStored, known.mostStored);
  }
  found.mostBytes = std::min(found.mostBytes, allBytes);
  found.mostStored = std::min(found.mostStored, allBytes);
  for (Value result : op->getResults())
    found.largestBytes = std::max(found.largestBytes, getSpanBytes(result));
  uint64_t own = getFlops(op);
  found.leastFlops = llvm::SaturatingAdd(found.leastFlops, own);
  allFlops = llvm::SaturatingAdd(allFlops, own);
  found.mostFlops =
      std::min(llvm::SaturatingAdd(found.mostFlops, own), allFlops);
  return found;
}

DerivingCosts::DerivingCosts(func::FuncOp entry,
                             const DerivableValues &derivable) {
  for (BlockArgument argument : entry.getArguments()) {
    Bounds &known = bounds[argument];
    known.leastBytes = known.mostBytes = known.mostStored =
        getSpanBytes(argument);
    allBytes = llvm::SaturatingAdd(allBytes, known.mostBytes);
  }
  for (Operation &op : entry.getBody().front())
    if (op.getNumResults() != 0 && derivable.contains(op.getResult(0))) {
      visitsLeft += mostVisits + op.getNumOperands();
      Bounds found = boundsOf(&op);
      for (Value result : op.getResults())
        bounds[result] = found;
    }
}

/// Measures the expression of `root`. Returns false if that takes more visits
/// than are allowed.
bool DerivingCosts::measure(Value root, Costs &costs) {
  const size_t limit =
      mostVisits + root.getDefiningOp()->getNumOperands() + visitsLeft;
  Expression expression = trace(root, /*known=*/{}, limit);
  if (expression.visits > limit) {
    visitsLeft = 0;
    return false;
  }
  visitsLeft = std::min(visitsLeft, limit - expression.visits);
  costs.bytes = costs.flops = 0;
  for (BlockArgument parameter : expression.parameters)
    costs.bytes += getSpanBytes(parameter);
  costs.stored = costs.bytes;
  for (Operation *op : expression.ops) {
    costs.flops = llvm::SaturatingAdd(costs.flops, getFlops(op));
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      const uint64_t whole = getSpanBytes(constant.getResult());
      costs.bytes += whole;
      costs.stored += constant.getValue().isSplat() ? 0 : whole;
    }
  }
  return true;
}

std::string DerivingCosts::Costs::whyNot() const {
  if (largest > std::max(stored, maxHeldBytes))
    return fmt::format("needs a tensor of {} bytes on the way, but is computed "
                       "from at most {} bytes",
                       largest, stored);
  if (size > std::max(bytes, maxGrownBytes))
    return fmt::format("{} bytes, but computed from at most {} bytes", size,
                       bytes);
  return flops > maxFlops ? fmt::format("takes more than {} flops", maxFlops)
                          : std::string();
}

std::string DerivingCosts::whyNot(Value root) {
  const Bounds &known = bounds[root];
  Costs costs = {getSpanBytes(root), known.leastBytes, known.mostStored,
                 known.largestBytes, known.mostFlops};
  // A value that is too large even by the upper bounds need not be measured.
  const bool isTooLarge = costs.size > std::max(known.mostBytes, maxGrownBytes);
  const bool isOpen =
      costs.largest <= std::max(costs.stored, maxHeldBytes) &&
      (costs.size > std::max(costs.bytes, maxGrownBytes) ||
       costs.largest > maxHeldBytes ||
       (known.leastFlops <= maxFlops && costs.flops > maxFlops));
  if (isTooLarge)
    costs.bytes = known.mostBytes;
  else if (isOpen && !measure(root, costs))
    return fmt::format("measuring its cost would exceed the limit of {} visits "
                       "for each op",
                       mostVisits);
  return costs.whyNot();
}

/// Whether a run needs `value`: as a result of the entry, or for an op that is
/// not derivable.
static bool isNeeded(Value value, const DerivableValues &derivable) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return user->getNumResults() == 0 ||
           !derivable.contains(user->getResult(0));
  });
}

/// The largest derivable expressions that a run needs. If deriving an
/// expression is not worthwhile, the run needs its operands instead.
SmallVector<Value> DeriveParameters::choose(func::FuncOp entry,
                                            const DerivableValues &derivable,
                                            MadeElements &made) {
  SmallVector<Value> chosen;
  DerivingCosts costs(entry, derivable);
  llvm::DenseSet<Value> needed;
  Builder builder(entry);
  const std::string prefix = getReportPrefix(entry);
  for (Operation &op : llvm::reverse(entry.getBody().front()))
    for (Value value : op.getResults()) {
      if (isa<ConstantOp>(op) || !derivable.contains(value) ||
          (!needed.contains(value) && !isNeeded(value, derivable)))
        continue;
      std::string reason = costs.whyNot(value);
      if (reason.empty())
        reason = made.whyNot(value);
      if (reason.empty()) {
        made.make(value);
        chosen.push_back(value);
        continue;
      }
      needed.insert(op.operand_begin(), op.operand_end());
      left.append(prefix + getValueName(value).str(),
                  builder.getStringAttr(reason));
    }
  return chosen;
}

/// Whether the results of `op` are much larger than its operands, so that it is
/// better to compute the results again than to store them.
static bool growsMuch(Operation *op) {
  uint64_t made = 0, given = maxGrownBytes;
  for (Value result : op->getResults())
    made += getSpanBytes(result);
  for (Value operand : op->getOperands())
    given += getSpanBytes(operand);
  return made > given;
}

/// The expressions for `chosen`, and for values that several of them share. A
/// shared value is derived separately, so that it is computed only once.
SmallVector<Expression> DeriveParameters::share(func::FuncOp entry,
                                                ArrayRef<Value> chosen) {
  // The root of the expression that each op belongs to; null if the op belongs
  // to several expressions.
  llvm::DenseMap<Operation *, Operation *> owners;
  llvm::DenseSet<Value> known(chosen.begin(), chosen.end());
  SmallVector<std::pair<Value, bool>> roots;
  for (Operation &op : llvm::reverse(entry.getBody().front())) {
    bool isRoot = llvm::any_of(
        op.getResults(), [&](Value result) { return known.contains(result); });
    auto owner = owners.find(&op);
    bool isPart = owner != owners.end();
    if (!isRoot && !isPart)
      continue;
    bool isShared = !isRoot && !owner->second && op.getNumResults() == 1 &&
                    !isa<ConstantOp>(op) && !growsMuch(&op);
    if (isShared)
      known.insert(op.getResult(0));
    Operation *own = isRoot || isShared ? &op : owner->second;
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp()) {
        auto [place, isNew] = owners.try_emplace(producer, own);
        if (!isNew && place->second != own)
          place->second = nullptr;
      }
    for (Value result : op.getResults())
      if (known.contains(result))
        roots.push_back({result, !isShared});
  }
  SmallVector<Expression> expressions;
  for (auto [root, isRead] : llvm::reverse(roots)) {
    expressions.push_back(trace(root, known));
    expressions.back().isRead = isRead;
  }
  return expressions;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

DerivedOp DeriveParameters::outline(func::FuncOp entry,
                                    const Expression &expression,
                                    StringRef name) {
  OpBuilder builder(entry);
  Location location = expression.root.getLoc();
  auto derived =
      DerivedOp::create(builder, location, builder.getStringAttr(name),
                        TypeAttr::get(expression.root.getType()));
  builder.setInsertionPointToStart(&derived.getBody().emplaceBlock());
  IRMapping mapping;
  for (BlockArgument parameter : expression.parameters)
    mapping.map(
        parameter,
        ReadOp::create(builder, parameter.getLoc(), parameter.getType(),
                       entry.getArgAttrOfType<FlatSymbolRefAttr>(
                           parameter.getArgNumber(), attrs::parameter)));
  for (Value value : expression.derived)
    mapping.map(value, ReadOp::create(builder, value.getLoc(), value.getType(),
                                      names.lookup(value)));
  for (Operation *op : expression.ops) {
    Operation *copy = builder.clone(*op, mapping);
    if (auto weirOp = dyn_cast<WeirOpInterface>(copy))
      weirOp.setDeviceAttr({});
  }
  YieldOp::create(builder, location, mapping.lookup(expression.root));
  return derived;
}

void DeriveParameters::hoist(func::FuncOp entry,
                             ArrayRef<Expression> expressions) {
  Builder builder(entry);
  // Equal expressions of one entry have already been merged.
  SmallVector<std::pair<uintptr_t, FlatSymbolRefAttr>> made;
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> marks;
  SmallVector<Location> locations;
  SmallVector<Value> roots;
  for (const Expression &expression : expressions) {
    uintptr_t number = numbers.get(expression.root);
    FlatSymbolRefAttr &symbol = names[expression.root];
    symbol = known.lookup(number);
    if (!symbol) {
      std::string name = taken.add(getValueName(expression.root));
      outline(entry, expression, name);
      symbol = FlatSymbolRefAttr::get(&getContext(), name);
      made.push_back({number, symbol});
    }
    if (!expression.isRead)
      continue;
    roots.push_back(expression.root);
    types.push_back(expression.root.getType());
    marks.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(attrs::parameter, symbol)));
    locations.push_back(
        NameLoc::get(symbol.getAttr(), expression.root.getLoc()));
  }
  known.insert(made.begin(), made.end());
  // All arguments are added at once, because MLIR keeps every function type.
  unsigned first = entry.getNumArguments();
  (void)entry.insertArguments(SmallVector<unsigned>(types.size(), first), types,
                              marks, locations);
  for (auto [index, root] : llvm::enumerate(roots))
    root.replaceAllUsesWith(
        entry.getArgument(first + static_cast<unsigned>(index)));
}

/// Erases ops that only derived parameters used.
void DeriveParameters::eraseUnread(func::FuncOp entry,
                                   const DerivableValues &derivable) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(entry.getBody().front())))
    if (op.getNumResults() && derivable.contains(op.getResult(0)) &&
        op.use_empty())
      op.erase();
  llvm::BitVector unread(entry.getNumArguments());
  for (BlockArgument argument : entry.getArguments())
    if (argument.use_empty() &&
        entry.getArgAttr(argument.getArgNumber(), attrs::parameter))
      unread.set(argument.getArgNumber());
  (void)entry.eraseArguments(unread);
}
