//===- SelectEntry.cpp - Keeps one function, the entry ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

namespace weir {
#define GEN_PASS_DEF_SELECTENTRY
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;

namespace {
class SelectEntry : public weir::impl::SelectEntryBase<SelectEntry> {
public:
  using SelectEntryBase::SelectEntryBase;

  void runOnOperation() override {
    func::FuncOp chosen = choose();
    if (!chosen)
      return signalPassFailure();
    for (func::FuncOp function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (function != chosen)
        function.erase();
  }

private:
  func::FuncOp choose() {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions =
        llvm::to_vector(module.getOps<func::FuncOp>());
    if (functions.empty()) {
      InFlightDiagnostic error =
          module.emitError("has no function; expected 'func.func @main(...)'");
      if (!module.getOps<ModuleOp>().empty())
        error << " outside of nested modules";
      return {};
    }
    if (entry.empty() && functions.size() == 1)
      return checked(functions.front());
    StringRef wanted = entry.empty() ? StringRef("main") : StringRef(entry);
    for (func::FuncOp function : functions)
      if (function.getName() == wanted)
        return checked(function);
    std::string names = llvm::join(
        llvm::map_range(functions, [](func::FuncOp f) { return f.getName(); }),
        ", ");
    module.emitError("has no function '")
        << wanted << "'; it has " << names << "; choose one with --entry";
    return {};
  }

  func::FuncOp checked(func::FuncOp function) {
    if (function.isExternal()) {
      function.emitError("entry '") << function.getName() << "' has no body";
      return {};
    }
    auto calls = function.getOps<func::CallOp>();
    if (calls.empty())
      return function;
    (*calls.begin()).emitError("calls '")
        << (*calls.begin()).getCallee()
        << "'; calls are not supported: write its ops here";
    return {};
  }
};
} // namespace
