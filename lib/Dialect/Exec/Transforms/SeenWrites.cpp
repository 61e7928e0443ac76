//===- SeenWrites.cpp - Which writes of a buffer a read sees --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SeenWrites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace llvm;
using namespace weir::exec;

namespace {
/// The writes in the order of their first bytes.
class SortedWrites {
public:
  explicit SortedWrites(ArrayRef<ByteSpan> writes);

  bool isSeenWhole(const ByteSpan &read) const {
    return read.begin < leastEnd && mostBegin < endOf(read);
  }
  /// The numbers of the writes to bytes of `read`, in order.
  SmallVector<uint32_t> find(const ByteSpan &read) const;

private:
  /// An empty tensor counts as one byte, so that its reader comes after its
  /// writer.
  static uint64_t endOf(const ByteSpan &span) {
    return std::max(span.end, span.begin + 1);
  }

  ArrayRef<ByteSpan> writes;
  SmallVector<uint32_t> order;
  /// For each position in `order`, the largest end up to there.
  SmallVector<uint64_t> ends;
  uint64_t leastEnd = UINT64_MAX, mostBegin = 0;
};
} // namespace

SortedWrites::SortedWrites(ArrayRef<ByteSpan> writes)
    : writes(writes), order(llvm::to_vector(llvm::seq<uint32_t>(
                          0, static_cast<uint32_t>(writes.size())))) {
  llvm::stable_sort(order, [&](uint32_t left, uint32_t right) {
    return writes[left].begin < writes[right].begin;
  });
  uint64_t last = 0;
  for (uint32_t number : order) {
    const ByteSpan &write = writes[number];
    ends.push_back(last = std::max(last, endOf(write)));
    leastEnd = std::min(leastEnd, endOf(write));
    mostBegin = std::max(mostBegin, write.begin);
  }
}

SmallVector<uint32_t> SortedWrites::find(const ByteSpan &read) const {
  SmallVector<uint32_t> found;
  const auto *first = std::upper_bound(ends.begin(), ends.end(), read.begin);
  for (size_t i = static_cast<size_t>(first - ends.begin()); i < order.size();
       ++i) {
    const ByteSpan &write = writes[order[i]];
    if (write.begin >= endOf(read))
      break;
    if (endOf(write) > read.begin)
      found.push_back(order[i]);
  }
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
