//===- OptMain.cpp - The logic of graph-opt -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// MlirOptMain cannot be used. It would lose the SSA names, on which placement
// globs and reports depend. Weir's parser keeps them.
//
//===----------------------------------------------------------------------===//

#include "weir/Compiler/OptMain.h"

#include "CapturedErrors.h"
#include "Diagnostics.h"
#include "FlagValues.h"
#include "weir/Compiler/Registration.h"
#include "weir/Conversion/ClusterToLoops.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Weir/Transforms/Lifting/ParameterFiles.h"
#include "weir/Import/Text.h"
#include "weir/Support/FileUses.h"
#include "weir/Support/OutputFile.h"
#include "weir/Support/OutputNames.h"
#include "weir/Support/ToolMain.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"

#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace mlir;
using namespace weir;
namespace cl = llvm::cl;

namespace {
/// The flags of graph-opt. The constructor registers them.
struct OptFlags {
  cl::opt<std::string> input{cl::Positional, cl::desc("<input file>"),
                             cl::init("-")};
  cl::opt<std::string> output{"o", cl::desc("Output file"),
                              cl::value_desc("file"), cl::init("-")};
  cl::opt<bool> split{
      "split-input-file", cl::init(false),
      cl::desc("Treat each part between '// -----' lines as its own module")};
  cl::opt<bool> verifyDiagnostics{
      "verify-diagnostics", cl::init(false),
      cl::desc("Check the diagnostics against expected-* comments")};
  PassPipelineCLParser passes{"", "Compiler passes to run"};
};
} // namespace

/// Hides flags of LLVM's libraries from --help, such as the flags of its code
/// generators. --help-hidden still lists them. Must be called before Weir's
/// flags are registered.
static void hideForeignFlags() {
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (!name.starts_with("help") && name != "version")
      option->setHiddenFlag(cl::Hidden);
}

/// Finds the first flag among `words` whose pass refuses its options. Returns
/// it as the beginning of an error: "--weir-bind-shapes: ". Empty if there is
/// no such flag.
static std::string findRefusingPass(ArrayRef<const char *> words) {
  for (const StringRef word : words.drop_front()) {
    auto [flag, options] = word.split('=');
    const PassInfo *pass = PassInfo::lookup(flag.ltrim('-'));
    if (!pass)
      continue;
    OpPassManager manager(ModuleOp::getOperationName(),
                          OpPassManager::Nesting::Implicit);
    CapturedErrors captured;
    const LogicalResult added = pass->addToPipeline(
        manager, options, [](const llvm::Twine &) { return failure(); });
    // The caller already has the error.
    (void)captured.take();
    if (failed(added))
      return (flag + ": ").str();
  }
  return {};
}

/// Reports unknown passes and malformed options before the input is read.
static LogicalResult checkPasses(const OptFlags &flags,
                                 ArrayRef<const char *> words) {
  OpPassManager manager(ModuleOp::getOperationName(),
                        OpPassManager::Nesting::Implicit);
  std::string why;
  CapturedErrors captured;
  LogicalResult added =
      flags.passes.addToPipeline(manager, [&](const llvm::Twine &message) {
        why = message.str();
        return failure();
      });
  if (succeeded(added))
    return success();
  const std::string printed = captured.take();
  StringRef text = StringRef(printed.empty() ? why : printed).rtrim();
  if (text.consume_front("<Pass-Options-Parser>: "))
    printError("graph-opt",
               (findRefusingPass(words) + text +
                "; graph-opt --help lists the options of each pass")
                   .str());
  else
    printError("graph-opt", std::string_view(text));
  return failure();
}

/// Checks that the result does not overwrite the input or a plug-in, and that
/// its name does not belong to another kind of file.
static Status checkOutput(const OptFlags &flags) {
  FileUses uses;
  uses.reads("the input", flags.input);
  uses.readsPlugins();
  uses.replaces("-o", flags.output);
  WEIR_RETURN_IF_ERROR(uses.check());
  WEIR_RETURN_IF_ERROR(checkOutputEnding("-o", flags.output, {"IR", ".mlir"}));
  return checkNoMode("-o", flags.output,
                     "name a file that ends in .mlir, or leave -o out for "
                     "standard output");
}

/// Checks that the result does not go to a file that passes may read.
static LogicalResult checkParameters(ModuleOp module, const OptFlags &flags) {
  FileUses uses;
  addParameterFiles(module, uses);
  uses.replaces("-o", flags.output);
  return success(finish("graph-opt", uses.check()) == exitOk);
}

/// Warns if there is no plan, because passes on plans then did nothing.
static void warnOfIdlePasses(ModuleOp module, const PassManager &manager) {
  std::string pipeline;
  llvm::raw_string_ostream text(pipeline);
  manager.printAsTextualPipeline(text);
  if (module.getOps<exec::EntryOp>().empty() &&
      StringRef(pipeline).contains("exec.entry("))
    printReport("graph-opt: warning: passes on exec.entry did not run, because "
                "the graph has no plan; make one in front of them "
                "(--weir-pipeline), or give the output of graph-compile "
                "--emit=exec\n");
}

static LogicalResult runPasses(llvm::SourceMgr &sources, MLIRContext &context,
                               OptFlags &flags, llvm::raw_ostream &os) {
  OwningOpRef<ModuleOp> module = importText(sources, &context);
  if (!module || failed(checkParameters(*module, flags)))
    return failure();
  // The implicit nesting lets users write passes on entries like passes on
  // modules.
  PassManager manager(&context, ModuleOp::getOperationName(),
                      PassManager::Nesting::Implicit);
  if (failed(applyPassManagerCLOptions(manager)))
    return failure();
  applyDefaultTimingPassManagerCLOptions(manager);
  auto onError = [&](const llvm::Twine &message) {
    return emitError(UnknownLoc::get(&context), message), failure();
  };
  if (failed(flags.passes.addToPipeline(manager, onError)) ||
      failed(manager.run(*module)))
    return failure();
  if (!flags.verifyDiagnostics)
    warnOfIdlePasses(*module, manager);
  printWithNames(*module, os);
  return success();
}

namespace {
/// A flag of graph-compile, and the pass option with the same effect.
struct PassFlag {
  StringLiteral flag, option;
  /// The value of the pass option if the flag takes no value.
  StringLiteral value = "";
};
} // namespace

static constexpr PassFlag passFlags[] = {
    {"--allow-reference", "--weir-place-groups=allow-reference", "true"},
    {"--bind", "--weir-bind-inputs=bind"},
    {"--devices", "--weir-set-devices=devices"},
    {"--entry", "--weir-select-entry=entry"},
    {"--gradient", "--weir-add-gradients=gradients"},
    {"--isolated", "--weir-set-devices=isolated"},
    {"--keep", "--weir-keep-tensors=keep"},
    {"--place", "--weir-annotate-devices=place"},
    {"--port-space", "--weir-set-port-spaces=spaces"},
    {"--shape", "--weir-bind-shapes=shapes"},
    {"--train", "--weir-add-training=train"},
    {"--weights", "--weir-read-weights=weights"}};

/// Replaces flags of graph-compile in `text` by pass options, as graph-opt
/// takes them.
static std::string withPassOptions(StringRef text) {
  std::string words;
  for (size_t at = text.find("--"); at != StringRef::npos;
       at = text.find("--")) {
    StringRef flag = text.substr(at).take_while(
        [](char c) { return c == '-' || llvm::isAlpha(c); });
    const auto *known = llvm::find_if(
        passFlags, [&](const PassFlag &each) { return each.flag == flag; });
    words += text.take_front(at);
    words += known == std::end(passFlags) ? flag : StringRef(known->option);
    text = text.substr(at + flag.size());
  }
  return words + text.str();
}

/// Replaces the flags of graph-compile in an error by options of graph-opt. The
/// errors of passes name the flags.
static void nameOptions(Diagnostic &diagnostic) {
  Diagnostic worded(diagnostic.getLocation(), diagnostic.getSeverity());
  worded << withPassOptions(diagnostic.str());
  for (const Diagnostic &note : diagnostic.getNotes())
    worded.attachNote(note.getLocation()) << withPassOptions(note.str());
  diagnostic = std::move(worded);
}

/// Prints an error that does not belong to a place in the text.
static LogicalResult printWithoutPlace(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
      diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    return failure();
  printError("graph-opt", diagnostic.str());
  return success();
}

/// Processes one module of the input. Its diagnostics are printed or verified.
static LogicalResult processBuffer(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                   const DialectRegistry &registry,
                                   OptFlags &flags, llvm::raw_ostream &os) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  if (!flags.verifyDiagnostics) {
    SourceMgrDiagnosticHandler handler(sources, &context);
    ScopedDiagnosticHandler plain(&context, [](Diagnostic &diagnostic) {
      makePrintable(diagnostic);
      nameOptions(diagnostic);
      return printWithoutPlace(diagnostic);
    });
    return runPasses(sources, context, flags, os);
  }
  SourceMgrDiagnosticVerifierHandler handler(sources, &context);
  (void)runPasses(sources, context, flags, os);
  return handler.verify();
}

static constexpr const char *purpose =
    "graph-opt: reads a graph in textual IR, runs passes by name in the order "
    "given,\nand prints the result. docs/cli/graph-opt.md lists Weir's passes "
    "in the order\nof graph-compile.\n\n"
    "  graph-opt net.mlir --weir-lift-parameters --weir-fold-constants\n"
    "  graph-opt net.mlir --weir-bind-shapes=shapes=x:2x8 "
    "--weir-phase-lifted\n"
    "  graph-opt net.mlir "
    "--pass-pipeline='builtin.module(weir-bind-shapes{shapes=x:1x8})'\n\n"
    "Exit codes: 0 fine, 1 a pass failed, 2 wrong usage.\n";

/// The error about the first of `words` that is a flag of graph-compile. The
/// error names the pass option with the same effect. Empty if no word is such a
/// flag.
static std::string describeCompilerFlag(ArrayRef<const char *> words) {
  for (size_t i = 1; i < words.size() && StringRef(words[i]) != "--"; ++i) {
    const StringRef word = words[i];
    auto [flag, value] = word.split('=');
    const std::string written = ("--" + flag.ltrim('-')).str();
    const auto *known = llvm::find_if(
        passFlags, [&](const PassFlag &each) { return each.flag == written; });
    if (!word.starts_with("-") || known == std::end(passFlags))
      continue;
    if (!known->value.empty())
      value = known->value;
    else if (value.empty() && i + 1 < words.size())
      value = words[i + 1];
    return ("unknown flag '" + word +
            "', which is one of graph-compile; write " + known->option + "=" +
            (value.empty() || value.starts_with("-") ? "VALUE" : value))
        .str();
  }
  return {};
}

/// Parses the command line and sets the registered flags. `kept` holds the
/// words of response files (`@FILE`). Options of passes refer to these words
/// later.
static LogicalResult parseFlags(int argc, const char *const *argv,
                                llvm::BumpPtrAllocator &kept) {
  SmallVector<const char *> words(argv, argv + argc);
  cl::ExpansionContext expansion(kept, cl::TokenizeGNUCommandLine);
  std::string why;
  if (llvm::Error error = expansion.expandResponseFiles(words))
    why = llvm::toString(std::move(error));
  else if (Status status = checkFlagValues(words); !status.isOk())
    why = status.message();
  if (!why.empty()) {
    printError("graph-opt", why);
    return failure();
  }
  llvm::raw_string_ostream said(why);
  if (cl::ParseCommandLineOptions(static_cast<int>(words.size()), words.data(),
                                  purpose, &said))
    return success();
  // If a value is wrong, LLVM itself prints why.
  if (std::string own = describeCompilerFlag(words); !own.empty())
    printError("graph-opt", own);
  else if (!why.empty())
    printError("graph-opt", describeFlagError(why));
  return failure();
}

void weir::endToolsOutOfMemory() {
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { endOutOfMemory(); });
}

void weir::reserveHeap() {
#ifdef __GLIBC__
  for (auto resource : {RLIMIT_AS, RLIMIT_DATA})
    if (rlimit limit;
        ::getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY)
      return;
  constexpr int reserve = 1 << 30, ordinaryPad = 128 << 10;
  constexpr uintptr_t page = 2 << 20;
  // Large tables must come from the heap, too, because tables grow with the
  // graph. 32 MiB is the largest threshold that malloc accepts.
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  // Freed memory stays in the heap.
  ::mallopt(M_TRIM_THRESHOLD, -1);
  // When the heap next grows, it grows by `reserve` bytes. The block is larger
  // than the initial heap, so it makes the heap grow.
  ::mallopt(M_TOP_PAD, reserve);
  void *block = std::malloc(2 * ordinaryPad);
  const auto begin = (reinterpret_cast<uintptr_t>(block) + page - 1) & -page;
  const auto end = reinterpret_cast<uintptr_t>(::sbrk(0)) & -page;
  if (block && begin < end)
    ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
  std::free(block);
  ::mallopt(M_TOP_PAD, ordinaryPad);
#endif
}

int weir::runGraphOpt(int argc, char **argv) {
  // This must come before LLVM opens /dev/null in place of closed streams.
  // Otherwise a closed standard output would be no error, and the output would
  // be lost.
  startTool("graph-opt");
  llvm::InitLLVM initLLVM(argc, argv);
  endToolsOutOfMemory();
  hideForeignFlags();
  cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << toolVersion("graph-opt") << '\n'; });
  registerWeirPasses();
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  OptFlags flags;
  llvm::BumpPtrAllocator words;
  if (failed(parseFlags(argc, argv, words)) ||
      failed(checkPasses(flags, {argv, static_cast<size_t>(argc)})))
    return exitWrongUsage;
  if (Status wrong = checkOutput(flags); !wrong.isOk()) {
    printError("graph-opt", wrong.message());
    return exitWrongUsage;
  }

  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(flags.input, &message);
  if (!input) {
    // The message is "cannot open input file 'x.mlir': No such file or
    // directory".
    if (const size_t why = message.rfind(": "); why != message.npos)
      message[why + 2] = llvm::toLower(message[why + 2]);
    printError("graph-opt", message);
    return exitFailed;
  }
  if (Status status = checkWritable(flags.output); !status.isOk())
    return finish("graph-opt", status);
  DialectRegistry registry;
  registerWeirDialects(registry);
  registerLoopDialects(registry);
  auto process = [&](std::unique_ptr<llvm::MemoryBuffer> part,
                     llvm::raw_ostream &os) {
    return processBuffer(std::move(part), registry, flags, os);
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  const bool hasFailed = failed(splitAndProcessBuffer(
      std::move(input), process, os, flags.split ? kDefaultSplitMarker : "",
      flags.split ? kDefaultSplitMarker : ""));
  // If the input is split, standard output still shows the parts that
  // succeeded.
  if (hasFailed && flags.output != "-")
    return exitFailed;
  const ExitCode written =
      finish("graph-opt",
             atomicWriteFile(flags.output, std::as_bytes(std::span(text))));
  return hasFailed ? exitFailed : written;
}
