//===- OpCheck.cpp - Compares ops with stored results ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//   weir-op-check CASES.mlir --expect=DATA.safetensors
//
// checks result types, flops and bytes, and the results of the reference, of
// generated code and of the library kernels, and prints a line per case. With
// --emit-linalg it prints a program for mlir-opt and mlir-runner instead, whose
// output a third call compares, given as --linalg-output.
//
//===----------------------------------------------------------------------===//

#include "../ArtifactCheck/Compare.h"
#include "GeneratedCases.h"

#include "weir/Compiler/Registration.h"
#include "weir/Conversion/ClusterToLoops.h"
#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Import/Text.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using namespace weir::opcheck;
namespace cl = llvm::cl;

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("<cases>"));
static cl::opt<std::string>
    expectFile("expect", cl::Required,
               cl::desc("Inputs and expected results, a safetensors file"));
static cl::opt<bool> emitsLinalg("emit-linalg",
                                 cl::desc("Print a program for mlir-opt"));
static cl::opt<std::string> linalgOutput("linalg-output",
                                         cl::desc("What that program printed"));
static cl::opt<bool> assembles("assemble",
                               cl::desc("Assemble the PTX of the kernels"));

/// Prints a failure; each names the op's file, the case and what was run.
static bool fail(const std::string &caseName, const std::string &path,
                 std::string_view problem) {
  llvm::errs() << inputFile << ": case '" << caseName << "', " << path << ": "
               << StringRef(problem) << '\n';
  return false;
}

/// The first difference between expected and found results; empty if none.
static std::string findDifference(const Case &testCase,
                                  const std::vector<HostTensor> &results) {
  for (size_t i = 0; i < results.size(); ++i)
    if (std::string difference =
            findDifference(testCase.expected[i], results[i]);
        !difference.empty())
      return fmt::format("result {}: {}", i, difference);
  return {};
}

static bool areAsExpected(const Case &testCase, const std::string &path,
                          const std::vector<HostTensor> &results) {
  std::string difference = findDifference(testCase, results);
  return difference.empty() || fail(testCase.name(), path, difference);
}

/// The cost of the whole case: the flops of its ops, and their bytes if these
/// are the stored tensors' bytes.
static OpCost getCaseCost(const Case &testCase) {
  OpCost cost;
  func::FuncOp(testCase.function).walk([&](WeirOpInterface op) {
    OpCost one = getCost(op);
    cost.flops += one.flops;
    cost.bytes += one.bytes;
  });
  return cost;
}

static bool isCostAsExpected(const Case &testCase, const OpCost &cost) {
  int64_t bytes = 0;
  for (const std::vector<HostTensor> *tensors :
       {&testCase.inputs, &testCase.expected})
    for (const HostTensor &tensor : *tensors)
      bytes += static_cast<int64_t>(tensor.bytes().size());
  if (cost.flops == testCase.flops && cost.bytes == bytes)
    return true;
  return fail(testCase.name(), "cost",
              fmt::format("expected {} flops and {} bytes, found {} and {}",
                          testCase.flops, bytes, cost.flops, cost.bytes));
}

/// The result of the library: "ok", "differs", or the reason why it has no
/// kernel. Vendors may treat NaN as they like. So cases about NaN, which have
/// names that begin with it, do not fail; their result is part of the test's
/// text.
static std::optional<std::string> checkLibrary(const Case &testCase) {
  for (Engine engine : {Engine::Library, Engine::LibraryAtLoad}) {
    std::string path =
        engine == Engine::Library ? "library" : "library with packed operands";
    auto results = evaluate(testCase, engine);
    if (!results.isOk()) {
      std::string reason(results.status().message());
      if (results.status().code() == StatusCode::Unimplemented)
        return reason;
      fail(testCase.name(), path, reason);
      return std::nullopt;
    }
    std::string difference = findDifference(testCase, *results);
    if (!difference.empty() && StringRef(testCase.name()).starts_with("nan"))
      return "differs";
    if (!difference.empty()) {
      fail(testCase.name(), path, difference);
      return std::nullopt;
    }
  }
  return "ok";
}

/// Generated code must give the same bits however its tasks are divided, and in
/// whichever order threads of a GPU run.
static bool checkGenerated(const Case &testCase, const std::string &path,
                           const GeneratedCases &generated) {
  constexpr unsigned manyRanges = 5;
  auto whole = generated.run(testCase, 1);
  auto split = generated.run(testCase, manyRanges);
  for (const auto *results : {&whole, &split})
    if (!results->isOk())
      return fail(testCase.name(), path, results->status().message());
  for (size_t i = 0; i < whole->size(); ++i) {
    std::span<const std::byte> left = (*whole)[i].bytes();
    std::span<const std::byte> right = (*split)[i].bytes();
    if (!std::equal(left.begin(), left.end(), right.begin(), right.end()))
      return fail(testCase.name(), path,
                  "another order of tasks or threads gives other bits");
  }
  return areAsExpected(testCase, path, *whole);
}

/// Prints "CASE: TYPES, N flops, N bytes, library ok".
static bool checkHere(const Case &testCase, const GeneratedCases &generated,
                      const GeneratedCases &onGpu) {
  OpCost cost = getCaseCost(testCase);
  bool isGood = isCostAsExpected(testCase, cost);
  auto reference = evaluate(testCase, Engine::Reference);
  if (!reference.isOk())
    return fail(testCase.name(), "reference", reference.status().message());
  isGood &= areAsExpected(testCase, "reference", *reference);
  isGood &= checkGenerated(testCase, "generated", generated);
  isGood &= checkGenerated(testCase, "GPU", onGpu);
  std::optional<std::string> library = checkLibrary(testCase);
  func::FuncOp function = testCase.function;
  llvm::outs() << testCase.name() << ": ";
  llvm::interleaveComma(function.getResultTypes(), llvm::outs());
  llvm::outs() << ", " << cost.flops << " flops, " << cost.bytes
               << " bytes, library " << library.value_or("failed") << '\n';
  return isGood && library;
}

static bool checkLinalgOutput(const std::vector<Case> &cases) {
  std::string message;
  auto text = openInputFile(linalgOutput, &message);
  if (!text)
    return fail("", "linalg", message);
  auto results = parseLinalgOutput(text->getBuffer(), cases);
  if (!results.isOk())
    return fail("", "linalg", results.status().message());
  bool isGood = true;
  for (size_t i = 0; i < cases.size(); ++i)
    isGood &= areAsExpected(cases[i], "linalg", (*results)[i]);
  return isGood;
}

static bool checkModule(ModuleOp module, const SafeTensors &data) {
  auto cases = loadCases(module, data);
  if (!cases.isOk())
    return fail("", "data", cases.status().message());
  if (emitsLinalg)
    return succeeded(emitLinalg(module, *cases, llvm::outs()));
  if (!linalgOutput.empty())
    return checkLinalgOutput(*cases);
  auto generated = GeneratedCases::compile(*cases, Machine::Cpu, assembles);
  if (!generated.isOk())
    return fail("", "generated", generated.status().message());
  auto onGpu = GeneratedCases::compile(*cases, Machine::EmulatedGpu, assembles);
  if (!onGpu.isOk())
    return fail("", "GPU", onGpu.status().message());
  bool isGood = true;
  for (const Case &testCase : *cases)
    isGood &= checkHere(testCase, *generated, *onGpu);
  return isGood;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Compares ops with stored results\n");
  std::string message;
  auto input = openInputFile(inputFile, &message);
  if (!input) {
    llvm::errs() << message << '\n';
    return 1;
  }
  auto data = SafeTensors::open(expectFile);
  if (!data.isOk()) {
    llvm::errs() << data.status().message() << '\n';
    return 1;
  }
  DialectRegistry registry;
  registerWeirDialects(registry);
  registerLoopDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = importText(sources, &context);
  return module && checkModule(*module, *data) ? 0 : 1;
}
