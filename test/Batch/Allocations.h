//===- Allocations.h - Counts allocations -----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_BATCH_ALLOCATIONS_H
#define WEIR_TEST_BATCH_ALLOCATIONS_H

#include <cstdint>

namespace weir::batch {

/// The number of allocations by library.
struct Allocations {
  uint64_t own = 0;
  /// The allocations of the vendor's kernel library and its threads.
  uint64_t vendor = 0;
};

/// Whether this program can count allocations; sanitizers replace malloc
/// themselves.
bool canCountAllocations();

/// Starts counting, on all threads.
void startCounting();
/// The allocations since the start.
Allocations stopCounting();

} // namespace weir::batch

#endif // WEIR_TEST_BATCH_ALLOCATIONS_H
