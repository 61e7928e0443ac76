//===- CommandTimes.h - How long commands last, by the cost model ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_EXEC_TRANSFORMS_COMMANDTIMES_H
#define WEIR_LIB_DIALECT_EXEC_TRANSFORMS_COMMANDTIMES_H

#include "weir/Analysis/CostModel.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Support/Topology.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <string>

namespace weir::exec {

/// A device and its rates. If it has no rates, they are those of its kind.
struct TimedDevice {
  DeviceName name;
  /// The space of its memory (EntryOp::getSpace).
  llvm::StringRef space;
  DeviceRates rates = defaultRates(DeviceKind::CPU);
};

/// Predicts how long the commands of an entry last.
class CommandTimes {
public:
  explicit CommandTimes(EntryOp entry);

  /// Whether a device asks for predicted times.
  bool areWanted() const;
  void predict(ProgramOp program) const;
  /// How long `launch` lasts on the device of `program`.
  double secondsOf(LaunchOp launch, ProgramOp program) const;

private:
  /// The device in whose memory a buffer lies.
  const TimedDevice &deviceOf(mlir::Value buffer) const;
  double secondsOf(LaunchOp launch, const TimedDevice &device) const;
  double secondsOf(CopyOp copy, const TimedDevice &device) const;
  void predict(LaunchOp launch, const TimedDevice &device) const;
  void predict(CopyOp copy, const TimedDevice &device) const;
  void predict(FillOp fill, const TimedDevice &device) const;

  Topology topology;
  llvm::StringMap<TimedDevice> devices;
  /// The device that stands for the host's memory: the first one that shares
  /// it, else cpu:0.
  TimedDevice host;
  /// The numbers of shared links, by their names.
  std::map<std::string, int64_t> sharedLinks;
};
} // namespace weir::exec

#endif // WEIR_LIB_DIALECT_EXEC_TRANSFORMS_COMMANDTIMES_H
