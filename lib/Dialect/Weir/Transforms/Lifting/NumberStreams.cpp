//===- NumberStreams.cpp - Tells draws of random numbers apart --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Training/Passes.h"
#include "weir/Support/ContentHash.h"
#include "weir/Support/Philox.h"

#include "llvm/ADT/DenseMap.h"

#include <set>

namespace weir {
#define GEN_PASS_DEF_NUMBERSTREAMS
#include "weir/Dialect/Weir/Transforms/Training/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// A number below 2^32 that follows from `name`.
static int64_t toStream(StringRef name) {
  Checksum checksum;
  checksum.update(std::as_bytes(std::span(name.data(), name.size())));
  return static_cast<uint32_t>(checksum.value());
}

/// The number after `stream` for another op of the same name. The step between
/// the two is odd, so that all numbers are reached. The step is large, because
/// streams that differ only in their last bits can collide: the generator's
/// counter combines these bits with the upper half of an element's index.
static int64_t nextStream(int64_t stream) {
  return static_cast<uint32_t>(stream + Philox::keySteps[0]);
}

namespace {
class NumberStreams : public weir::impl::NumberStreamsBase<NumberStreams> {
public:
  void runOnOperation() override {
    if (failed(forEachEntry(getOperation(), numberEntry)))
      signalPassFailure();
  }

private:
  static LogicalResult numberEntry(func::FuncOp entry) {
    SmallVector<RandomOpInterface> open;
    std::set<int64_t> taken;
    entry.walk([&](RandomOpInterface op) {
      const int64_t stream = op.getStreamAttr().getInt();
      if (stream < 0)
        open.push_back(op);
      else
        taken.insert(stream);
    });
    // The number to try next for the ops of one name. The key is the first
    // number for this name.
    llvm::DenseMap<int64_t, int64_t> next;
    for (RandomOpInterface op : open) {
      const int64_t first = toStream(weir::getOpName(op));
      int64_t &stream = next.try_emplace(first, first).first->second;
      while (!taken.insert(stream).second)
        stream = nextStream(stream);
      op.setStreamAttr(Builder(op.getContext()).getI64IntegerAttr(stream));
    }
    return success();
  }
};
} // namespace
