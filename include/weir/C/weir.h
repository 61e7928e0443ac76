//===- weir.h - The runtime's C API ------------------------------*- C -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Loads an artifact and runs it, from C11, C++ or any language that can call C.
// docs/c-api.md has a whole program.
//
// Errors. A function that can fail returns a weir_status. If that is not
// WEIR_OK, `weir_last_error` has the message, and the function has given out
// nothing. A null pointer or a wrong number where the comments below allow none
// is such an error. No C++ exception leaves a function.
//
// Ownership. What a function gives out by `weir_TYPE **` belongs to the caller,
// who frees it once with `weir_TYPE_free`. These take null and then do nothing.
// All other pointers that functions give out belong to the object that the
// function was called with, and live as long as that. The library reads
// pointers that it is given only during the call, if nothing else is said.
//
// Threads. All functions may be called from several threads at the same time,
// also on the same session, entry or token. But nobody may use an object during
// or after the call that frees it. There is one exception, for callbacks of
// runs: see `weir_session_free`.
//
// Compatibility. Functions and struct members are only added while the first
// two numbers of the version stay the same. Structs that may grow begin with
// their size, which the caller sets: `{.size = sizeof(weir_run_options)}`.
// Members left at zero mean the default. Leave out what is `reserved`. The
// other structs never change.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_C_WEIR_H
#define WEIR_C_WEIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Versions and errors
//===----------------------------------------------------------------------===//

/// The version of this header.
#define WEIR_VERSION_MAJOR 0
#define WEIR_VERSION_MINOR 1
#define WEIR_VERSION_PATCH 0

/// The version of the library that is in use, such as "0.1.0".
const char *weir_version(void);

typedef int32_t weir_status;
enum {
  WEIR_OK = 0,
  /// The caller passed something that can never work, such as the number of an
  /// input that does not exist.
  WEIR_INVALID_ARGUMENT = 1,
  /// A named thing (file, tensor, entry, variable) does not exist.
  WEIR_NOT_FOUND = 2,
  /// The thing exists but is damaged or of another version.
  WEIR_DATA_LOSS = 3,
  /// Valid, but not supported by this library or device.
  WEIR_UNIMPLEMENTED = 4,
  /// Memory, threads, disk space or descriptors are exhausted.
  WEIR_RESOURCE_EXHAUSTED = 5,
  /// The machine lacks what the work needs (device, CPU feature).
  WEIR_UNAVAILABLE = 6,
  /// Cancelled by the caller, its deadline, or because another part failed.
  WEIR_CANCELLED = 7,
  /// A failure of a vendor library, or of Weir itself.
  WEIR_INTERNAL = 8
};

/// The spelling of a status, such as "not found". Never null.
const char *weir_status_name(weir_status status);

/// The message of the latest call on this thread that failed: what was wrong,
/// in one line without a full stop, and what to do. Empty if none has failed.
/// Valid until the next call on this thread that fails.
const char *weir_last_error(void);

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

/// Records what the devices of sessions do in runs, and when. It keeps the
/// latest spans of each row. Several sessions may have the same trace: see
/// `weir_session_options`.
typedef struct weir_trace weir_trace;

weir_status weir_trace_create(weir_trace **trace);
/// The trace in the JSON format of Chrome and Perfetto, with times relative to
/// the first span. No run of a session with the trace may be in flight. Free
/// `json` with `weir_string_free`.
weir_status weir_trace_json(const weir_trace *trace, char **json);
/// Frees the trace. No session may have it any more.
void weir_trace_free(weir_trace *trace);

/// Frees JSON text.
void weir_string_free(char *string);

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

/// A loaded artifact.
typedef struct weir_session weir_session;

/// An option of a device ("sim:1"), or of all devices of a kind ("sim"). No
/// member may be null.
typedef struct weir_device_option {
  const char *device;
  const char *name;
  const char *value;
} weir_device_option;

typedef struct weir_session_options {
  size_t size;
  /// The entry that `weir_session_entry` gives for a null name. Null: the only
  /// entry, else the entry called "main".
  const char *entry;
  /// Threads of each device, at most 1024; 0: as the artifact says.
  int32_t threads;
  /// Runs in flight at the same time; 0: as many as the artifact was compiled
  /// for. A larger number than that is not possible.
  int32_t in_flight;
  /// Never pin threads to cores. Use this on machines that are shared.
  bool no_pinning;
  /// Never compute on the thread that calls `run`. Use this if that thread has
  /// a small stack.
  bool no_caller_threads;
  /// Refuse artifacts with native code before any of it is loaded. Artifacts
  /// may contain native code, which can do all that the process may do. Load
  /// only artifacts of those whose programs you would run, or set this. A
  /// session for which this is set shares no weights with others.
  bool refuse_code;
  /// Let a run fail with the first op whose result has a NaN or infinity.
  /// Slow.
  bool check_numerics;
  /// Let devices time several implementations of a kernel and choose the
  /// fastest, if they can. A device that has nothing to tune says so in its
  /// note.
  bool tune;
  /// Zero.
  uint8_t reserved[3];
  /// Options of devices. If a device has several options of one name, the last
  /// one counts.
  const weir_device_option *device_options;
  size_t num_device_options;
  /// The trace that records each step of each run, or null. It must exist until
  /// the session is freed. If a callback frees the session, it must exist until
  /// the process ends.
  weir_trace *trace;
} weir_session_options;

/// Loads the artifact in the file `path`. `options` may be null. Later changes
/// of the file have no effect. If another process changes the file during the
/// call, the session has one version as a whole, or the call fails.
weir_status weir_session_load_file(const char *path,
                                   const weir_session_options *options,
                                   weir_session **session);

/// Loads the artifact of `size` bytes at `bytes`, which are copied. `options`
/// may be null.
weir_status weir_session_load_memory(const void *bytes, size_t size,
                                     const weir_session_options *options,
                                     weir_session **session);

/// Cancels the runs in flight and the waiting ones, and returns when nothing
/// runs any more and all callbacks have returned. In a callback it returns at
/// once. Later runs, and calls that get, set, save or load variables, fail with
/// WEIR_CANCELLED. For a device that has not begun a run, and may never do so,
/// it waits 30 s at most.
weir_status weir_session_stop(weir_session *session);

/// Orders later runs on the device `device` ("cuda:0") behind the work that is
/// in `stream` now. `stream` is a stream of the caller on that device, such as
/// a CUstream. Neither this call nor the thread that runs waits for this work.
/// A run has ended when its call returns. So work that is put into the stream
/// afterwards may use the outputs.
weir_status weir_session_order_behind(weir_session *session, const char *device,
                                      void *stream);

/// Stops and frees the session with its entries. Until this returns, callbacks
/// of runs may use the session and its entries. In a callback it does not wait;
/// the call that queued the callback's run may still be under way.
/// For a device that has not begun a run, it waits 30 s at most. In both cases,
/// everything that the session holds is freed when its runs have ended.
void weir_session_free(weir_session *session);

/// The number of metadata pairs, which have a key and a value; 0 for a null
/// session. They are the metadata of an ONNX model, and the training options of
/// each entry that trains.
size_t weir_session_num_metadata(const weir_session *session);

/// Sets `*key` and `*value` to metadata pair `index`.
weir_status weir_session_metadata_at(const weir_session *session, size_t index,
                                     const char **key, const char **value);

/// A device that a session has open. Functions fill in as much as `size` has
/// room for.
typedef struct weir_device {
  size_t size;
  /// The name "cpu:0" and the kind "cpu".
  const char *name;
  const char *kind;
  /// A processor or board name, for people.
  const char *description;
  /// A remark from loading, such as that cores are shared; empty if there is
  /// none. `weir_session_stats` has remarks about runs, too.
  const char *note;
  /// Memory that can be allocated, in bytes; 0 when unknown.
  uint64_t memory_bytes;
  /// The processors that its kernels may run on, as Linux numbers them. Empty
  /// if they may run on any.
  const int32_t *processors;
  size_t num_processors;
  /// The number of threads that run its kernels; 0 if it has none.
  int32_t threads;
  uint8_t reserved[4];
} weir_device;

/// The number of devices; 0 for a null session.
size_t weir_session_num_devices(const weir_session *session);

/// Describes device `index`, in the order of `weir_session_stats`. The caller
/// sets `device->size`.
weir_status weir_session_device_at(const weir_session *session, size_t index,
                                   weir_device *device);

/// The counts of the session, as one JSON object: `runs`, `failed_runs`,
/// `load_ms` and for each of `devices` the keys of `graph-run --json`
/// (docs/cli/graph-run.md). Free `json` with `weir_string_free`.
weir_status weir_session_stats(const weir_session *session, char **json);

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// An entry of an artifact: something that can be run. It belongs to its
/// session. If the artifact has the entry for several shapes of its inputs, a
/// run takes the shape that fits.
typedef struct weir_entry weir_entry;

/// The number of entries; 0 for a null session.
size_t weir_session_num_entries(const weir_session *session);

/// Entry `index` in the order of the names.
weir_status weir_session_entry_at(const weir_session *session, size_t index,
                                  const weir_entry **entry);

/// The entry `name`. Null means the session's own entry: see
/// `weir_session_options`.
weir_status weir_session_entry(const weir_session *session, const char *name,
                               const weir_entry **entry);

/// The name; null for a null entry.
const char *weir_entry_name(const weir_entry *entry);

/// The numbers of inputs and outputs, and of the shapes for which the entry has
/// plans; 0 for a null entry.
size_t weir_entry_num_shapes(const weir_entry *entry);
size_t weir_entry_num_inputs(const weir_entry *entry);
size_t weir_entry_num_outputs(const weir_entry *entry);

/// Element types, with the numbers that artifacts use.
typedef int32_t weir_dtype;
enum {
  WEIR_F32 = 0,
  WEIR_F16 = 1,
  WEIR_BF16 = 2,
  WEIR_F64 = 3,
  WEIR_I8 = 4,
  WEIR_U8 = 5,
  WEIR_I16 = 6,
  WEIR_I32 = 7,
  WEIR_I64 = 8,
  /// A boolean, stored as one byte, 0 or 1.
  WEIR_I1 = 9,
  WEIR_U16 = 10,
  WEIR_U32 = 11,
  WEIR_U64 = 12
};

/// "f32", "bf16", ...; null for a number that is no type.
const char *weir_dtype_name(weir_dtype type);
/// Bytes of one element; 0 for a number that is no type.
size_t weir_dtype_bytes(weir_dtype type);

/// A memory in which tensors lie. Null is the host's memory.
typedef struct weir_space weir_space;

/// An input or output. Functions fill in as much as `size` has room for.
typedef struct weir_port {
  size_t size;
  const char *name;
  weir_dtype dtype;
  int32_t rank;
  const int64_t *dims;
  /// The bytes of the tensor, row-major.
  size_t bytes;
  /// The memory in which the tensor has to lie, and the name of the device that
  /// has this memory, such as "cpu:1". The name is empty for the host's memory.
  /// `weir_entry_allocate_input` gives memory of this kind.
  const weir_space *space;
  const char *device;
  /// Whether runs read the input. If not, its tensor may be all zeros.
  bool is_read;
  uint8_t reserved[7];
} weir_port;

/// Describes input or output `index` of shape `shape` (0 if the entry has one
/// shape). The caller sets `port->size`.
weir_status weir_entry_input(const weir_entry *entry, size_t shape,
                             size_t index, weir_port *port);
weir_status weir_entry_output(const weir_entry *entry, size_t shape,
                              size_t index, weir_port *port);

/// The launches of a shape's plan as a JSON array, in the order of devices and
/// programs. Each has `device`, `op`, `kernel`, `implementation`, `shapes`,
/// `bytes`, `flops` and `tuning`. Free `json` with `weir_string_free`.
weir_status weir_entry_launches(const weir_entry *entry, size_t shape,
                                char **json);

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// A row-major tensor in memory of the caller, for one call.
typedef struct weir_tensor {
  weir_dtype dtype;
  /// The number of dims, at most 16.
  int32_t rank;
  const int64_t *dims;
  /// The elements. They are written only if the tensor is an output.
  void *data;
  /// The number of bytes that may be used at `data`.
  size_t bytes;
  /// The memory in which `data` is an address. Null: the host's memory.
  const weir_space *space;
} weir_tensor;

/// A tensor for the input or output of that name.
typedef struct weir_named_tensor {
  const char *name;
  weir_tensor tensor;
} weir_named_tensor;

/// Cancels runs.
typedef struct weir_cancel_token weir_cancel_token;

weir_status weir_cancel_token_create(weir_cancel_token **token);
/// Cancels all runs that have the token, also later ones. They end with
/// WEIR_CANCELLED when no device is inside of them.
weir_status weir_cancel_token_cancel(weir_cancel_token *token);
/// Frees the token. Runs that have it are not affected.
void weir_cancel_token_free(weir_cancel_token *token);

typedef struct weir_run_options {
  size_t size;
  /// The time in nanoseconds after which a run that has not ended is stopped
  /// with WEIR_CANCELLED; 0: no limit. Time that the run waits for other runs
  /// counts too. Launches that have begun are completed first.
  uint64_t timeout_ns;
  /// May be null.
  const weir_cancel_token *token;
} weir_run_options;

/// Runs the entry and returns when its outputs are written. `inputs` and
/// `outputs` hold one tensor for each input and output, in order. Nothing is
/// copied. An output must not overlap any other tensor, and nobody may change
/// the memory of the tensors until the call returns. `options` may be null.
///
/// After a run that failed or was stopped, the session stays usable. But the
/// variables that the run has begun to write have no value until they are set
/// or loaded.
weir_status weir_entry_run(const weir_entry *entry, const weir_tensor *inputs,
                           size_t num_inputs, const weir_tensor *outputs,
                           size_t num_outputs, const weir_run_options *options);

/// Runs the entry on tensors that it finds by name, in any order. Outputs that
/// are not listed are computed and dropped.
weir_status
weir_entry_run_named(const weir_entry *entry, const weir_named_tensor *inputs,
                     size_t num_inputs, const weir_named_tensor *outputs,
                     size_t num_outputs, const weir_run_options *options);

/// Receives the outcome of a run. `message` is empty on success, and is valid
/// during the call.
typedef void (*weir_run_done)(void *context, weir_status status,
                              const char *message);

/// Queues a run and returns at once. The memory of the tensors belongs to the
/// run until it ends; the arrays and the dims are read during the call only.
///
/// If this returns WEIR_OK, `done` is called with `context` and the outcome,
/// once, perhaps before this returns. The outcome can be that the tensors are
/// refused. If this returns an error, there is no run, and `done` is not
/// called.
///
/// One thread of the process makes the callbacks of all sessions, one after the
/// other, so no device waits for them. A callback may call all functions of
/// this header. It must not wait for another callback, which would never be
/// called, nor for a thread that stops or frees a session, which waits for
/// callbacks. It must not throw or leave by longjmp.
weir_status weir_entry_run_async(const weir_entry *entry,
                                 const weir_tensor *inputs, size_t num_inputs,
                                 const weir_tensor *outputs, size_t num_outputs,
                                 const weir_run_options *options,
                                 weir_run_done done, void *context);

//===----------------------------------------------------------------------===//
// Tensors in the memory of devices
//===----------------------------------------------------------------------===//

/// A tensor that owns its memory, in the space of an input or output. It may
/// outlive the session that allocated it.
typedef struct weir_device_tensor weir_device_tensor;

/// A tensor of zeros for input or output `index` of shape `shape`.
weir_status weir_entry_allocate_input(const weir_entry *entry, size_t shape,
                                      size_t index,
                                      weir_device_tensor **tensor);
weir_status weir_entry_allocate_output(const weir_entry *entry, size_t shape,
                                       size_t index,
                                       weir_device_tensor **tensor);

/// Sets `*view` to a view of the tensor, which can be an argument of runs. It
/// is valid until the tensor is freed.
weir_status weir_device_tensor_view(weir_device_tensor *tensor,
                                    weir_tensor *view);

/// Copies all elements from or to a tensor of the same type and shape in the
/// host's memory. Until the call returns, no run may use the tensor.
weir_status weir_device_tensor_copy_from(weir_device_tensor *tensor,
                                         const weir_tensor *host);
weir_status weir_device_tensor_copy_to(const weir_device_tensor *tensor,
                                       const weir_tensor *host);

/// Frees the tensor. No run may use it.
void weir_device_tensor_free(weir_device_tensor *tensor);

//===----------------------------------------------------------------------===//
// Variables: parameters that some entry assigns
//===----------------------------------------------------------------------===//

/// A list of the variables, as they were when it was made.
typedef struct weir_variables weir_variables;

/// Lists the variables. This and each call below that takes a session waits for
/// its turn like a run, so that it reads or writes one consistent state. A call
/// that fails changes no variable.
weir_status weir_session_variables(const weir_session *session,
                                   weir_variables **variables);
void weir_variables_free(weir_variables *variables);

/// The number of variables; 0 for a null list.
size_t weir_variables_num(const weir_variables *variables);

/// A variable. Functions fill in as much as `size` has room for.
typedef struct weir_variable {
  size_t size;
  const char *name;
  weir_dtype dtype;
  int32_t rank;
  const int64_t *dims;
  /// The bytes of the value, row-major.
  size_t bytes;
  /// False if a run or a call that wrote it failed or was stopped.
  bool is_valid;
  uint8_t reserved[7];
} weir_variable;

/// Describes variable `index` of the list. The caller sets
/// `variable->size`.
weir_status weir_variables_at(const weir_variables *variables, size_t index,
                              weir_variable *variable);

/// Copies the value of variable `name` to `value`, which has its type and shape
/// and lies in the host's memory.
weir_status weir_session_get_variable(const weir_session *session,
                                      const char *name,
                                      const weir_tensor *value);

/// Copies the values of all variables, from one state, between runs that assign
/// them. `values` has one tensor for each variable, in the order of
/// `weir_session_variables`, with its type and shape and in the host's memory.
weir_status weir_session_get_variables(const weir_session *session,
                                       const weir_tensor *values,
                                       size_t num_values);

/// Sets variable `name` to `value`, which has its type and shape and lies in
/// the host's memory.
weir_status weir_session_set_variable(weir_session *session, const char *name,
                                      const weir_tensor *value);

/// Writes all variables as the safetensors file `path`, which appears as a
/// whole or not at all.
weir_status weir_session_save_variables(const weir_session *session,
                                        const char *path);

/// Sets all variables from a safetensors file. The file must have a tensor for
/// each variable, and no other tensors.
weir_status weir_session_load_variables(weir_session *session,
                                        const char *path);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // WEIR_C_WEIR_H
