//===- Device.h - The interface of all device kinds -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// To add a device kind, implement DeviceDriver and Device, and DeviceQueue
// unless HostDevice serves, and pass the conformance suite
// (weir/Testing/DeviceConformance.h). docs/device-plugins.md shows how. Nothing
// else in the runtime knows which kinds exist.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICE_H
#define WEIR_RUNTIME_DEVICE_H

#include "weir/Runtime/DeviceQueue.h"
#include "weir/Runtime/Kernel.h"
#include "weir/Support/QueueRole.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir {

/// A remark for the user about a device.
struct DeviceNote {
  /// The subject of the remark, in words that stay the same, such as
  /// "shared-cores". docs/cli/graph-run.md lists the codes of Weir.
  std::string code;
  /// The text for people, such as "2 threads share 1 core".
  std::string text;
};

/// A device in the reports of a session and of `--list-devices`.
struct DeviceInfo {
  /// "cpu:0".
  std::string name;
  /// "cpu".
  std::string kind;
  /// The number of threads that run its kernels; 0 if the device has none.
  int threads = 0;
  /// Memory that arenas can be allocated from, in bytes; 0 when unknown.
  uint64_t memoryBytes = 0;
  /// A processor or board name, for people.
  std::string description;
  /// The texts of `notes`, joined; empty if there is none. A driver that sets
  /// only this has one note, whose code is "device".
  std::string note;
  /// The processors of the machine that its kernels may run on, as Linux
  /// numbers them; empty: any. For devices whose driver uses cores.
  std::vector<int> processors = {};
  /// Remarks for the user, such as that cores are shared between devices.
  std::vector<DeviceNote> notes = {};

  /// Adds a remark, to `note` as well.
  void addNote(DeviceNote added) {
    note += (note.empty() ? "" : "; ") + added.text;
    notes.push_back(std::move(added));
  }
};

/// A device that an artifact requires.
struct DeviceRequest {
  /// "cpu:0".
  std::string name;
  /// Threads for its kernels; 0: the device's share of the machine.
  int threads = 0;
  /// Whether the device keeps its own copies of parameters.
  bool isolated = false;
  /// Whether its threads may be pinned to cores.
  bool mayPin = true;
  /// The options that the session sets for the device, by name:
  /// SessionOptions::deviceOptions.
  std::map<std::string, std::string> options = {};

  bool operator==(const DeviceRequest &) const = default;
};

/// Memory of a device, freed with the object.
class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;
  void *data() const { return start; }
  size_t size() const { return length; }

protected:
  DeviceMemory(void *start, size_t length) : start(start), length(length) {}

private:
  void *start;
  size_t length;
};

/// The alignment in bytes of all device memory.
inline constexpr size_t deviceMemoryAlignment = 256;

/// When the system provides the pages of new memory.
enum class PagePlacement {
  /// At once, on the threads of the device, so that no run pays for it.
  Now,
  /// At the first write, which is part of loading.
  FirstWrite
};

/// An opened device, on which several models may run. Members may be called
/// from any thread, but only one at a time. Copies and `allocate` may be called
/// at any time.
class Device {
public:
  virtual ~Device() = default;

  virtual const DeviceInfo &info() const = 0;

  /// Remarks for the user about the runs so far. May be called at any time.
  virtual std::vector<DeviceNote> remarks() const { return {}; }

  /// Zero-filled memory, aligned to `deviceMemoryAlignment`. If the device
  /// cannot provide it, the error is ResourceExhausted; it never crashes.
  virtual StatusOr<std::unique_ptr<DeviceMemory>>
  allocate(size_t bytes, PagePlacement placement) = 0;
  StatusOr<std::unique_ptr<DeviceMemory>> allocate(size_t bytes) {
    return allocate(bytes, PagePlacement::Now);
  }

  /// Copies between host and device memory and returns when the copy is
  /// complete. For loading, variables and the caller's tensors, not for runs.
  virtual Status copyFromHost(void *to, const void *from, size_t bytes) = 0;
  virtual Status copyToHost(void *to, const void *from, size_t bytes) = 0;

  /// The alignment in bytes that inputs and outputs in the memory of the device
  /// need, if it is more than the size of an element.
  virtual size_t bufferAlignment() const { return 1; }

  /// Orders later work of the device's queues behind the work that is in
  /// `stream` now. `stream` is a stream of the caller on this device. Waits for
  /// nothing. May be called at any time.
  virtual Status orderBehind(void *stream) {
    (void)stream;
    return unimplemented(info().name +
                         ": callers have no streams on devices of this kind; "
                         "wait for the work before the run");
  }

  /// Tells the device that runs copy between its memory and these bytes of the
  /// host's memory. The caller destroys the result before it frees the bytes.
  /// Returns null if this makes no difference or the device cannot do it.
  virtual std::shared_ptr<void> pinHostMemory(void *start, size_t bytes) {
    (void)start, (void)bytes;
    return nullptr;
  }

  /// Whether the device was given up, because it has not ended a cancelled run
  /// in time. It may still use the memory of the host that its queues were told
  /// of. So this memory is never freed. May be called at any time.
  virtual bool isGivenUp() const { return false; }

  /// A key for packed operands. Devices with equal, non-empty keys pack
  /// operands to the same bytes, so they share packed operands, also between
  /// sessions. The memory of these devices must be host memory that may outlive
  /// them. A device with an empty key shares none.
  virtual std::string packingKey() const = 0;

  /// Calls `function`, which prepares kernels of this device, on the thread
  /// that prepares them. One call for many kernels saves thread switches. Runs
  /// of other models may wait for the end of a call, so it should be short.
  virtual Status whilePreparing(const std::function<Status()> &function) {
    return function();
  }

  /// Prepares a kernel of this device's table. An unknown name is an
  /// Unimplemented error.
  virtual StatusOr<std::unique_ptr<Kernel>>
  prepare(const KernelSpec &spec, PrepareContext &context) = 0;

  /// The queue with the role `role`. The device owns the queue; the first call
  /// opens it.
  virtual StatusOr<DeviceQueue *> openQueue(QueueRole role) = 0;
};

/// Opens the devices of one kind. Drivers are stateless, so members may be
/// called by several threads at the same time.
class DeviceDriver {
public:
  virtual ~DeviceDriver() = default;

  /// The part of a device name before the colon.
  virtual std::string_view name() const = 0;

  /// The devices of this kind on this machine, for `--list-devices`.
  virtual std::vector<DeviceInfo> detect() const = 0;

  /// Whether this machine has the feature `name`, such as "avx512f". A variant
  /// lists the features that it needs.
  virtual bool hasFeature(std::string_view name) const = 0;

  /// Ok, or why this machine cannot open these devices together.
  virtual Status canOpen(std::span<const DeviceRequest> requests) const = 0;

  /// Ok, or why `request.options` are not valid. `open` gets valid options
  /// only, and returns an error if this machine lacks what they name. By
  /// default, the options are those that the kind allows:
  /// DeviceKindInfo::checkOption.
  virtual Status checkOptions(const DeviceRequest &request) const;

  /// Whether the devices compute on the machine's cores. Runs on different
  /// groups of such devices take turns if the groups have a processor in
  /// common: DeviceInfo::processors.
  virtual bool usesCores() const { return false; }

  /// The requests, completed with everything that they leave to the driver. If
  /// two groups of requests have equal results, `open` opens equal devices.
  virtual std::vector<DeviceRequest>
  resolve(std::span<const DeviceRequest> requests) const {
    return {requests.begin(), requests.end()};
  }

  /// Opens all devices of this kind that a session needs, in their order.
  /// They are opened together because they may share the machine's cores.
  virtual StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest> requests) const = 0;
};

/// The drivers that are built into the runtime.
std::span<const DeviceDriver *const> builtinDeviceDrivers();

/// The driver of the devices of `kind`. It is built in, or it comes from the
/// plug-in of the kind, which is loaded at the first call. Thread-safe.
StatusOr<const DeviceDriver *> findDeviceDriver(std::string_view kind);

/// A driver for devices of the kind `name`, each of which is a share of the
/// machine's cores and has the kernels of the given table. The table is ordered
/// by name and outlives the driver. `hookOf` makes the hook of the queues of a
/// device, or returns null.
std::unique_ptr<DeviceDriver>
makeCpuDriver(std::string name, std::span<const KernelTableEntry> kernels,
              std::function<std::shared_ptr<StepHook>(const DeviceRequest &)>
                  hookOf = {});

} // namespace weir

#endif // WEIR_RUNTIME_DEVICE_H
