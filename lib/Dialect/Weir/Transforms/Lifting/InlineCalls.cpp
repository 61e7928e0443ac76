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

/// The most ops of a function after inlining. The number grows exponentially in
/// a chain of functions if each of them calls the next one twice.
static constexpr size_t maxOps = size_t{1} << 18;
/// The longest chain of calls. Each call takes space on the stack.
static constexpr size_t maxDepth = 256;

namespace {
/// Finds the functions that calls name, and the sizes of functions after
/// inlining.
class CallGraph {
public:
  explicit CallGraph(ModuleOp module) : symbols(module) {}

  /// Visits `function` and the functions that it calls. It is an error if calls
  /// are recursive, or if the functions are too many or too large.
  LogicalResult visit(func::FuncOp function);
  /// The functions that were visited, each behind the functions that it calls.
  ArrayRef<func::FuncOp> list() const { return order; }
  func::FuncOp getCallee(func::CallOp call) const {
    return symbols.lookup<func::FuncOp>(call.getCallee());
  }

private:
  LogicalResult visitCall(func::CallOp call);

  SymbolTable symbols;
  /// The number of ops of each function that was visited, after inlining.
  llvm::DenseMap<Operation *, size_t> numOps;
  SmallVector<func::FuncOp> order;
  /// The functions that are being visited, each called by the one before.
  SmallVector<func::FuncOp> path;
};

/// Replaces the calls in one function by the ops of the called functions.
class CallInliner {
public:
  explicit CallInliner(func::FuncOp function) : function(function) {}

  void inlineCalls(const CallGraph &graph);

private:
  void replace(func::CallOp call, func::FuncOp callee);
  bool mayBeCalled(StringRef name, func::FuncOp callee);
  std::string makeName(StringRef call, StringRef name);

  func::FuncOp function;
  /// The names of the ops in the function.
  llvm::StringSet<> taken;
  /// The last number that was appended to each name that was taken.
  llvm::StringMap<size_t> numTaken;
};

class InlineCalls : public weir::impl::InlineCallsBase<InlineCalls> {
public:
  using InlineCallsBase::InlineCallsBase;

  void runOnOperation() override {
    CallGraph graph(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(graph.visit(function)))
        return signalPassFailure();
    for (func::FuncOp function : graph.list())
      CallInliner(function).inlineCalls(graph);
  }
};
} // namespace

/// The names of `functions` as text, such as "'a', 'b'".
static std::string list(ArrayRef<func::FuncOp> functions) {
  std::string text;
  for (func::FuncOp function : functions)
    text += (text.empty() ? "'" : ", '") + function.getSymName().str() + "'";
  return text;
}

LogicalResult CallGraph::visitCall(func::CallOp call) {
  func::FuncOp callee = getCallee(call);
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
    return call.emitError("calls '")
           << call.getCallee()
           << "', which has no body of ops; write the function with its ops";
  if (!isa<func::FuncOp>(call->getParentOp()))
    return call.emitError("stands in another op; write it in the function");
  if (const auto *first = llvm::find(path, callee); first != path.end())
    return call.emitError("calls '")
           << callee.getSymName() << "', which is called by "
           << ::list(ArrayRef(first, path.end()))
           << "; a graph has no recursion: write the ops of each step";
  if (path.size() >= maxDepth)
    return call.emitError("is nested in more than ")
           << maxDepth
           << " calls; write the ops of some of them in their place";
  return visit(callee);
}

LogicalResult CallGraph::visit(func::FuncOp function) {
  if (function.isExternal() || numOps.contains(function))
    return success();
  path.push_back(function);
  SmallVector<func::CallOp> calls;
  function.walk([&](func::CallOp call) { calls.push_back(call); });
  size_t count = function.getBody().front().getOperations().size();
  for (func::CallOp call : calls) {
    if (failed(visitCall(call)))
      return failure();
    count += numOps.lookup(getCallee(call));
    if (count > maxOps)
      return call.emitError("makes a function of more than ")
             << maxOps << " ops, with the ops of all calls in their place";
  }
  path.pop_back();
  numOps[function] = count;
  order.push_back(function);
  return success();
}

/// Names outputs after the calls that compute them, because the calls will be
/// removed.
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
    // Several results of a call may have its name. Then only the first output
    // gets the name, and the others get numbers later.
    StringRef name = getValueName(value);
    if (names.insert(name).second)
      function.setResultAttr(number, attrs::name,
                             StringAttr::get(function.getContext(), name));
  }
}

/// Whether ops of `callee` may have the name `name` of the call. If an output
/// of the function has this name too, `callee` must return a value of this
/// name.
bool CallInliner::mayBeCalled(StringRef name, func::FuncOp callee) {
  bool isOutput = false;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    isOutput |= getOutputName(function, i) == name;
  return !isOutput ||
         llvm::any_of(callee.getBody().front().getTerminator()->getOperands(),
                      [&](Value value) { return getValueName(value) == name; });
}

/// An unused name for the copy of an op `name`, which replaces a part of
/// `call`.
std::string CallInliner::makeName(StringRef call, StringRef name) {
  const std::string wanted = (call + "." + name).str();
  std::string unique = wanted;
  while (!taken.insert(unique).second)
    unique = wanted + "_" + std::to_string(++numTaken[wanted]);
  return unique;
}

/// Replaces `call` by the ops of `callee`. An op keeps its name if the function
/// has no other op of this name. Otherwise the op gets the name of the call as
/// a prefix.
void CallInliner::replace(func::CallOp call, func::FuncOp callee) {
  const std::string callName = getOpName(call).str();
  if (mayBeCalled(callName, callee))
    taken.erase(callName);
  IRMapping mapping;
  mapping.map(callee.getArguments(), call.getOperands());
  OpBuilder builder(call);
  Block &body = callee.getBody().front();
  for (Operation &op : body.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    auto name = dyn_cast<NameLoc>(op.getLoc());
    if (name && !taken.insert(name.getName()).second)
      copy->setLoc(NameLoc::get(
          builder.getStringAttr(makeName(callName, name.getName())),
          name.getChildLoc()));
  }
  for (auto [result, value] :
       llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookup(value));
  call.erase();
}

void CallInliner::inlineCalls(const CallGraph &graph) {
  const auto calls = llvm::to_vector(function.getOps<func::CallOp>());
  if (calls.empty())
    return;
  nameOutputs(function);
  for (BlockArgument input : function.getArguments())
    taken.insert(getValueName(input));
  for (Operation &op : function.getBody().front())
    if (auto name = dyn_cast<NameLoc>(op.getLoc()))
      taken.insert(name.getName());
  for (func::CallOp call : calls)
    replace(call, graph.getCallee(call));
}
