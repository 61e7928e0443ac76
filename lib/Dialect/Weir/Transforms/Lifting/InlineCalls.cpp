//===- InlineCalls.cpp - Replaces calls by what they call -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace weir {
#define GEN_PASS_DEF_INLINECALLS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// The most ops of a function without calls. A chain of functions that call the
/// next one twice has 2 to the power of its length.
static constexpr size_t maxOps = size_t{1} << 18;
/// The most functions that call each other in a chain. Each takes space on the
/// stack.
static constexpr size_t maxDepth = 256;

namespace {
/// Inlines the calls of functions, those of the called ones first.
class CallInliner {
public:
  explicit CallInliner(ModuleOp module) : symbols(module) {}

  LogicalResult inlineCalls(func::FuncOp function);

private:
  FailureOr<func::FuncOp> findCallee(func::CallOp call);
  LogicalResult checkPath(func::CallOp call, func::FuncOp callee);
  void replace(func::CallOp call, func::FuncOp callee);

  SymbolTable symbols;
  /// Functions without calls, and how many ops they have.
  llvm::DenseMap<Operation *, size_t> done;
  /// The functions that are being inlined, each called by the one before.
  SmallVector<func::FuncOp> path;
  /// The names in the last function of `path`.
  llvm::StringSet<> taken;
};

class InlineCalls : public weir::impl::InlineCallsBase<InlineCalls> {
public:
  using InlineCallsBase::InlineCallsBase;

  void runOnOperation() override {
    CallInliner inliner(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(inliner.inlineCalls(function)))
        return signalPassFailure();
  }
};
} // namespace

/// "'a', 'b'".
static std::string list(ArrayRef<func::FuncOp> functions) {
  std::string text;
  for (func::FuncOp function : functions)
    text += (text.empty() ? "'" : ", '") + function.getSymName().str() + "'";
  return text;
}

LogicalResult CallInliner::checkPath(func::CallOp call, func::FuncOp callee) {
  const auto *first = llvm::find(path, callee);
  if (first != path.end())
    return call.emitError("calls '")
           << callee.getSymName() << "', which is called by "
           << list(ArrayRef(first, path.end()))
           << "; a graph has no recursion: write the ops of each step";
  if (path.size() < maxDepth)
    return success();
  return call.emitError("is nested in more than ")
         << maxDepth << " calls; write the ops of some of them in their place";
}

/// The function that `call` names, without calls.
FailureOr<func::FuncOp> CallInliner::findCallee(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
    return call.emitError("calls '")
           << call.getCallee()
           << "', which has no body of ops; write the function with its ops";
  if (!isa<func::FuncOp>(call->getParentOp()))
    return call.emitError("stands in another op; write it in the function");
  if (failed(checkPath(call, callee)) || failed(inlineCalls(callee)))
    return failure();
  return callee;
}

/// Gives outputs that calls compute the names of these, which will be gone.
static void nameOutputs(func::FuncOp function) {
  Operation *end = function.getBody().front().getTerminator();
  llvm::StringSet<> names;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto name = function.getResultAttrOfType<StringAttr>(i, attrs::name))
      names.insert(name.getValue());
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    const auto number = static_cast<unsigned>(i);
    if (!value.getDefiningOp<func::CallOp>() ||
        function.getResultAttr(number, attrs::name))
      continue;
    // Several results of a call may have its name. The others get numbers.
    StringRef name = getValueName(value);
    if (names.insert(name).second)
      function.setResultAttr(number, attrs::name,
                             StringAttr::get(function.getContext(), name));
  }
}

/// Whether an op of `callee` may be called `name`, the name of a call: an
/// output of `function` may have it, too, and then means the op's result.
static bool mayBeCalled(StringRef name, func::FuncOp function,
                        func::FuncOp callee) {
  bool isOutput = false;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    isOutput |= getOutputName(function, i) == name;
  return !isOutput ||
         llvm::any_of(callee.getBody().front().getTerminator()->getOperands(),
                      [&](Value value) { return getValueName(value) == name; });
}

/// Puts the ops of `callee` in the place of `call`. An op keeps its name if the
/// function has no op of this name. Otherwise that of the call is in front.
void CallInliner::replace(func::CallOp call, func::FuncOp callee) {
  const std::string callName = getOpName(call).str();
  if (mayBeCalled(callName, path.back(), callee))
    taken.erase(callName);
  IRMapping mapping;
  mapping.map(callee.getArguments(), call.getOperands());
  OpBuilder builder(call);
  Block &body = callee.getBody().front();
  for (Operation &op : body.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    auto name = dyn_cast<NameLoc>(op.getLoc());
    if (!name || taken.insert(name.getName()).second)
      continue;
    std::string unique = callName + "." + name.getName().str();
    while (!taken.insert(unique).second)
      unique += "_";
    copy->setLoc(
        NameLoc::get(builder.getStringAttr(unique), name.getChildLoc()));
  }
  for (auto [result, value] :
       llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookup(value));
  call.erase();
}

static llvm::StringSet<> listNames(func::FuncOp function) {
  llvm::StringSet<> names;
  for (BlockArgument input : function.getArguments())
    names.insert(getValueName(input));
  for (Operation &op : function.getBody().front())
    if (auto name = dyn_cast<NameLoc>(op.getLoc()))
      names.insert(name.getName());
  return names;
}

LogicalResult CallInliner::inlineCalls(func::FuncOp function) {
  if (function.isExternal() || done.contains(function))
    return success();
  path.push_back(function);
  SmallVector<func::CallOp> calls;
  function.walk([&](func::CallOp call) { calls.push_back(call); });
  size_t numOps = function.getBody().front().getOperations().size();
  SmallVector<func::FuncOp> callees;
  for (func::CallOp call : calls) {
    FailureOr<func::FuncOp> callee = findCallee(call);
    if (failed(callee))
      return failure();
    callees.push_back(*callee);
    numOps += done.lookup(*callee);
    if (numOps > maxOps)
      return call.emitError("makes a function of more than ")
             << maxOps << " ops, with the ops of all calls in their place";
  }
  if (!calls.empty()) {
    nameOutputs(function);
    taken = listNames(function);
  }
  for (auto [call, callee] : llvm::zip(calls, callees))
    replace(call, callee);
  done[function] = numOps;
  path.pop_back();
  return success();
}
