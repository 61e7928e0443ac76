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

#include "weir/Support/Status.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// Where compilation stops and what it gives.
enum class EmitPhase {
  /// The graph as read.
  Import,
  /// Parameters as arguments and results of the entry.
  Lifted,
  /// Folded and simplified, with layouts.
  Graph,
  Grouped,
  Placed,
  Partitioned,
  Lowered,
  Exec,
  Artifact,
  /// The partitioned graph in the language of Graphviz.
  Dot,
  /// The LLVM IR of generated kernels, optimised.
  LLVM,
  /// The assembly of generated kernels.
  Assembly,
};

/// "import", "lifted", ... or nothing if `name` is none of them.
StatusOr<EmitPhase> parseEmitPhase(std::string_view name);
std::string_view toString(EmitPhase phase);

/// How a graph is compiled; the defaults are those of graph-compile, whose
/// flags have the same names (docs/cli.md).
struct CompileOptions {
  /// The function to compile; empty: the only one, else `main`.
  std::string entry;
  /// NAME:DIMxDIM... for inputs with unknown dims.
  std::vector<std::string> shapes;
  /// NAME=FILE for inputs that become constants; .npy or .pb files.
  std::vector<std::string> bind;
  /// GLOB=DEVICE or after:NODE=DEVICE.
  std::vector<std::string> place;
  /// Globs of tensors that are to be left in memory, not inside of a kernel.
  std::vector<std::string> keep;
  /// The device list; empty: the devices that annotations name, else cpu:0.
  std::string devices;
  /// A topology file instead of the device list.
  std::string topology;
  /// Threads per CPU device; 0: an even share of the cores.
  int threads = 0;
  /// "explicit" or "random:SEED".
  std::string placement = "explicit";
  /// Whether a group that cannot be where it should be is an error.
  bool strict = false;
  /// Whether every device has its own heap.
  bool isolated = false;
  /// DEVICE=BYTES, the most scratch a device may use ("cpu:0=64MiB").
  std::vector<std::string> memoryCaps;
  /// "f32", or "bf16" to compute in bf16 what is faster in it.
  std::string precision = "f32";
  /// Whether ops without a library kernel run on the slow reference kernels.
  bool allowReference = false;
  /// The CPUs that code is generated for: "native", "x86-64-v3", or another
  /// name that LLVM knows. An artifact has a variant for each; the first that
  /// the machine can run is the one that runs.
  std::vector<std::string> targetCpus = {"native"};
  EmitPhase emit = EmitPhase::Artifact;
  /// Passes by name, run on the imported graph instead of the phases that lead
  /// to `emit` ("builtin.module(canonicalize)").
  std::string passPipeline;
};

/// Why a group runs where it does.
struct GroupReport {
  std::string name;
  std::string device;
  /// "annotated", "follows operand", ...
  std::string reason;
  /// The reason with its details.
  std::string why;
  /// Predicted seconds on each device that can run it, by device name.
  std::vector<std::pair<std::string, double>> seconds;
  /// Ops that would have joined the group but for their device annotation.
  std::vector<std::string> split;
};

/// A parameter that the compiler computed from others.
struct DerivedReport {
  std::string name;
  int64_t bytes = 0;
  /// The parameters it is computed from.
  std::vector<std::string> from;
};

/// What runs in bf16 under --precision=bf16.
struct PrecisionReport {
  int64_t bf16Ops = 0;
  /// Casts that each run makes, within kernels too.
  int64_t casts = 0;
  /// Those that are launches of their own.
  std::vector<std::string> castLaunches;
  /// Ops that could be in bf16 and are not: names and reasons.
  std::vector<std::pair<std::string, std::string>> kept;
};

/// What the plan needs of one device.
struct DeviceReport {
  std::string device;
  int64_t groups = 0;
  int64_t launches = 0;
  /// Values that cross to this device, and their bytes where they are copied.
  int64_t crossings = 0;
  int64_t bytesCrossed = 0;
  /// Planned scratch and the least that any plan of the schedule needs.
  int64_t arenaBytes = 0;
  int64_t lowerBoundBytes = 0;
};

struct CompileReport {
  std::vector<GroupReport> groups;
  std::vector<DeviceReport> devices;
  std::vector<DerivedReport> derived;
  /// What depends on parameters alone and is left to every run: names and
  /// reasons.
  std::vector<std::pair<std::string, std::string>> notDerived;
  /// Nothing unless bf16 was asked for.
  std::optional<PrecisionReport> precision;
  int64_t events = 0;
  /// Floating point operations of one run, and bytes of all parameters that it
  /// reads or assigns.
  int64_t flops = 0;
  int64_t parameterBytes = 0;
};

/// The result of a compilation.
struct CompileResult {
  /// The IR as text; empty when an artifact was made.
  std::string text;
  /// The artifact, unless it was written to a file.
  std::vector<std::byte> artifact;
  /// Filled as far as compilation went.
  CompileReport report;
};

/// Whether the options are well-formed; the error names the flag of
/// graph-compile. What they name is looked for later, in the graph.
Status checkOptions(const CompileOptions &options);

/// Sets flags of MLIR itself, such as --mlir-print-ir-after-all or
/// --mlir-timing, for all compilations of the process.
Status setMLIRFlags(const std::vector<std::string> &flags);

/// Receives diagnostics as people read them: whole messages, with their source
/// lines.
using DiagnosticFn = std::function<void(std::string_view)>;

/// Compiles the graph in the file `path`: an ONNX model, or textual IR ("-":
/// from standard input). With
/// EmitPhase::Artifact the artifact is written to `output` ("-": standard
/// output, empty: into the result), else the IR is in the result. Errors in the
/// graph were told to `diagnose`, and the status says only that there were
/// some; the status of an error about a file says what it is.
StatusOr<CompileResult> compileFile(const std::string &path,
                                    const std::string &output,
                                    const CompileOptions &options,
                                    const DiagnosticFn &diagnose);

/// The report for people, a line per group and device, or as one JSON object.
std::string explainText(const CompileReport &report);
std::string explainJson(const CompileReport &report);
/// The plan's counts as text or as one JSON object.
std::string statsText(const CompileReport &report);
std::string statsJson(const CompileReport &report);

} // namespace weir

#endif // WEIR_COMPILER_COMPILER_H
