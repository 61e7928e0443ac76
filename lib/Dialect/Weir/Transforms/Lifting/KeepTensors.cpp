//===- KeepTensors.cpp - Keeps tensors from being fused away ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/TensorNames.h"
#include "weir/Support/Glob.h"

#include "llvm/ADT/StringExtras.h"

namespace weir {
#define GEN_PASS_DEF_KEEPTENSORS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class KeepTensors : public weir::impl::KeepTensorsBase<KeepTensors> {
public:
  using KeepTensorsBase::KeepTensorsBase;

  void runOnOperation() override {
    func::FuncOp entry = getEntry(getOperation());
    if (!entry)
      return signalPassFailure();
    for (StringRef pattern : keep)
      if (failed(apply(entry, pattern)))
        return signalPassFailure();
  }

private:
  LogicalResult apply(func::FuncOp entry, StringRef pattern) {
    StatusOr<Glob> glob = Glob::parse(pattern);
    if (!glob.isOk())
      return entry.emitError("keep pattern '")
             << pattern << "': " << glob.status().message();
    bool fits = false;
    for (auto op : llvm::to_vector(entry.getOps<WeirOpInterface>()))
      for (OpResult result : op->getResults())
        fits |= keepIfNamed(result, *glob);
    if (fits)
      return success();
    return entry.emitError("keep pattern '")
           << pattern << "' fits no tensor; " << describeTensors(entry, *glob);
  }

  /// Suggestions for an error: the tensors of ops with a matching name, else
  /// all tensors.
  static std::string describeTensors(func::FuncOp entry, const Glob &glob) {
    SmallVector<std::string> all, ofOps;
    for (auto op : entry.getOps<WeirOpInterface>())
      for (OpResult result : op->getResults()) {
        SmallVector<std::string> names = getTensorNames(result);
        llvm::append_range(all, names);
        if (glob.matches(weir::getOpName(op.getOperation())))
          llvm::append_range(ofOps, names);
      }
    return (ofOps.empty() ? "the tensors are "
                          : "it matches ops whose tensors are ") +
           listNames(ofOps.empty() ? all : ofOps);
  }

  static std::string listNames(ArrayRef<std::string> names) {
    constexpr size_t maxNames = 20;
    std::string list = llvm::join(names.take_front(maxNames), ", ");
    return names.size() > maxNames ? list + ", ..." : list;
  }

  static bool keepIfNamed(OpResult result, const Glob &glob) {
    if (llvm::none_of(getTensorNames(result), [&](const std::string &name) {
          return glob.matches(name);
        }))
      return false;
    OpBuilder builder(result.getContext());
    builder.setInsertionPointAfter(result.getOwner());
    KeepOp::create(builder, result.getLoc(), result);
    return true;
  }
};
} // namespace
