//===- ElementWalk.h - Elements of a tensor in row-major order -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_ELEMENTWALK_H
#define WEIR_SUPPORT_ELEMENTWALK_H

#include <cstdint>
#include <span>
#include <vector>

namespace weir {

/// Visits the elements of a strided tensor in row-major order:
///
///   for (ElementWalk walk(desc.dims, desc.strides); !walk.atEnd();
///        walk.next())
///     use(walk.index(), walk.offset());
///
/// `dims` and `strides` have one entry per dim, and must outlive the walk.
class ElementWalk {
public:
  ElementWalk(std::span<const int64_t> dims, std::span<const int64_t> strides);

  bool atEnd() const { return left == 0; }
  /// Goes to the next element. Must not be called at the end.
  void next();

  /// The element's index in each dim.
  const std::vector<int64_t> &index() const { return position; }
  /// The distance in elements from the first element.
  int64_t offset() const { return current; }

private:
  std::span<const int64_t> dims;
  std::span<const int64_t> strides;
  std::vector<int64_t> position;
  int64_t current = 0;
  /// The number of elements from the current one on.
  int64_t left = 1;
};

/// The index in each dim of element number `element` in row-major order. A dim
/// of size 0 counts as one of size 1.
std::vector<int64_t> unravelIndex(int64_t element,
                                  std::span<const int64_t> dims);

/// The offset of element number `element` in row-major order, in elements from
/// the first one. A dim of size 0 counts as one of size 1.
int64_t stridedOffset(int64_t element, std::span<const int64_t> dims,
                      std::span<const int64_t> strides);

} // namespace weir

#endif // WEIR_SUPPORT_ELEMENTWALK_H
