//===- SelectEntry.cpp - Keeps the functions to compile ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/OptionText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace weir {
#define GEN_PASS_DEF_SELECTENTRY
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class SelectEntry : public weir::impl::SelectEntryBase<SelectEntry> {
public:
  using SelectEntryBase::SelectEntryBase;

  void runOnOperation() override {
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    if (failed(checkFound(functions)))
      return signalPassFailure();
    FailureOr<Functions> chosen =
        entry.empty() ? chooseAll(functions) : chooseNamed(functions);
    if (failed(chosen) || !llvm::all_of(*chosen, isEntry))
      return signalPassFailure();
    for (func::FuncOp function : functions)
      if (!chosen->contains(function))
        function.erase();
  }

private:
  using Functions = llvm::SetVector<func::FuncOp>;

  LogicalResult checkFound(ArrayRef<func::FuncOp> functions) {
    if (!functions.empty())
      return success();
    InFlightDiagnostic error = getOperation().emitError(
        "has no function; expected 'func.func @main(...)'");
    if (!getOperation().getOps<ModuleOp>().empty())
      error << " outside of nested modules";
    return error;
  }

  /// The only function, or all public functions.
  FailureOr<Functions> chooseAll(ArrayRef<func::FuncOp> functions) {
    Functions chosen;
    for (func::FuncOp function : functions)
      if (functions.size() == 1 || function.isPublic())
        chosen.insert(function);
    if (!chosen.empty())
      return chosen;
    return getOperation().emitError("has several functions, but no public one; "
                                    "it has ")
           << nearNames("", listFunctions(functions))
           << "; remove 'private' from those to compile, or choose with "
              "--entry";
  }

  FailureOr<Functions> chooseNamed(ArrayRef<func::FuncOp> functions) {
    Functions chosen;
    llvm::StringSet<> seen;
    for (StringRef wanted : entry) {
      if (!seen.insert(wanted).second)
        return emitError(UnknownLoc::get(&getContext()), "--entry names '")
               << wanted << "' twice; name it once";
      size_t before = chosen.size();
      for (func::FuncOp function : functions)
        if (getEntryName(function) == wanted)
          chosen.insert(function);
      if (chosen.size() == before)
        return emitError(UnknownLoc::get(&getContext()), "--entry names '")
               << wanted << "', which is no function; "
               << offerNames(std::string_view(wanted), listFunctions(functions))
               << describeList(wanted);
    }
    return chosen;
  }

  static std::vector<std::string>
  listFunctions(ArrayRef<func::FuncOp> functions) {
    std::vector<std::string> names;
    for (func::FuncOp function : functions)
      if (!llvm::is_contained(names, getEntryName(function)))
        names.push_back(getEntryName(function).str());
    return names;
  }

  /// Whether `function` can be compiled. Reports the reason if it cannot.
  static bool isEntry(func::FuncOp function) {
    if (function.isExternal()) {
      function.emitError("entry '") << function.getName() << "' has no body";
      return false;
    }
    auto calls = function.getOps<func::CallOp>();
    if (calls.empty())
      return true;
    (*calls.begin()).emitError("calls '")
        << (*calls.begin()).getCallee() << "'; run weir-inline-calls first";
    return false;
  }
};
} // namespace
