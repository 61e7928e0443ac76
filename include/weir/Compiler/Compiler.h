//===- Compiler.h - From a graph to an artifact -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The compiler as a library. No LLVM or MLIR header is included: a program that
// compiles graphs sees only this.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_COMPILER_COMPILER_H
#define WEIR_COMPILER_COMPILER_H

#include "weir/Support/QueueRole.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// The phase after which compilation stops.
enum class EmitPhase {
  /// The graph as read.
  Import,
  /// The graph with parameters as arguments and results of the entry.
  Lifted,
  /// The folded and simplified graph, with layouts.
  Graph,
  Grouped,
  Placed,
  Partitioned,
  Lowered,
  Exec,
  Artifact,
  /// The partitioned graph in Graphviz's language.
  Dot,
  /// The LLVM IR of generated kernels, optimised.
  LLVM,
  /// The assembly of generated kernels.
  Assembly,
  /// The PTX of kernels that are generated for GPUs.
  Ptx,
};

/// Parses the name of a phase: "import", "lifted" and so on.
StatusOr<EmitPhase> parseEmitPhase(std::string_view name);
/// The name of `phase`; empty for a number that is no phase.
std::string_view toString(EmitPhase phase);

/// How to compile a graph. The defaults are those of graph-compile, whose flags
/// have the same names (docs/cli/graph-compile.md).
struct CompileOptions {
  /// The functions to compile; empty: the only function, else all public
  /// functions.
  std::vector<std::string> entries;
  /// NAME:DIMxDIM... for inputs with unknown dims. If an input has several
  /// shapes, its entry gets a plan for each. Here and below, NAME refers to
  /// every entry that has something of this name, and ENTRY/NAME to one entry.
  std::vector<std::string> shapes;
  /// NAME=FILE for inputs that become constants; .npy or .pb files.
  std::vector<std::string> bind;
  /// A safetensors file, such as a checkpoint, from which parameters get their
  /// values, by name; empty: none.
  std::string weights;
  /// LOSS=GLOB: adds an output NAME.grad for each parameter and input NAME that
  /// GLOB fits. It is the gradient of LOSS, which is an output or op
  /// (docs/gradients.md).
  std::vector<std::string> gradients;
  /// "loss=NAME, optimizer=adam(rate=0.001), ...": an entry `train` that trains
  /// the parameters is added; empty: none (docs/training.md).
  std::string train;
  /// Placement rules: GLOB=DEVICE or after:NODE=DEVICE.
  std::vector<std::string> place;
  /// Globs of tensors that must be stored in memory and not stay inside of a
  /// kernel.
  std::vector<std::string> keep;
  /// The device list; empty: the devices that annotations name, else cpu:0.
  std::string devices;
  /// A topology file instead of the device list.
  std::string topology;
  /// Threads per CPU device; 0: an even share of the cores.
  int threads = 0;
  /// "explicit" or "random:SEED".
  std::string placement = "explicit";
  /// Whether it is an error if a group cannot run on the device that its
  /// annotation or its operands give.
  bool strict = false;
  /// The variant for machines that lack some of the devices: "cpu" or "none".
  /// It is made only if the artifact uses a device that a machine may lack, and
  /// never with `strict`.
  std::string fallback = "cpu";
  /// The devices with their own memory, or "all".
  std::string isolated;
  /// NAME=DEVICE for inputs and outputs that the caller binds in the memory of
  /// an isolated device. All others lie in the host's memory.
  std::vector<std::string> portSpaces;
  /// The most runs that may be in flight at the same time.
  int64_t inFlight = 1;
  /// DEVICE=BYTES: the most that the model may hold on a device
  /// ("cpu:0=64MiB"). The artifact has the caps, and loading it checks them.
  std::vector<std::string> memoryCaps;
  /// Whether the report says how much memory the model holds on each device. To
  /// find out, its kernels are prepared on this machine. With memory caps, this
  /// is always done.
  bool countMemory = false;
  /// "f32"; or "bf16" or "f16" to compute ops in that type if this is faster.
  /// f16 needs a device with kernels for it.
  std::string precision = "f32";
  /// Whether ops without a library kernel run on the slow reference kernels.
  bool allowReference = false;
  /// The CPUs that code is generated for: "native", "x86-64-v3", or another
  /// name that LLVM knows. The artifact has one variant for each CPU. The first
  /// variant that the machine supports runs.
  std::vector<std::string> targetCpus = {"native"};
  /// The GPUs that code is generated for, if a device needs any: "sm_90", ...
  /// The artifact has PTX for the lowest GPU, which later GPUs run too. If an
  /// assembler is installed, the artifact also has machine code for each GPU.
  /// Empty: sm_80 and sm_90.
  std::vector<std::string> targetGpus;
  /// Whether the report has the ops of the graph, if the lifted phase is
  /// reached.
  bool listOps = false;
  /// Whether the report has the predicted timelines of the plans. It is an
  /// error if the compilation ends before the exec phase.
  bool simulate = false;
  /// The file to which the caller writes the trace of these timelines, or
  /// empty. If the compilation reads or writes that file, it fails before it
  /// writes anything.
  std::string traceFile;
  /// Whether the results of each kernel on random operands are compared with
  /// the records of its ops. A difference is an error. `emit` must be an
  /// artifact. A remark says what was compared.
  bool checkKernels = false;
  /// A folder that remembers which kernels `checkKernels` has found right;
  /// empty: none. The same build does not check these kernels again, and gives
  /// no remark. The environment variable WEIR_CHECK_KERNELS names a folder for
  /// compilations without `checkKernels`.
  std::string checkedKernels;
  /// The folder that keeps compiled kernels for later compilations; empty: the
  /// user's (weir/kernels in $XDG_CACHE_HOME, else in ~/.cache); "off": none.
  /// The artifact does not depend on this.
  std::string kernelCache;
  EmitPhase emit = EmitPhase::Artifact;
  /// Passes by name ("builtin.module(canonicalize)"). They run on the imported
  /// graph instead of the phases that lead to `emit`.
  std::string passPipeline;
};

/// An op of the graph before anything was folded or fused.
struct OpReport {
  std::string name;
  /// What it computes, without the prefix of the dialect.
  std::string op;
  /// The types of its results: "1x64x56x56xf32".
  std::vector<std::string> results;
  /// The number of elements of the parameters and constants that it reads. A
  /// tensor counts only for the first op that reads it.
  int64_t parameters = 0;
  int64_t flops = 0;
  /// Bytes of the results.
  int64_t bytes = 0;
};

/// Why a group runs on its device.
struct GroupReport {
  /// The name of one of its ops. If several groups would have the same name,
  /// "#2" and so on is appended.
  std::string name;
  std::string device;
  /// "annotated", "follows operand", ...
  std::string reason;
  /// The reason with its details.
  std::string why;
  /// Predicted seconds on each device that can run it, by device name.
  std::vector<std::pair<std::string, double>> seconds;
  /// The ops that did not join the group only because their device annotation
  /// differs.
  std::vector<std::string> split;
};

/// A value that groups on another device read.
struct CrossingReport {
  std::string value;
  std::string from, to;
  /// Bytes of the value, and bytes that are copied: 0 if both devices share
  /// their memory.
  int64_t bytes = 0;
  int64_t bytesCopied = 0;
  /// The predicted time of the copies.
  double seconds = 0;
};

/// A parameter that the compiler computed from others.
struct DerivedReport {
  std::string name;
  int64_t bytes = 0;
  /// The parameters from which it is computed.
  std::vector<std::string> from;
};

/// What runs in 16 bits under --precision.
struct PrecisionReport {
  /// "bf16" or "f16".
  std::string type;
  int64_t ops = 0;
  /// The number of casts in each run, including those inside of kernels.
  int64_t casts = 0;
  /// The casts that are launches of their own.
  std::vector<std::string> castLaunches;
  /// Ops that could compute in that type and do not, with the reasons.
  std::vector<std::pair<std::string, std::string>> kept;
};

/// What the plan of an entry does in one run.
struct EntryReport {
  /// The entry's name; with its shapes if the entry has several plans.
  std::string name;
  int64_t groups = 0;
  int64_t launches = 0;
  int64_t events = 0;
  int64_t flops = 0;
  /// Planned scratch on all devices.
  int64_t arenaBytes = 0;
};

/// What a session on this machine holds on one device.
struct HeldReport {
  /// The total, followed by its parts except the planned scratch: the workspace
  /// of kernels, packed weights, unpacked parameters in the host's memory, and
  /// variables and copies of parameters.
  int64_t bytes = 0;
  int64_t workspaceBytes = 0;
  int64_t packedBytes = 0;
  int64_t inPlaceBytes = 0;
  int64_t parameterBytes = 0;
  /// Whether the numbers are exact for this machine. If not, its kernels could
  /// not be prepared, and the numbers are about the least that any machine
  /// holds.
  bool isExact = true;
  /// The parts that are not zero, in words.
  std::string parts;
};

/// What the plans of all entries need of one device.
struct DeviceReport {
  std::string device;
  int64_t groups = 0;
  int64_t launches = 0;
  /// The number of values that cross to this device, and the bytes that are
  /// copied for them.
  int64_t crossings = 0;
  int64_t bytesCrossed = 0;
  /// Planned scratch, and the least that any plan of the schedule needs. Both
  /// numbers belong to the entry that needs most.
  int64_t arenaBytes = 0;
  int64_t lowerBoundBytes = 0;
  /// The memory that a session holds, if it was counted. It is counted if there
  /// is a memory cap, or if an artifact is made with `countMemory`.
  std::optional<HeldReport> held;
};

/// A parameter to which an entry assigns a value.
struct UpdateReport {
  std::string variable;
  /// Why the value is computed elsewhere and then copied; empty if it
  /// overwrites the old value in place.
  std::string copied;
};

/// A command or a wait of a predicted run. Times are seconds from the start of
/// the run.
struct TimelineSpan {
  /// The op of the command.
  std::string name;
  /// "launch", "crossing", "copy", "fill" or "wait".
  std::string_view category;
  double beginSeconds = 0;
  double endSeconds = 0;
};

/// What one queue does in a predicted run.
struct TimelineRow {
  std::string device;
  QueueRole queue = QueueRole::Compute;
  /// The spans in order. Spans that take no time are left out.
  std::vector<TimelineSpan> spans;
  /// The time of all spans but waits.
  double busySeconds = 0;
};

/// A predicted run of an entry.
struct TimelineReport {
  std::string entry;
  double seconds = 0;
  std::vector<TimelineRow> rows;
};

/// What the cache did when the artifact was written.
struct KernelCacheReport {
  /// Empty if there was no cache.
  std::string folder;
  /// The number of generated kernels whose code the cache had, and the number
  /// of kernels that were compiled.
  int64_t found = 0;
  int64_t compiled = 0;
  /// Why the cache, or an entry of it, was not used; empty if all is well.
  std::string note;
  /// The GPU architectures for which there is code; empty if there is none.
  std::string gpuImages;
};

/// If there are several entries, names of groups and values begin with theirs:
/// "predict/conv1".
struct CompileReport {
  /// Only if `CompileOptions::listOps` asks for them.
  std::vector<OpReport> ops;
  std::vector<EntryReport> entries;
  std::vector<GroupReport> groups;
  std::vector<CrossingReport> crossings;
  std::vector<DeviceReport> devices;
  /// The devices of the variant for machines that lack some of `devices`; empty
  /// if there is none. The report is of the variant for `devices`.
  std::vector<std::string> fallbackDevices;
  /// The precision of that variant, as in CompileOptions.
  std::string fallbackPrecision;
  std::vector<DerivedReport> derived;
  /// Values that depend on parameters alone and are still computed in every
  /// run, with the reasons.
  std::vector<std::pair<std::string, std::string>> notDerived;
  std::vector<UpdateReport> updates;
  /// Inputs of packs that are copied to their places, as "x to packed", with
  /// the reasons. All other inputs are computed directly in their places.
  std::vector<std::pair<std::string, std::string>> packCopies;
  /// A text for each entry and device that says which values are computed again
  /// to save scratch.
  std::vector<std::string> recomputed;
  /// Ops that begin a launch of their own, although the kernel before them
  /// could compute them on other devices, with the reasons.
  std::vector<std::pair<std::string, std::string>> apart;
  /// Ops that could be in `apart`, but need no launch, because the group that
  /// reads them computes them; with the reasons.
  std::vector<std::pair<std::string, std::string>> moved;
  /// The predicted runs, one for each entry, if `CompileOptions::simulate` asks
  /// for them.
  std::vector<TimelineReport> timelines;
  /// Present only if an artifact was made.
  std::optional<KernelCacheReport> kernelCache;
  /// Present only if the precision is not f32.
  std::optional<PrecisionReport> precision;
  int64_t events = 0;
  /// Floating-point operations of one run of each entry, and bytes of all
  /// parameters that these runs read or assign.
  int64_t flops = 0;
  int64_t parameterBytes = 0;
};

/// The result of a compilation.
struct CompileResult {
  /// The IR as text; empty if an artifact was made.
  std::string text;
  /// The artifact; empty if it was written to a file.
  std::vector<std::byte> artifact;
  /// Filled in as far as compilation got.
  CompileReport report;
};

/// Checks that the options are well-formed. The error names the flag of
/// graph-compile. Whether the things that they name exist is checked later,
/// against the graph. `path` is the file of the graph, or empty.
Status checkOptions(const CompileOptions &options,
                    const std::string &path = "");

/// Sets flags of MLIR itself, such as --mlir-print-ir-after-all or
/// --mlir-timing, for all compilations of the process.
Status setMLIRFlags(const std::vector<std::string> &flags);

/// Receives readable diagnostics: whole messages with their source lines.
using DiagnosticFn = std::function<void(std::string_view)>;

/// The message of a status whose errors went to a DiagnosticFn.
inline constexpr std::string_view describedErrors = "compilation failed";

/// Compiles the graph in the file `path`, which is an ONNX model or textual IR
/// ("-": standard input). With EmitPhase::Artifact the artifact is written to
/// `output` ("-": standard output; empty: into the result). Otherwise the IR is
/// in the result. Errors in the graph go to `diagnose`, and the status then is
/// `describedErrors`. Without `diagnose`, the status has these errors. The
/// status always has errors about files.
StatusOr<CompileResult> compileFile(const std::string &path,
                                    const std::string &output,
                                    const CompileOptions &options,
                                    const DiagnosticFn &diagnose);

/// The ops as a table with their sums, or as one JSON object.
std::string summaryText(const CompileReport &report);
std::string summaryJson(const CompileReport &report);
/// The report as text, with a line per group and device, or as one JSON object.
std::string explainText(const CompileReport &report);
std::string explainJson(const CompileReport &report);
/// The plan's counts as text or as one JSON object.
std::string statsText(const CompileReport &report);
std::string statsJson(const CompileReport &report);
/// The timelines as text, with a bar for each queue, and as a trace in the JSON
/// format of Chrome and Perfetto.
std::string timelineText(const CompileReport &report);
std::string timelineTrace(const CompileReport &report);

} // namespace weir

#endif // WEIR_COMPILER_COMPILER_H
