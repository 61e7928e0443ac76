//===- SeenWrites.h - Which writes of a buffer a read sees ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Several commands may write parts of one buffer. A command that reads a part
// waits only for the commands that write to that part.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_EXEC_TRANSFORMS_SEENWRITES_H
#define WEIR_LIB_DIALECT_EXEC_TRANSFORMS_SEENWRITES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace weir::exec {

/// Bytes [begin, end) of a buffer.
struct ByteSpan {
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// Finds for each read the writes that share bytes with it. Calls `all` once
/// with the numbers of the reads that overlap with every write. For each other
/// read, calls `some` with the number of the read and the numbers of its
/// writes. Numbers are in order. Takes O(n log n) time, where n counts the
/// accesses and the pairs that `some` gets.
void findSeenWrites(
    llvm::ArrayRef<ByteSpan> writes, llvm::ArrayRef<ByteSpan> reads,
    llvm::function_ref<void(llvm::ArrayRef<uint32_t>)> all,
    llvm::function_ref<void(uint32_t, llvm::ArrayRef<uint32_t>)> some);

} // namespace weir::exec

#endif // WEIR_LIB_DIALECT_EXEC_TRANSFORMS_SEENWRITES_H
