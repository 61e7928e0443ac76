//===- DeriveParameters.cpp - Computes derived parameters -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/DerivableValues.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace weir {
#define GEN_PASS_DEF_DERIVEPARAMETERS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// A derived parameter is at most this large, or else not larger than its
/// operands together.
static constexpr uint64_t maxGrownBytes = uint64_t(1) << 20;
static constexpr int64_t maxFlops = int64_t(1) << 30;

static uint64_t getBytes(Value value) {
  return toTensorDesc(cast<RankedTensorType>(value.getType())).spanBytes();
}

namespace {
/// A value and the ops that compute it.
struct Expression {
  Value root;
  /// In the order of the graph, including constants.
  SmallVector<Operation *> ops;
  SmallVector<BlockArgument> parameters;
};

class DeriveParameters
    : public weir::impl::DeriveParametersBase<DeriveParameters> {
public:
  using DeriveParametersBase::DeriveParametersBase;

  void runOnOperation() override {
    func::FuncOp entry = getEntry(getOperation());
    if (!entry)
      return signalPassFailure();
    DerivableValues derivable(entry);
    SmallVector<Expression> expressions = choose(entry, derivable);
    hoist(entry, expressions);
    eraseUnread(entry, derivable);
  }

private:
  SmallVector<Expression> choose(func::FuncOp entry,
                                 const DerivableValues &derivable);
  void hoist(func::FuncOp entry, ArrayRef<Expression> expressions);
  DerivedOp outline(func::FuncOp entry, const Expression &expression,
                    StringRef name);
  void eraseUnread(func::FuncOp entry, const DerivableValues &derivable);
};
} // namespace

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

static Expression trace(Value root) {
  Expression expression;
  expression.root = root;
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<BlockArgument> parameters;
  SmallVector<Value> open = {root};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (auto parameter = dyn_cast<BlockArgument>(value))
      parameters.insert(parameter);
    else if (ops.insert(value.getDefiningOp()))
      llvm::append_range(open, value.getDefiningOp()->getOperands());
  }
  expression.parameters = parameters.takeVector();
  llvm::sort(expression.parameters,
             [](BlockArgument left, BlockArgument right) {
               return left.getArgNumber() < right.getArgNumber();
             });
  expression.ops = ops.takeVector();
  llvm::sort(expression.ops, [](Operation *left, Operation *right) {
    return left->isBeforeInBlock(right);
  });
  return expression;
}

/// Why each run should compute the root; empty if the compiler should.
static std::string whyNot(const Expression &expression) {
  uint64_t bytes = 0;
  int64_t flops = 0;
  for (BlockArgument parameter : expression.parameters)
    bytes += getBytes(parameter);
  for (Operation *op : expression.ops)
    if (auto weirOp = dyn_cast<WeirOpInterface>(op))
      flops += getCost(weirOp).flops;
    else
      bytes += getBytes(op->getResult(0));
  uint64_t size = getBytes(expression.root);
  if (size > std::max(bytes, maxGrownBytes))
    return (llvm::Twine(size) + " bytes, but made of only " +
            llvm::Twine(bytes))
        .str();
  if (flops > maxFlops)
    return ("takes " + llvm::Twine(flops) + " flops").str();
  return {};
}

/// Whether a run needs `value`, for an op that is not derivable or as a result.
static bool isNeeded(Value value, const DerivableValues &derivable) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return user->getNumResults() == 0 ||
           !derivable.contains(user->getResult(0));
  });
}

/// The largest derivable expressions that a run needs. If deriving one does not
/// pay, the run needs its operands instead.
SmallVector<Expression>
DeriveParameters::choose(func::FuncOp entry, const DerivableValues &derivable) {
  SmallVector<Expression> chosen;
  SmallVector<NamedAttribute> left;
  llvm::DenseSet<Value> needed;
  Builder builder(entry);
  for (Operation &op : llvm::reverse(entry.getBody().front()))
    for (Value value : op.getResults()) {
      if (isa<ConstantOp>(op) || !derivable.contains(value) ||
          (!needed.contains(value) && !isNeeded(value, derivable)))
        continue;
      Expression expression = trace(value);
      std::string reason = whyNot(expression);
      if (reason.empty()) {
        chosen.push_back(std::move(expression));
        continue;
      }
      needed.insert(op.operand_begin(), op.operand_end());
      left.push_back(builder.getNamedAttr(getValueName(value),
                                          builder.getStringAttr(reason)));
    }
  if (!left.empty())
    getOperation()->setAttr(attrs::notDerived, builder.getDictionaryAttr(left));
  std::reverse(chosen.begin(), chosen.end());
  return chosen;
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
  llvm::StringSet<> taken;
  for (auto symbol : getOperation().getOps<SymbolOpInterface>())
    taken.insert(symbol.getName());
  Builder builder(entry);
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> marks;
  SmallVector<Location> locations;
  for (const Expression &expression : expressions) {
    StringRef base = getValueName(expression.root);
    std::string name = base.str();
    for (unsigned n = 1; !taken.insert(name).second; ++n)
      name = (base + "_" + llvm::Twine(n)).str();
    outline(entry, expression, name);
    types.push_back(expression.root.getType());
    marks.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        attrs::parameter, FlatSymbolRefAttr::get(&getContext(), name))));
    locations.push_back(
        NameLoc::get(builder.getStringAttr(name), expression.root.getLoc()));
  }
  // All arguments are added at once, because MLIR keeps every function type.
  unsigned first = entry.getNumArguments();
  (void)entry.insertArguments(SmallVector<unsigned>(types.size(), first), types,
                              marks, locations);
  for (auto [index, expression] : llvm::enumerate(expressions)) {
    Value root = expression.root;
    root.replaceAllUsesWith(
        entry.getArgument(first + static_cast<unsigned>(index)));
  }
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
