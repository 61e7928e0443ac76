//===- KernelCheck.cpp - Compares kernels with their ops --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//   weir-kernel-check [CLUSTERS.mlir...] [--random=COUNT [--seed=N]] [--gpu]
//
// takes each function as one cluster, generates its code, and compares that
// with the records of the ops, as graph-compile --check-kernels does. With
// --gpu it is the code for GPUs, which an emulator runs. --random draws
// clusters; that of a seed is printed by --print. Without --seed, WEIR_SEED of
// the environment is the first seed.
//
//===----------------------------------------------------------------------===//

#include "Generated.h"
#include "RandomGraph.h"

#include "weir/Compiler/Registration.h"
#include "weir/Conversion/ClusterToLoops.h"
#include "weir/Import/Text.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

#include <cstdlib>
#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using namespace weir::opcheck;
namespace cl = llvm::cl;

static cl::list<std::string> inputFiles(cl::Positional, cl::desc("<clusters>"));
static cl::opt<unsigned> numRandom("random", cl::init(0),
                                   cl::desc("The number of random clusters"));
static cl::opt<unsigned> firstSeed("seed", cl::init(0),
                                   cl::desc("The seed of the first of them"));
static cl::opt<bool> isGpu("gpu", cl::desc("Check code for GPUs"));
static cl::opt<bool> isPrinted("print", cl::desc("Print the clusters"));

/// Adds to `all` what is checked in `module`.
static bool checkModule(ModuleOp module, KernelChecks &all) {
  if (isPrinted)
    llvm::outs() << module << '\n';
  const auto clusters = llvm::to_vector(module.getOps<func::FuncOp>());
  auto code =
      generateCode(clusters, isGpu ? Machine::EmulatedGpu : Machine::Cpu,
                   /*isAssembled=*/false);
  if (!code.isOk()) {
    llvm::errs() << code.status().message() << '\n';
    return false;
  }
  bool isGood = true;
  for (func::FuncOp cluster : clusters) {
    FailureOr<KernelChecks> checks = checkClusters(cluster, *code);
    isGood &= succeeded(checks);
    if (failed(checks))
      continue;
    all.kernels += checks->kernels;
    all.elements += checks->elements;
    llvm::append_range(all.leftOut, checks->leftOut);
  }
  return isGood;
}

static bool checkFile(const std::string &path, MLIRContext &context,
                      KernelChecks &all) {
  std::string message;
  auto input = openInputFile(path, &message);
  if (!input) {
    llvm::errs() << message << '\n';
    return false;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  const SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = importText(sources, &context);
  return module && checkModule(*module, all);
}

/// The float type of the cluster that is drawn from `seed`.
static Type drawElement(unsigned seed, MLIRContext &context) {
  Builder builder(&context);
  const Type types[] = {builder.getF32Type(), builder.getBF16Type(),
                        builder.getF32Type(), builder.getF16Type(),
                        builder.getF64Type()};
  return types[seed % std::size(types)];
}

/// Takes the first seed from the environment, if no flag gives it.
static bool findFirstSeed() {
  const char *text = std::getenv("WEIR_SEED");
  if (!text || firstSeed.getNumOccurrences())
    return true;
  // The commit's number has more digits than a seed needs.
  unsigned seed = 0;
  if (StringRef(text).take_front(7).getAsInteger(16, seed)) {
    llvm::errs() << "WEIR_SEED: expected hexadecimal digits, found '" << text
                 << "'\n";
    return false;
  }
  firstSeed = seed;
  return true;
}

/// Checks `count` clusters, whose code is compiled at once.
static bool checkRandom(unsigned first, unsigned count, MLIRContext &context,
                        KernelChecks &all) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  for (unsigned seed = first; seed < first + count; ++seed) {
    const RandomGraphKind kind = {drawElement(seed, context),
                                  /*drawsSizes=*/true};
    addRandomGraph(*module, seed, kind)
        .setSymName(fmt::format("seed_{}", seed));
  }
  return checkModule(*module, all);
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  cl::ParseCommandLineOptions(argc, argv,
                              "Compares kernels with what their ops mean\n");
  if (!findFirstSeed())
    return 1;
  DialectRegistry registry;
  registerWeirDialects(registry);
  registerLoopDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  KernelChecks all;
  bool isGood = true;
  for (const std::string &path : inputFiles)
    isGood &= checkFile(path, context, all);
  constexpr unsigned atOnce = 32;
  for (unsigned i = 0; i < numRandom; i += atOnce)
    isGood &= checkRandom(firstSeed + i, std::min(atOnce, numRandom - i),
                          context, all);
  for (const KernelChecks::LeftOut &one : all.leftOut)
    llvm::outs() << "not checked: " << one.name << ": " << one.reason << '\n';
  llvm::outs() << all.kernels << " clusters, " << all.elements << " elements\n";
  return isGood ? 0 : 1;
}
