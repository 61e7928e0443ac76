//===- Session.h - Loads an artifact and runs it -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The public entry to the runtime:
//
//   auto session = weir::Session::load("model.weir");
//   if (!session.isOk())
//     return session.status();
//   auto status = (*session)->run(inputs, outputs);
//
// weir/Runtime/HostView.h makes views of vectors for inputs and outputs.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_SESSION_H
#define WEIR_RUNTIME_SESSION_H

#include "weir/Runtime/DeviceTensor.h"
#include "weir/Runtime/HostView.h"
#include "weir/Runtime/RunOptions.h"
#include "weir/Runtime/SessionStats.h"
#include "weir/Runtime/Tensor.h"
#include "weir/Runtime/TensorObserver.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir {

class DeviceDriver;
class HostTensor;
class SessionState;
class Trace;

/// Something that a session asks of a device.
struct DeviceOption {
  /// The device, "sim:1", or a kind for all its devices, "sim".
  std::string device;
  /// The name of an option of the device's kind; see docs/topology.md.
  std::string name;
  std::string value;
};

struct SessionOptions {
  /// The entry that the session's own `run` means. Empty: the only entry, else
  /// the entry called "main". If there is neither, each run has to name its
  /// entry: see `Session::entry`.
  std::string entry;
  /// The number of runs that may be in flight at the same time; 0: as
  /// many as the artifact was compiled for. There are never more than that; if
  /// more are asked for, `DeviceInfo::note` says so.
  int inFlight = 0;
  /// Threads of each device, at most 1024; 0: as the artifact says.
  int threads = 0;
  /// Whether threads are pinned to cores if the devices use all cores of the
  /// process. Set to false if other work shares the machine.
  bool pinThreads = true;
  /// Whether `run` may compute on the calling thread if one device does all of
  /// the work. This saves waking two threads. If several runs may be in flight,
  /// only kernels that need one thread run on the calling thread. Kernels that
  /// need several threads run on it only if no other code in the process is
  /// linked with the OpenMP library that Weir calls. The calling thread then
  /// has an OpenMP team of the device's size. Nothing runs on the calling
  /// thread while other devices on the same cores are open in the process. Set
  /// to false if the thread has a small stack.
  bool runOnCaller = true;
  /// Whether the artifact may bring native code (generated kernels), which runs
  /// with the rights of the process. If false, an artifact with such code is
  /// refused before any of it is loaded, and the session shares no weights with
  /// others. Shared weights are found by their hashes, which can be forged.
  bool allowCode = true;
  /// Whether a run fails with the first op whose result contains a NaN or
  /// infinity. Slow.
  bool checkNumerics = false;
  /// Whether devices time several implementations of a kernel and choose the
  /// fastest, if they can: the option "tune" of devices. A device that has
  /// nothing to tune says so in `DeviceInfo::note`.
  bool tune = false;
  /// Records each step of each run; or null. It must outlive the session.
  Trace *trace = nullptr;
  /// Receives tensors during runs; or null. It must outlive the session.
  TensorObserver *observer = nullptr;
  /// Drivers in addition to the built-in ones. They override built-in drivers
  /// of the same kind and must outlive the session.
  std::vector<const DeviceDriver *> deviceDrivers;
  /// Options of devices. If a device has several options of one name, the last
  /// one counts. It is an error if the artifact has no such device, or the
  /// device has no such option. Options for devices of variants that are not
  /// run have no effect.
  std::vector<DeviceOption> deviceOptions;
};

/// A parameter that some entry assigns.
struct VariableInfo {
  std::string name;
  TensorDesc desc;
  /// False if a run or a call that wrote it failed or was stopped.
  bool isValid = true;
};

/// A variable that an entry uses.
struct VariableUse {
  std::string name;
  /// Whether a run assigns it, rather than only reads it.
  bool isAssigned = false;
};

/// An entry of an artifact. A handle that is valid as long as its session. If
/// the artifact has the entry for several shapes of its inputs, a run takes the
/// shape that fits.
class SessionEntry {
public:
  class Plans;

  std::string_view name() const;
  /// The members below take the number of a shape. If the entry has no such
  /// shape, their results are empty.
  size_t numShapes() const;
  /// The inputs and outputs in the order in which `run` takes them.
  std::span<const TensorInfo> inputs(size_t shape = 0) const;
  std::span<const TensorInfo> outputs(size_t shape = 0) const;
  /// The variables that a run uses, in the order of `Session::variables`.
  std::vector<VariableUse> variables(size_t shape = 0) const;
  /// The launches of the plan for a shape, ordered by device and by position in
  /// its program.
  std::vector<LaunchInfo> launches(size_t shape = 0) const;
  /// The tensors of that plan by name, in an order in which runs compute them;
  /// tensors that are not visible come last. Empty without an observer.
  std::span<const PlanTensor> tensors(size_t shape = 0) const;
  /// For each device the number of groups that this plan places on it, in the
  /// order of `SessionStats::devices`.
  std::span<const uint64_t> groups(size_t shape = 0) const;

  /// Runs the entry on buffers of the caller, without a copy. Each buffer lies
  /// in the memory space of its input or output (`TensorInfo::space`); see
  /// `Session::allocate`. An output must not overlap any other buffer, and
  /// nobody may change the buffers until the call returns.
  Status run(std::span<const ConstTensorView> inputs,
             std::span<const TensorView> outputs,
             const RunOptions &options = {}) const;

  /// Runs the entry on tensors that it finds by name, in any order. Outputs
  /// that are not listed are computed and dropped.
  Status run(std::span<const NamedInput> inputs,
             std::span<const NamedOutput> outputs,
             const RunOptions &options = {}) const;

  /// Runs the entry and returns its outputs. All inputs and outputs must lie in
  /// the host's memory.
  StatusOr<std::vector<HostTensor>> run(std::span<const HostTensor> inputs,
                                        const RunOptions &options = {}) const;

  /// Queues a run and returns at once. The run owns the buffers until the
  /// future is ready. Throws std::bad_alloc if there is no memory for the run
  /// or the future; nothing is queued then.
  std::future<Status> runAsync(std::span<const ConstTensorView> inputs,
                               std::span<const TensorView> outputs,
                               const RunOptions &options = {}) const;

  /// Queues a run like the function above, but calls `onDone` with the outcome,
  /// once, and then destroys `onDone`. One thread of the process makes the
  /// callbacks of all sessions, one after the other, so no device waits for
  /// them. A callback may do what other threads may, with two exceptions:
  ///
  /// - It must not wait for another callback, which would never be called, nor
  ///   for a thread that stops or destroys a session, which waits for
  ///   callbacks.
  /// - `Session::stop` and the end of a session do not wait there.
  ///
  /// A callback may destroy a session if no other thread is in a call of that
  /// session, apart from `stop` and the `runAsync` that queued the callback's
  /// run. If the thread cannot be started, the run
  /// fails, and the calling thread makes the call.
  void runAsync(std::span<const ConstTensorView> inputs,
                std::span<const TensorView> outputs,
                std::function<void(Status)> onDone,
                const RunOptions &options = {}) const;

private:
  friend class SessionState;
  SessionEntry(SessionState &state, const Plans &plans)
      : state(&state), plans(&plans) {}
  SessionState *state;
  const Plans *plans;
};

/// The entries of an artifact, loaded and ready. All members are thread-safe.
///
/// An artifact may contain native code, which can do all that this process may
/// do. So load only artifacts of those whose programs you would run, or set
/// `SessionOptions::allowCode` to false. The checksum detects damage, not
/// malice.
///
/// Runs begin in the order of their calls. As many runs as the artifact was
/// compiled for are in flight at the same time. Runs that only read a variable
/// may use it at the same time. A run that writes the variable waits for all
/// earlier runs that use it, and later runs wait for the end of this run. So
/// each run sees one state of the variables.
///
/// After a failed or cancelled run the session stays usable. But the variables
/// that the run has begun to write have no value: runs that read them fail
/// until the variables are set or loaded. If a kernel, an observer or the
/// allocator throws while an artifact is loaded or run, the exception becomes
/// an error.
///
/// Sessions of one process that use the same devices in the same way share
/// them. An observer may call its own session. In the observer, `run` of that
/// session is an error, because it would wait for itself.
class Session {
public:
  /// Loads the artifact in the file `path`. Later changes of the file have no
  /// effect. If another process changes the file during the call, the session
  /// has one version as a whole, or the call fails.
  static StatusOr<std::unique_ptr<Session>>
  load(const std::string &path, const SessionOptions &options = {});
  /// Loads an artifact that is in memory. The artifact is copied.
  static StatusOr<std::unique_ptr<Session>>
  load(std::span<const std::byte> bytes, const SessionOptions &options = {});

  /// Stops the session. If a callback or the session's own observer destroys
  /// it, the destructor does not wait. For a device that has not begun a run,
  /// it waits 30 s at most. In both cases, everything that the session holds is
  /// destroyed when its runs have ended. The objects that its options point to
  /// must then exist until the process ends.
  ~Session();

  /// The metadata of the artifact, as keys and values. They are the metadata of
  /// an ONNX model, and how each entry that trains is trained.
  const std::vector<std::pair<std::string, std::string>> &metadata() const;
  /// The devices that the session has open, in the order of
  /// `SessionStats::devices`, as they were when it was loaded. The notes there
  /// have remarks about runs, too.
  std::vector<DeviceInfo> devices() const;
  /// The names of the entries.
  std::vector<std::string> entryNames() const;
  /// The entry `name`, or an error that lists the entries. The empty name means
  /// the session's own entry.
  StatusOr<SessionEntry> entry(std::string_view name) const;
  /// The session's own entry: see `SessionOptions::entry`. The members below,
  /// which `SessionEntry` describes, use this entry and its first shape. If
  /// there is no such entry, the result has no shapes, inputs and outputs, and
  /// its runs fail with an error that names the entries.
  SessionEntry entry() const;

  std::span<const TensorInfo> inputs() const;
  std::span<const TensorInfo> outputs() const;
  /// The position of an input or output, or nothing if the entry has no such
  /// name.
  std::optional<size_t> findInput(std::string_view name) const;
  std::optional<size_t> findOutput(std::string_view name) const;

  Status run(std::span<const ConstTensorView> inputs,
             std::span<const TensorView> outputs,
             const RunOptions &options = {});
  Status run(std::span<const NamedInput> inputs,
             std::span<const NamedOutput> outputs,
             const RunOptions &options = {});
  StatusOr<std::vector<HostTensor>> run(std::span<const HostTensor> inputs,
                                        const RunOptions &options = {});
  std::future<Status> runAsync(std::span<const ConstTensorView> inputs,
                               std::span<const TensorView> outputs,
                               const RunOptions &options = {});

  /// A tensor of zeros for `port`, an input or output of an entry of this
  /// session, in the memory space of the port.
  StatusOr<DeviceTensor> allocate(const TensorInfo &port) const;

  /// Orders later runs on `device` behind the work that is in `stream` now.
  /// `stream` is a stream of the caller on that device, such as a CUstream for
  /// "cuda:0". Neither this call nor the thread that runs waits for this work.
  /// A run has ended when its call returns. So work that is put into the stream
  /// afterwards may use the outputs.
  Status orderBehind(std::string_view device, void *stream);

  /// The variables. This and each of the calls below waits for its turn like a
  /// run, so that it sees or makes one state. In the session's own observer,
  /// this call does not wait and describes the current state. The other calls
  /// are errors there.
  ///
  /// Calls that write change nothing if they are refused. If a device fails to
  /// copy a value, the variables that the call has begun to write have no
  /// value, like those of a run that fails.
  std::vector<VariableInfo> variables() const;
  /// The value of a variable, row-major.
  StatusOr<HostTensor> getVariable(std::string_view name) const;
  /// Copies the value of a variable to `value`, which has its type and shape
  /// and lies in the host's memory.
  Status getVariable(std::string_view name, const TensorView &value) const;
  /// Copies the values of all variables, from one state, to `values`, which has
  /// one view for each of `variables()`, in that order.
  Status getVariables(std::span<const TensorView> values) const;
  /// Sets a variable. `value` must have its type and shape.
  Status setVariable(std::string_view name, const ConstTensorView &value);
  /// Writes all variables as the safetensors file `path`, which appears as a
  /// whole or not at all.
  Status saveVariables(const std::string &path) const;
  /// Sets all variables from a safetensors file. The file must have a tensor
  /// for each variable, and no other tensors.
  Status loadVariables(const std::string &path);

  /// Cancels the runs in flight and the waiting ones, and returns when nothing
  /// runs any more and all callbacks have returned. If an observer of such a
  /// run or a callback calls this, it returns at once. Later runs, and calls
  /// that get or set variables, fail with Cancelled. For a device that has not
  /// begun a run, and may never do so, it waits 30 s at most.
  void stop();

  SessionStats stats() const;
  std::vector<LaunchInfo> launches() const;
  std::span<const PlanTensor> tensors() const;

private:
  friend class SessionState;
  explicit Session(std::unique_ptr<SessionState> state);
  std::unique_ptr<SessionState> state;
};

} // namespace weir

#endif // WEIR_RUNTIME_SESSION_H
