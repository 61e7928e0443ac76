//===- KeepTensors.cpp - Makes tensors survive fusion -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/TensorNames.h"
#include "weir/Support/Glob.h"

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
           << pattern << "' fits no tensor; the ops are " << listOpNames(entry);
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
