//===- KernelCompiler.cpp - Compiles kernel functions one by one ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelCompiler.h"

#include "KernelEntries.h"
#include "KernelTranslator.h"
#include "LowerMath.h"
#include "WorkerThreads.h"

#include "weir/Conversion/LinalgToKernels.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <deque>
#include <future>

using namespace mlir;
using namespace weir;

static constexpr size_t functionsPerChunk = 16;

/// Functions in LLVM IR. The modules must be destroyed before their context.
struct KernelCompiler::Chunk {
  llvm::LLVMContext context;
  std::vector<std::unique_ptr<llvm::Module>> modules;
};

ArrayRef<int64_t> weir::getOverwrittenBy(func::FuncOp function) {
  auto numbers =
      function->getAttrOfType<DenseI64ArrayAttr>(kernelattrs::overwrittenBy);
  return numbers ? numbers.asArrayRef() : ArrayRef<int64_t>();
}

StatusOr<KernelCompiler> KernelCompiler::make(const TargetCpu &cpu,
                                              CodeForm form) {
  static MachineOps noOthers;
  return make(cpu, form, noOthers);
}

StatusOr<KernelCompiler>
KernelCompiler::make(const TargetCpu &cpu, CodeForm form, MachineOps &machine) {
  WEIR_ASSIGN_OR_RETURN(auto backEnd, makeTargetMachine(cpu));
  return KernelCompiler(cpu, form, machine, backEnd->createDataLayout());
}

LogicalResult KernelCompiler::translate(func::FuncOp function, Chunk &chunk) {
  auto &code = chunk.modules.emplace_back(
      std::make_unique<llvm::Module>("kernels", chunk.context));
  code->setTargetTriple(targetTriple());
  code->setDataLayout(layout);
  lowerMath(function);
  if (failed(KernelTranslator(*code, *machine).translate(function)))
    return failure();
  llvm::Function *body = code->getFunction(function.getSymName());
  if (form == CodeForm::Object)
    body->setName(kernelSymbol);
  addEntry(*body, getOverwrittenBy(function), machine->sharesBuffers());
  assert(!llvm::verifyModule(*code, &llvm::errs()) &&
         "kernels become valid LLVM IR");
  return success();
}

StatusOr<std::vector<std::string>>
KernelCompiler::finish(const Chunk &chunk) const {
  // A TargetMachine creates information about functions when it is first
  // needed. So each thread has its own.
  WEIR_ASSIGN_OR_RETURN(BackEnd backEnd, BackEnd::make(cpu, form));
  // All functions are optimised before the first one is emitted. If the
  // optimiser and the back end took turns, each would evict the other from the
  // instruction cache.
  for (const auto &code : chunk.modules)
    backEnd.optimize(*code);
  std::vector<std::string> results;
  for (const auto &code : chunk.modules)
    results.push_back(backEnd.emit(*code));
  return results;
}

FailureOr<std::vector<std::string>>
KernelCompiler::compile(ArrayRef<func::FuncOp> functions) {
  // The calling thread lowers chunks while the other threads compile. Only few
  // chunks wait, so that memory does not grow with the graph. If the result of
  // a chunk is needed before another thread has begun it, the calling thread
  // compiles it.
  WorkerThreads workers(llvm::hardware_concurrency().compute_thread_count());
  std::deque<std::shared_future<StatusOr<std::vector<std::string>>>> running;
  std::vector<std::string> results;
  auto takeFirst = [&]() -> LogicalResult {
    const StatusOr<std::vector<std::string>> &result = running.front().get();
    if (!result.isOk()) {
      func::FuncOp first = functions.front();
      return first->getParentOp()->emitError(
          StringRef(result.status().message()));
    }
    results.insert(results.end(), result->begin(), result->end());
    running.pop_front();
    return success();
  };
  for (size_t begin = 0; begin < functions.size(); begin += functionsPerChunk) {
    const size_t end = std::min(begin + functionsPerChunk, functions.size());
    auto chunk = std::make_shared<Chunk>();
    for (func::FuncOp function : functions.slice(begin, end - begin))
      if (failed(translate(function, *chunk)))
        return failure();
    if (running.size() > workers.size() && failed(takeFirst()))
      return failure();
    running.push_back(std::async(std::launch::deferred, [this, chunk] {
                        return finish(*chunk);
                      }).share());
    workers.add([result = running.back()] { result.wait(); });
  }
  while (!running.empty())
    if (failed(takeFirst()))
      return failure();
  return results;
}
