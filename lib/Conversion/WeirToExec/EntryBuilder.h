//===- EntryBuilder.h - Builds an exec.entry --------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_WEIRTOEXEC_ENTRYBUILDER_H
#define WEIR_CONVERSION_WEIRTOEXEC_ENTRYBUILDER_H

#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

namespace weir {

/// Bytes of a buffer.
struct Place {
  mlir::Value buffer;
  int64_t offset = 0;
  uint64_t bytes = 0;

  /// The part of this place that begins at byte `at` and has `bytes` bytes.
  Place part(int64_t at, uint64_t bytes) const {
    return {buffer, offset + at, bytes};
  }
};

/// All bytes of `buffer`.
Place wholeOf(mlir::Value buffer);

/// The bytes of a tensor of `type`.
uint64_t spanBytes(mlir::Type type);

/// The part of `whole` that begins `offset` elements into it.
exec::View makePart(const exec::View &whole, mlir::ArrayRef<int64_t> dims,
                    int64_t offset, mlir::ArrayRef<int64_t> strides);

/// Inserts the buffers and commands of one entry. A command is appended to its
/// program, which is created with its first command.
class EntryBuilder {
public:
  explicit EntryBuilder(exec::EntryOp entry);
  ~EntryBuilder();
  EntryBuilder(const EntryBuilder &) = delete;
  EntryBuilder &operator=(const EntryBuilder &) = delete;

  /// Whether `device` has its own memory.
  bool isIsolated(mlir::StringAttr device) const {
    return isolated.contains(device);
  }
  /// The isolated device in whose memory `device` has its buffers. Null for the
  /// host's memory, which all other devices share.
  mlir::StringAttr getSpace(mlir::StringAttr device) const {
    return isIsolated(device) ? device : mlir::StringAttr();
  }
  /// Whether both devices access the same memory.
  bool shareMemory(mlir::StringAttr left, mlir::StringAttr right) const {
    return getSpace(left) == getSpace(right);
  }
  mlir::StringAttr getFirstDevice() const {
    return llvm::cast<mlir::StringAttr>(devices[0]);
  }
  /// The device of a port in the host's memory that `device` uses. If `device`
  /// is null, the first device counts. Null if the device does not reach the
  /// host's memory.
  mlir::StringAttr getPortDevice(mlir::StringAttr device) const {
    if (!device)
      device = getFirstDevice();
    return isIsolated(device) ? mlir::StringAttr() : device;
  }

  /// The device that copies within the host's memory. It is isolated only if
  /// all devices are, because an isolated device would copy from outside.
  mlir::StringAttr getHostCopier() const;
  /// The device that copies bytes from the memory of `writer` to the memory of
  /// `reader`. It is the reader, unless only the writer reaches its own memory.
  mlir::StringAttr getCopier(mlir::StringAttr writer,
                             mlir::StringAttr reader) const;

  /// Adds a buffer op, which has the name `name` in the text.
  template <typename BufferOp, typename... Args>
  mlir::Value addBuffer(mlir::StringRef name, mlir::Location where,
                        Args &&...args) {
    return BufferOp::create(declarations, nameLoc(name, where),
                            std::forward<Args>(args)...);
  }
  mlir::Value addScratch(mlir::StringRef name, mlir::Location where,
                         mlir::StringAttr device, uint64_t bytes);

  /// Adds a launch of the kernel of `launch` to the compute queue of `device`.
  /// For each of `writes`, `overwrites` has the number of the read that the
  /// write replaces, or -1. It is empty if no write replaces a read.
  void addLaunch(LaunchOp launch, mlir::StringAttr device,
                 mlir::ArrayRef<exec::View> reads,
                 mlir::ArrayRef<exec::View> writes,
                 mlir::ArrayRef<int32_t> overwrites = {});

  /// Records that the last launch or copy of `device` has stored a tensor that
  /// the model calls `name`.
  void addTensor(mlir::Location where, mlir::StringAttr device,
                 mlir::StringAttr name, const exec::View &view);
  /// Records which tensors the last launch of `device` holds inside.
  void setInside(mlir::StringAttr device, mlir::ArrayAttr names);

  /// A copy of all bytes of the source, or of 0 bytes if the target is an
  /// alias.
  struct Copy {
    std::string name;
    Place from;
    Place to;
    bool isCrossing = false;
  };
  /// Adds a copy to the queue of `device` that has the role `queue`. There is
  /// one exception: if the role is `CopyIn`, and only `device` copies from its
  /// memory, a copy from this memory goes to the queue for copies out. With
  /// this queue, copies in both directions are under way at the same time. So
  /// the copies to the device for the next run do not wait for the results of
  /// the current run.
  void addCopy(mlir::StringAttr device, QueueRole queue, const Copy &copy);
  /// Adds a copy to a place of a join to the compute queue. `reason` says why
  /// it is needed.
  void addJoinedCopy(mlir::StringAttr device, const Copy &copy,
                     mlir::StringRef reason);
  /// Adds a copy to the queue for copies in, before all copies that wait for
  /// another command. Its source is complete when the run begins.
  void addEarlyCopy(mlir::StringAttr device, const Copy &copy);
  /// Adds a command to the compute queue that sets bytes to zero.
  void addFill(mlir::StringAttr device, mlir::Location where,
               const std::string &name, const Place &to);

  /// Moves the programs into the entry, in the order of devices and roles.
  void finish();

private:
  mlir::Location nameLoc(mlir::StringRef name, mlir::Location where);
  mlir::Block &blockOf(mlir::StringAttr device, QueueRole queue);
  mlir::Operation *createCopy(const Copy &copy);
  /// Whether `copy` is from the memory of `device` to another memory.
  bool leaves(const Copy &copy, mlir::StringAttr device) const;

  exec::EntryOp entry;
  mlir::ArrayAttr devices;
  llvm::DenseSet<mlir::StringAttr> isolated;
  /// The devices whose memory only they themselves reach.
  llvm::DenseSet<mlir::StringAttr> selfCopying;
  mlir::OpBuilder declarations;
  mlir::OpBuilder commands;
  llvm::DenseMap<mlir::StringAttr, size_t> deviceNumbers;
  std::map<std::pair<size_t, QueueRole>, exec::ProgramOp> programs;
  /// The last launch of each device.
  llvm::DenseMap<mlir::StringAttr, exec::LaunchOp> lastLaunch;
  int64_t numTensors = 0;
  /// The last early copy of each device.
  llvm::DenseMap<mlir::StringAttr, mlir::Operation *> lastEarly;
};

} // namespace weir

#endif // WEIR_CONVERSION_WEIRTOEXEC_ENTRYBUILDER_H
