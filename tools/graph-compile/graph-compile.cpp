//===- graph-compile.cpp - Compiles a graph into an artifact -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"
#include "Reports.h"

#include "weir/Artifact/Format.h"
#include "weir/Compiler/Compiler.h"
#include "weir/Compiler/OptMain.h"
#include "weir/Support/FileUses.h"
#include "weir/Support/OptionText.h"
#include "weir/Support/OutputFile.h"
#include "weir/Support/OutputNames.h"
#include "weir/Support/Printable.h"
#include "weir/Support/SystemError.h"
#include "weir/Support/Topology.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

using namespace weir;

namespace {
struct Flags {
  std::string input;
  std::string output;
  std::string emit = "artifact";
  Reports reports;
  CompileOptions options;
};
} // namespace

static constexpr const char *purpose =
    "Compiles a dataflow graph, an ONNX model or textual IR, into an artifact "
    "for one or more devices:\nfuses its ops into groups, gives each group a "
    "device, inserts copies between devices,\nchooses kernels, and plans the "
    "order of work and the memory. graph-run runs the artifact.";

static constexpr const char *notes =
    "The name of an op is the one before its '=' in the text, or that of its "
    "node in an ONNX\nmodel. Devices are written cpu:0, ranges cpu:0-3, lists "
    "cpu:0-1,null:0. Reports go to\nstandard error, JSON to standard output; "
    "docs/cli/graph-compile.md describes every flag.\n\nExit codes: 0 fine, 1 "
    "the graph cannot be compiled, 2 wrong usage.\n\nExamples:\n"
    "  graph-compile net.mlir -o net.weir --shape=x:2x8\n"
    "  graph-compile net.mlir --shape=x:2x8 --place='hid*=cpu:1' --explain\n"
    "  graph-compile net.mlir --shape=x:2x8 --place=after:hidden=cpu:0 "
    "--strict\n"
    "  graph-compile net.mlir --shape=x:2x8 --emit=placed\n"
    "  graph-compile net.mlir --shape=x:2x8 --emit=dot | dot -Tsvg -o "
    "net.svg\n"
    "  graph-compile net.mlir --shape=x:2x8 --emit=graph "
    "--mlir-print-ir-after-all\n"
    "  graph-compile net.mlir --shape=x:2x8 --stats=json | python3 -m "
    "json.tool";

/// Adds the flags that say which graph is compiled, and for which devices.
static void addGraphFlags(CLI::App &app, Flags &flags) {
  const OptionGroup group(app, "Graph");
  CompileOptions &options = flags.options;
  app.add_option("INPUT", flags.input,
                 "An ONNX model (.onnx) or textual IR (.mlir); - reads textual "
                 "IR from standard input")
      ->type_name("")
      ->required();
  app.add_option("-o", flags.output,
                 "Where to write the artifact or the IR; - is standard output. "
                 "Default: INPUT with .weir for an artifact, standard output "
                 "for IR")
      ->type_name("FILE");
  app.add_option("--emit", flags.emit,
                 "Stop after a phase and print the IR: import, lifted, graph, "
                 "grouped, placed, partitioned, lowered, exec; draw the "
                 "partitioned graph with dot; print the code of generated "
                 "kernels as llvm or asm, or for GPUs as ptx; or write the "
                 "artifact")
      ->type_name("PHASE")
      ->capture_default_str();
  app.add_option("--entry", options.entries,
                 "A function to compile (repeat; default: all public ones). "
                 "Where functions differ, INPUT, GLOB and NODE below may have "
                 "an entry in front: predict/x")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--shape", options.shapes,
                 "Fix an input's unknown dims: x:1x3x224x224 (repeat). Several "
                 "shapes of an input make as many plans of its entry")
      ->type_name("INPUT:DIMS")
      ->allow_extra_args(false);
  app.add_option("--bind", options.bind,
                 "Make an input a constant, from a .npy or .pb file (repeat)")
      ->type_name("INPUT=FILE")
      ->allow_extra_args(false);
  app.add_option("--weights", options.weights,
                 "Give the parameters the values that they have in a "
                 "safetensors file, such as a checkpoint, by name. Parameters "
                 "that it does not have keep their own")
      ->type_name("FILE");
  app.add_option("--gradient", options.gradients,
                 "Make outputs NAME.grad of the gradients of LOSS, an output "
                 "or op with one element, for all parameters and inputs NAME "
                 "that a glob fits (repeat; docs/gradients.md)")
      ->type_name("LOSS=GLOB")
      ->allow_extra_args(false);
  app.add_option("--train", options.train,
                 "Add an entry 'train' that trains the parameters: "
                 "'loss=NAME, optimizer=adam(rate=0.001)' "
                 "(docs/training.md)")
      ->type_name("loss=...,optimizer=...");
  app.add_option(
         "--keep", options.keep,
         "Store the tensors whose names match a glob, so that graph-run "
         "--compare-with sees them; otherwise a kernel may hold them "
         "inside (repeat)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
}

/// Adds a flag whose values are lists of names, separated by commas. A comma at
/// the end of a list is followed by an empty name, which no option accepts.
static CLI::Option *addNames(CLI::App &app, const std::string &flag,
                             std::vector<std::string> &names,
                             const std::string &help) {
  const auto split = [&names](const std::vector<std::string> &lists) {
    names.clear();
    for (const std::string &list : lists)
      for (size_t begin = 0; begin <= list.size();) {
        const size_t end = std::min(list.find(',', begin), list.size());
        names.push_back(list.substr(begin, end - begin));
        begin = end + 1;
      }
  };
  return app.add_option_function<std::vector<std::string>>(flag, split, help)
      ->type_name("NAME,...")
      ->allow_extra_args(false);
}

/// Adds the flags that say how the graph is computed.
static void addCodeFlags(CLI::App &app, CompileOptions &options) {
  const OptionGroup group(app, "Code");
  app.add_option("--pass-pipeline", options.passPipeline,
                 "Run these passes on the imported graph instead of the "
                 "phases, and print the IR: builtin.module(canonicalize)")
      ->type_name("PASSES");
  app.add_option("--precision", options.precision,
                 "f32; or bf16, or f16 for devices that have kernels for it: "
                 "run ops in it where that is faster, with sums in f32; inputs "
                 "and outputs keep their types (docs/precision.md)")
      ->type_name("TYPE")
      ->capture_default_str();
  app.add_flag("--allow-reference", options.allowReference,
               "Run ops without a kernel on slow reference kernels");
  addNames(app, "--target-cpu", options.targetCpus,
           "The CPUs to generate code for: native, x86-64-v3, znver4; a "
           "machine uses the first that it supports (repeat)")
      ->default_str("native");
  addNames(app, "--gpu-arch", options.targetGpus,
           "The GPUs to generate code for where a device needs it: sm_80, "
           "sm_100; PTX of the lowest, and machine code of each if ptxas is "
           "found (repeat)")
      ->default_str("sm_80,sm_90");
  app.add_option("--kernel-cache", options.kernelCache,
                 "The folder that keeps compiled kernels for the next time, or "
                 "off (default: weir/kernels in $XDG_CACHE_HOME, else in "
                 "~/.cache). The artifact is the same")
      ->type_name("DIR|off");
  app.add_flag("--check-kernels", options.checkKernels,
               "Run each kernel for CPUs on random operands, and compare with "
               "what its ops mean; takes several times as long as compiling");
}

static void addDeviceFlags(CLI::App &app, CompileOptions &options) {
  const OptionGroup group(app, "Devices");
  app.add_option("--devices", options.devices,
                 "Devices to compile for: cpu:0-1 (default: those that "
                 "annotations name, else cpu:0)")
      ->type_name("LIST");
  app.add_option("--topology", options.topology,
                 "Devices and links from a file, instead of --devices "
                 "(docs/topology.md)")
      ->type_name("FILE");
  app.add_option("--threads", options.threads,
                 "Threads per CPU device; 0 for an even share of the cores")
      ->type_name("N")
      ->check(CLI::Range(0, static_cast<int>(maxDeviceThreads)))
      ->capture_default_str();
  app.add_flag("--isolated{all}", options.isolated,
               "Give every device memory of its own, or the devices of a list "
               "(--isolated=cpu:1), so that values that cross are copied");
  app.add_option("--port-space", options.portSpaces,
                 "Bind an input or output in the memory of an isolated device: "
                 "x=cpu:1 (repeat; default: in the host's memory)")
      ->type_name("NAME=DEVICE")
      ->allow_extra_args(false);
  app.add_option("--in-flight", options.inFlight,
                 "Runs that may be in flight at the same time; each needs its "
                 "own part of the memory")
      ->type_name("N")
      ->check(CLI::Range(int64_t(1), int64_t(artifact::maxFrames)))
      ->capture_default_str();
  app.add_option("--memory-cap", options.memoryCaps,
                 "The most memory that the model holds on a device: "
                 "cpu:0=64MiB (repeat)")
      ->type_name("DEVICE=SIZE")
      ->allow_extra_args(false);
}

static void addPlacementFlags(CLI::App &app, CompileOptions &options) {
  const OptionGroup group(app, "Placement");
  app.add_option("--place", options.place,
                 "Place ops by name, 'conv*=cpu:0', or all ops that depend on "
                 "an op or input, after:pool=cpu:1; overrides the text and "
                 "earlier rules (repeat)")
      ->type_name("RULE")
      ->allow_extra_args(false);
  app.add_option("--placement", options.placement,
                 "How to place ops without annotation: explicit (with their "
                 "operands) or random:SEED")
      ->type_name("HOW")
      ->capture_default_str();
  app.add_option("--fallback", options.fallback,
                 "What an artifact that uses cuda:0 has for machines without: "
                 "a variant for the cpu, which compiles the graph twice; or "
                 "none")
      ->type_name("cpu|none")
      ->capture_default_str();
  app.add_flag("--strict", options.strict,
               "Make a missing device or kernel an error instead of moving "
               "the op");
}

/// Checks that at most one result goes to standard output: an artifact, IR, or
/// a JSON object.
static Status checkStdout(const Flags &flags) {
  bool writesToStdout =
      flags.output == "-" || (flags.output.empty() &&
                              (flags.emit != "artifact" || flags.input == "-"));
  if (writesToStdout + flags.reports.countOnStdout() < 2)
    return Status::ok();
  return invalidArgument("standard output takes the result, --summary=json, "
                         "--explain=json, --stats=json or --simulate=-, but "
                         "not two of them; ask for one JSON object at a time, "
                         "and give -o FILE");
}

/// Checks that standard input is read at most once.
static Status checkStdin(const Flags &flags) {
  std::vector<std::string> readers;
  if (flags.input == "-")
    readers.push_back("INPUT");
  for (const std::string &text : flags.options.bind)
    if (auto bind = parseBindOption(text); bind.isOk() && bind->file == "-")
      readers.push_back("--bind " + bind->input);
  if (readers.size() < 2)
    return Status::ok();
  return invalidArgument(readers[0] + " and " + readers[1] +
                         " would both read standard input; name a file for "
                         "one of them");
}

/// The default path of the artifact. It is the name of the input with another
/// ending.
static std::string defaultOutput(const std::string &input) {
  size_t slash = input.find_last_of('/');
  size_t dot = input.find_last_of('.');
  bool hasEnding = dot != std::string::npos &&
                   (slash == std::string::npos || dot > slash + 1);
  return input.substr(0, hasEnding ? dot : std::string::npos) + ".weir";
}

static Status writeText(const std::string &path, const std::string &text) {
  return atomicWriteFile(path, std::as_bytes(std::span(text)));
}

/// Checks that the outputs are different files, and that no flag reads one of
/// them. Standard output and standard error may also be files, which the
/// outputs must not replace. The compiler checks the files that the graph
/// names.
static Status checkFiles(const Flags &flags, bool namesOutput) {
  FileUses uses;
  // If INPUT is also the default output, it is an artifact and not a graph.
  // Another error says so.
  if (namesOutput || flags.output != flags.input)
    uses.reads("the graph", flags.input);
  if (!flags.options.topology.empty())
    uses.reads("the topology", flags.options.topology);
  if (!flags.options.weights.empty())
    uses.reads("--weights", flags.options.weights);
  for (const std::string &bind : flags.options.bind)
    uses.reads("a value of --bind", parseBindOption(bind)->file);
  uses.replaces("-o", flags.output);
  flags.reports.addFiles(uses);
  uses.reportsToStandardError();
  return uses.check();
}

/// The kind of file that `-o` gets.
static OutputKind kindOfOutput(const CompileOptions &options) {
  if (!options.passPipeline.empty())
    return {"IR", ".mlir"};
  switch (options.emit) {
  case EmitPhase::Artifact:
    return {"an artifact", ".weir"};
  case EmitPhase::Dot:
    return {"text for Graphviz", ".dot"};
  case EmitPhase::LLVM:
    return {"LLVM IR", ".ll"};
  case EmitPhase::Assembly:
    return {"assembly", ".s"};
  case EmitPhase::Ptx:
    return {"PTX", ".ptx"};
  default:
    return {"IR", ".mlir"};
  }
}

/// Refuses output names that were probably meant as an input or as a mode.
static Status checkNames(const Flags &flags) {
  const OutputKind kind = kindOfOutput(flags.options);
  WEIR_RETURN_IF_ERROR(checkOutputEnding("-o", flags.output, kind));
  WEIR_RETURN_IF_ERROR(
      checkNoMode("-o", flags.output,
                  fmt::format("name a file that ends in {}, or give - for "
                              "standard output",
                              kind.ending)));
  return flags.reports.checkNames();
}

/// Compiles and writes the requested outputs.
static Status compile(const Flags &flags) {
  // The default output is in the folder of the input. If that folder is
  // missing, the error must be about the input.
  if (flags.input != "-" && ::access(flags.input.c_str(), F_OK) != 0)
    return systemError(fmt::format("cannot read '{}'", printable(flags.input)));
  WEIR_RETURN_IF_ERROR(checkWritable(flags.output));
  WEIR_RETURN_IF_ERROR(flags.reports.checkTrace());
  auto diagnose = [](std::string_view message) {
    std::fwrite(message.data(), 1, message.size(), stderr);
  };
  WEIR_ASSIGN_OR_RETURN(
      CompileResult result,
      compileFile(flags.input, flags.output, flags.options, diagnose));
  WEIR_RETURN_IF_ERROR(flags.reports.print(result.report));
  if (flags.options.emit == EmitPhase::Artifact)
    return Status::ok();
  return writeText(flags.output, result.text);
}

/// Removes MLIR's own flags from the command line and returns them.
static std::vector<std::string> takeMLIRFlags(int &argc, char **argv) {
  auto isMLIRFlag = [](const char *argument) {
    return std::string_view(argument).starts_with("--mlir-");
  };
  char **rest = std::stable_partition(
      argv, argv + argc, [&](const char *a) { return !isMLIRFlag(a); });
  std::vector<std::string> flags(rest, argv + argc);
  argc = static_cast<int>(rest - argv);
  return flags;
}

int main(int argc, char **argv) {
  CLI::App app(purpose, "graph-compile");
  app.footer(notes);
  Flags flags;
  addGraphFlags(app, flags);
  addCodeFlags(app, flags.options);
  addDeviceFlags(app, flags.options);
  addPlacementFlags(app, flags.options);
  flags.reports.addFlags(app);
  std::vector<std::string> mlirFlags = takeMLIRFlags(argc, argv);
  if (std::optional<ExitCode> code = parseCommandLine(app, argc, argv))
    return *code;
  endToolsOutOfMemory();
  reserveHeap();
  if (!flags.options.passPipeline.empty() && !app.count("--emit"))
    flags.emit = "import";
  const auto refuse = [](const Status &wrong) {
    printError("graph-compile", wrong.message());
    return exitWrongUsage;
  };
  Status status = mlirFlags.empty() ? Status::ok() : setMLIRFlags(mlirFlags);
  if (!status.isOk())
    return refuse(status);
  if (Status status = checkStdout(flags); !status.isOk())
    return refuse(status);
  StatusOr<EmitPhase> phase = parseEmitPhase(flags.emit);
  if (!phase.isOk())
    return refuse(phase.status());
  flags.options.emit = *phase;
  flags.reports.request(flags.options);
  for (const Status &wrong :
       {flags.reports.check(flags.options),
        checkOptions(flags.options, flags.input), checkStdin(flags)})
    if (!wrong.isOk())
      return refuse(wrong);
  const bool namesOutput = !flags.output.empty();
  if (!namesOutput)
    flags.output = *phase != EmitPhase::Artifact || flags.input == "-"
                       ? "-"
                       : defaultOutput(flags.input);
  for (const Status &wrong :
       {checkFiles(flags, namesOutput), checkNames(flags)})
    if (!wrong.isOk())
      return refuse(wrong);
  const Status compiled = compile(flags);
  // Errors in the graph are already printed.
  return compiled.message() == describedErrors
             ? exitFailed
             : finish("graph-compile", compiled);
}
