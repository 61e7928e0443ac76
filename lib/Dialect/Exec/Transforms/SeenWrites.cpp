//===- SeenWrites.cpp - Which writes of a buffer a read sees --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SeenWrites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace llvm;
using namespace weir::exec;

namespace {
/// The writes, ordered by their first bytes.
class SortedWrites {
public:
  explicit SortedWrites(ArrayRef<ByteSpan> spans);

  bool isSeenWhole(const ByteSpan &read) const {
    return read.begin < leastEnd && mostBegin < endOf(read);
  }
  /// The numbers of the writes that share bytes with `read`, in order.
  SmallVector<uint32_t> find(const ByteSpan &read) const;

private:
  /// An empty tensor counts as one byte, so that its reader comes after its
  /// writer.
  static uint64_t endOf(const ByteSpan &span) {
    return std::max(span.end, span.begin + 1);
  }

  struct Write {
    ByteSpan span;
    uint32_t number;
    /// The largest end of this write and the writes before it.
    uint64_t lastEnd = 0;
  };
  SmallVector<Write> writes;
  uint64_t leastEnd = UINT64_MAX, mostBegin = 0;
};
} // namespace

SortedWrites::SortedWrites(ArrayRef<ByteSpan> spans) {
  for (auto [number, span] : llvm::enumerate(spans))
    writes.push_back({span, static_cast<uint32_t>(number)});
  llvm::stable_sort(writes, [](const Write &left, const Write &right) {
    return left.span.begin < right.span.begin;
  });
  uint64_t last = 0;
  for (Write &write : writes) {
    const uint64_t end = endOf(write.span);
    write.lastEnd = last = std::max(last, end);
    leastEnd = std::min(leastEnd, end);
    mostBegin = std::max(mostBegin, write.span.begin);
  }
}

SmallVector<uint32_t> SortedWrites::find(const ByteSpan &read) const {
  SmallVector<uint32_t> found;
  const auto *write =
      std::ranges::upper_bound(writes, read.begin, {}, &Write::lastEnd);
  for (; write != writes.end() && write->span.begin < endOf(read); ++write)
    if (endOf(write->span) > read.begin)
      found.push_back(write->number);
  llvm::sort(found);
  return found;
}

void weir::exec::findSeenWrites(
    ArrayRef<ByteSpan> writes, ArrayRef<ByteSpan> reads,
    function_ref<void(ArrayRef<uint32_t>)> all,
    function_ref<void(uint32_t, ArrayRef<uint32_t>)> some) {
  const SortedWrites sorted(writes);
  SmallVector<uint32_t> whole;
  for (auto [number, read] : llvm::enumerate(reads))
    if (sorted.isSeenWhole(read))
      whole.push_back(static_cast<uint32_t>(number));
  all(whole);
  for (auto [number, read] : llvm::enumerate(reads))
    if (!sorted.isSeenWhole(read))
      some(static_cast<uint32_t>(number), sorted.find(read));
}
