//===- CommandTimes.h - How long commands last, by the cost model ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_EXEC_TRANSFORMS_COMMANDTIMES_H
#define WEIR_LIB_DIALECT_EXEC_TRANSFORMS_COMMANDTIMES_H

#include "weir/Analysis/TimeModel.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <string>

namespace weir::exec {

/// Predicts how long the commands of an entry last, on the devices that the
/// entry lists.
class CommandTimes {
public:
  explicit CommandTimes(EntryOp entry);

  /// Whether a device asks for predicted times.
  bool areWanted() const;
  void predict(ProgramOp program) const;
  /// How long `command` lasts on the device of `program`, in seconds. All
  /// commands but launches, copies and fills take no time.
  double secondsOf(mlir::Operation *command, ProgramOp program) const;

private:
  /// The device in whose memory a buffer lies; null for the host's memory.
  const DeviceDesc *deviceOf(mlir::Value buffer) const;
  DeviceName nameOf(const DeviceDesc *device) const {
    return device ? device->name : host;
  }
  double secondsOf(LaunchOp launch, size_t device) const;
  double secondsOf(CopyOp copy, size_t device) const;
  void noteSharedLink(CopyOp copy) const;

  const analysis::TimeModel model;
  /// The indices of the devices in the model's topology.
  llvm::StringMap<size_t> devices;
  /// The device that stands for the host's memory: the first one that shares
  /// it, else cpu:0.
  DeviceName host;
  /// The numbers of shared links, by their names.
  std::map<std::string, int64_t> sharedLinks;
};
} // namespace weir::exec

#endif // WEIR_LIB_DIALECT_EXEC_TRANSFORMS_COMMANDTIMES_H
