//===- AccessList.h - The commands that access a buffer ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_EXEC_TRANSFORMS_ACCESSLIST_H
#define WEIR_LIB_DIALECT_EXEC_TRANSFORMS_ACCESSLIST_H

#include "SeenWrites.h"

#include "llvm/ADT/SmallVector.h"

namespace weir::exec {

/// Commands in order, and the bytes that each of them accesses.
template <typename Command> struct AccessList {
  llvm::SmallVector<Command> commands;
  /// The bytes that `commands[i]` accesses, for each i.
  llvm::SmallVector<ByteSpan> spans;

  void add(Command command, const ByteSpan &span) {
    commands.push_back(command);
    spans.push_back(span);
  }
  void append(const AccessList &other) {
    commands.append(other.commands);
    spans.append(other.spans);
  }
  llvm::SmallVector<Command> pick(llvm::ArrayRef<uint32_t> numbers) const {
    llvm::SmallVector<Command> picked;
    for (uint32_t number : numbers)
      picked.push_back(commands[number]);
    return picked;
  }
};

/// The commands that write and that read some contents.
template <typename Command> struct Accesses {
  AccessList<Command> writes, reads;
};

/// Puts each read behind the writes of its bytes. For this, calls
/// `order(before, after)`: all commands in `after` must come behind all
/// commands in `before`.
template <typename Command, typename Order>
void orderReads(const AccessList<Command> &writes,
                const AccessList<Command> &reads, Order order) {
  findSeenWrites(
      writes.spans, reads.spans,
      [&](llvm::ArrayRef<uint32_t> all) {
        order(writes.commands, reads.pick(all));
      },
      [&](uint32_t read, llvm::ArrayRef<uint32_t> seen) {
        order(writes.pick(seen), reads.commands[read]);
      });
}

} // namespace weir::exec

#endif // WEIR_LIB_DIALECT_EXEC_TRANSFORMS_ACCESSLIST_H
