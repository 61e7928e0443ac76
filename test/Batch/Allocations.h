//===- Allocations.h - Counts what is allocated ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_BATCH_ALLOCATIONS_H
#define WEIR_TEST_BATCH_ALLOCATIONS_H

#include <cstdint>

namespace weir::batch {

/// Allocations by who asked for them.
struct Allocations {
  uint64_t own = 0;
  /// Of the vendor's kernel library and the threads it brings.
  uint64_t vendor = 0;
};

/// Whether this program sees its allocations; sanitizers want them themselves.
bool canCountAllocations();

/// Counts from here on, on all threads.
void startCounting();
/// What was allocated since the start.
Allocations stopCounting();

} // namespace weir::batch

#endif // WEIR_TEST_BATCH_ALLOCATIONS_H
