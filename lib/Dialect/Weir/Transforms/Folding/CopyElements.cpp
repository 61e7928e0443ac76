//===- CopyElements.cpp - Strided copies at compile time --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Folding/CopyElements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstring>

using namespace weir;

namespace {
/// A loop over elements. On each side, neighbours have a fixed distance in
/// bytes.
struct CopyLoop {
  int64_t size;
  int64_t from, to;
};
} // namespace

/// The loops of `copy`, outermost first. Two loops become one if their elements
/// have even distances on both sides.
static llvm::SmallVector<CopyLoop> makeLoops(const ElementCopy &copy,
                                             int64_t elementBytes) {
  llvm::SmallVector<CopyLoop> loops;
  for (auto [size, from, to] :
       llvm::zip(copy.dims, copy.fromStrides, copy.toStrides)) {
    if (size == 1)
      continue;
    CopyLoop loop = {size, from * elementBytes, to * elementBytes};
    if (!loops.empty() && loops.back().from == loop.from * size &&
        loops.back().to == loop.to * size)
      loops.back() = {loops.back().size * size, loop.from, loop.to};
    else
      loops.push_back(loop);
  }
  // The loops follow the memory order of the result.
  llvm::stable_sort(loops, [](const CopyLoop &left, const CopyLoop &right) {
    return std::abs(left.to) > std::abs(right.to);
  });
  return loops;
}

template <size_t bytes>
static void copyRow(CopyLoop loop, const char *from, char *to) {
  if (loop.from == static_cast<int64_t>(bytes) && loop.to == loop.from)
    std::memcpy(to, from, static_cast<size_t>(loop.size) * bytes);
  else
    for (int64_t i = 0; i < loop.size; ++i)
      std::memcpy(to + i * loop.to, from + i * loop.from, bytes);
}

/// Copies tile by tile, so that whole cache lines of both sides are used while
/// they are in the cache.
template <size_t bytes>
static void copyTiles(CopyLoop outer, CopyLoop inner, const char *from,
                      char *to) {
  constexpr int64_t tile = 32;
  for (int64_t i = 0; i < outer.size; i += tile)
    for (int64_t j = 0; j < inner.size; j += tile)
      for (int64_t row = i; row < std::min(i + tile, outer.size); ++row)
        copyRow<bytes>({std::min(tile, inner.size - j), inner.from, inner.to},
                       from + row * outer.from + j * inner.from,
                       to + row * outer.to + j * inner.to);
}

/// Copies along `loops`, and then tile by tile along `tiled` and `inner`.
/// `inner` iterates over the elements of a row, and all other loops iterate
/// over rows. `tiled` is the loop over rows with the smallest step in the
/// operand.
template <size_t bytes>
static void copyLoops(llvm::ArrayRef<CopyLoop> loops, const CopyLoop &tiled,
                      const CopyLoop &inner, const char *from, char *to) {
  if (loops.empty())
    return copyTiles<bytes>(tiled, inner, from, to);
  for (int64_t i = 0; i < loops.front().size; ++i)
    copyLoops<bytes>(loops.drop_front(), tiled, inner,
                     from + i * loops.front().from, to + i * loops.front().to);
}

template <size_t bytes>
static void copyElements(llvm::SmallVector<CopyLoop> loops, const char *from,
                         char *to) {
  CopyLoop one = {1, 0, 0};
  CopyLoop inner = loops.empty() ? one : loops.pop_back_val();
  CopyLoop tiled = one;
  auto least =
      llvm::min_element(loops, [](const CopyLoop &left, const CopyLoop &right) {
        return std::abs(left.from) < std::abs(right.from);
      });
  if (least != loops.end() && std::abs(least->from) < std::abs(inner.from)) {
    tiled = *least;
    loops.erase(least);
  }
  copyLoops<bytes>(loops, tiled, inner, from, to);
}

void weir::copyElements(const ElementCopy &copy, size_t elementBytes,
                        const char *from, char *to) {
  if (llvm::is_contained(copy.dims, 0))
    return;
  auto loops = makeLoops(copy, static_cast<int64_t>(elementBytes));
  from += copy.fromOffset * static_cast<int64_t>(elementBytes);
  to += copy.toOffset * static_cast<int64_t>(elementBytes);
  switch (elementBytes) {
  case 1:
    return ::copyElements<1>(std::move(loops), from, to);
  case 2:
    return ::copyElements<2>(std::move(loops), from, to);
  case 4:
    return ::copyElements<4>(std::move(loops), from, to);
  case 8:
    return ::copyElements<8>(std::move(loops), from, to);
  }
  llvm_unreachable("elements have 1, 2, 4 or 8 bytes");
}
