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

/// The description of devices and links in `file`. If `file` is empty, `module`
/// names the file. If `module` names no file, the description is empty.
StatusOr<Topology> readDescription(mlir::Operation *module,
                                   std::string file = {});

/// A device and its rates. A device without rates of its own has the rates of
/// its kind.
struct TimedDevice {
  DeviceName name;
  /// The space of the device's memory (EntryOp::getSpace).
  llvm::StringRef space;
  DeviceRates rates = defaultRates(DeviceKind::CPU);
};

/// Predicts how long the commands of an entry last.
class CommandTimes {
public:
  /// Devices that `topology` lacks have the rates of their kind.
  CommandTimes(EntryOp entry, const Topology &topology);

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

  const Topology &topology;
  llvm::StringMap<TimedDevice> devices;
  /// The device that stands for the host's memory: the first device of the
  /// entry that shares this memory, or else cpu:0.
  TimedDevice host;
  /// The number of each shared link, by its name.
  std::map<std::string, int64_t> sharedLinks;
};
} // namespace weir::exec

#endif // WEIR_LIB_DIALECT_EXEC_TRANSFORMS_COMMANDTIMES_H
