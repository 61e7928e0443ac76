//===- HostDevice.h - Devices made of threads of this process -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The base of all device kinds whose kernels run on threads of this process,
// built in or in a plug-in.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_HOSTDEVICE_H
#define WEIR_RUNTIME_HOSTDEVICE_H

#include "weir/Runtime/Device.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

namespace weir {

class HostQueue;
class QueueTeam;
class TeamUse;

/// The way in which the thread of a queue works.
struct HostQueueOptions {
  /// The name of the device, for errors.
  std::string deviceName;
  /// The number of times the thread polls for an event before it parks.
  int spins = 0;
  /// The number of times the thread polls for work before it parks.
  int spinsForWork = 0;
  /// Called on the thread before its first submission, to pin it and start its
  /// team. If it fails, the queue is not created.
  std::function<Status()> onStart = {};
  /// Called on the thread before a submission that needs its team. If it fails,
  /// so does the run.
  std::function<Status()> onWork = {};
  /// Prepares other threads for the queue's kernels; null if any thread can run
  /// them without preparation. Only the runtime's own devices have one.
  std::shared_ptr<QueueTeam> team = {};
  /// Chooses whether runs use the team of their thread; null if they always do.
  /// Only the runtime's own devices have one.
  std::shared_ptr<TeamUse> teamUse = {};
  /// Takes part in all steps but records and waits; or null.
  std::shared_ptr<StepHook> hook = {};
};

/// Memory, copies and queues of a device in this process. A device kind adds
/// how its kernels are prepared. A kind that keeps its memory elsewhere
/// overrides `allocate`.
///
/// The threads of the queues end when this base is destroyed. By then, the
/// members of a derived class are destroyed. If kernels or hooks use these
/// members, the derived class has to call `closeQueues` in its destructor.
class HostDevice : public Device {
public:
  ~HostDevice() override;
  const DeviceInfo &info() const override { return description; }
  using Device::allocate;
  StatusOr<std::unique_ptr<DeviceMemory>>
  allocate(size_t bytes, PagePlacement placement) override;
  Status copyFromHost(void *to, const void *from, size_t bytes) override;
  Status copyToHost(void *to, const void *from, size_t bytes) override;
  Status whilePreparing(const std::function<Status()> &function) override;
  StatusOr<DeviceQueue *> openQueue(QueueRole role) override;

protected:
  /// `compute` configures the compute queue, `copies` all others. The memory of
  /// all such devices of the process is at most `info.memoryBytes`.
  HostDevice(DeviceInfo info, HostQueueOptions compute,
             HostQueueOptions copies);

  /// Prepares the kernel that `spec` names on the thread of the compute queue.
  /// `table` is ordered by name. If the table has no such kernel, the error is
  /// Unimplemented.
  StatusOr<std::unique_ptr<Kernel>>
  prepareFrom(std::span<const KernelTableEntry> table, const KernelSpec &spec,
              PrepareContext &context);

  /// Adds a remark for the user, unless a remark with the same code was added
  /// before.
  void addNote(DeviceNote note) {
    if (std::ranges::find(description.notes, note.code, &DeviceNote::code) ==
        description.notes.end())
      description.addNote(std::move(note));
  }

  /// Returns when the queues have carried out all submissions, and their
  /// threads have ended. The queues cannot be used any more.
  void closeQueues();

  /// Touches every page of `memory`. Called on the thread of the compute
  /// queue.
  virtual void placePages(std::span<std::byte> memory) const;

private:
  StatusOr<HostQueue *> hostQueue(QueueRole role);

  DeviceInfo description;
  HostQueueOptions compute;
  HostQueueOptions copies;
  /// Held while a queue is looked for or opened.
  std::mutex opening;
  std::map<QueueRole, std::unique_ptr<HostQueue>> queues;
};

} // namespace weir

#endif // WEIR_RUNTIME_HOSTDEVICE_H
