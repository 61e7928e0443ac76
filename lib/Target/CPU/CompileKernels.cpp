//===- CompileKernels.cpp - Compiles kernel functions to machine code -----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Functions are compiled in chunks, because LLVM's time and memory grow faster
// than linearly with the size of a module. LLVM compiles chunks on all cores.
// The division into chunks does not depend on the number of cores.
//
//===----------------------------------------------------------------------===//

#include "weir/Target/CPU/CompileKernels.h"

#include "KernelEntries.h"
#include "KernelTranslator.h"
#include "LowerMath.h"
#include "Machine.h"
#include "WorkerThreads.h"

#include "weir/Conversion/ClusterToLoops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
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

namespace {
/// Converts an optimised chunk to an object file or to text.
using Emitter = StatusOr<std::string> (*)(llvm::Module &,
                                          llvm::TargetMachine &);

/// A chunk in LLVM IR. The module is destroyed before its context.
struct Chunk {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> code;
};

class KernelCompiler {
public:
  explicit KernelCompiler(ModuleOp module) : module(module) {}

  LogicalResult start();
  ArrayRef<func::FuncOp> functions() const { return all; }

  /// Optimises each chunk and returns the results of `emit`, in order.
  FailureOr<std::vector<std::string>> compile(Emitter emit);

  llvm::TargetMachine &machine() { return *targetMachine; }
  const TargetCpu &target() const { return cpu; }

private:
  LogicalResult report(const Status &status) {
    return status.isOk()
               ? success()
               : LogicalResult(module.emitError(StringRef(status.message())));
  }
  FailureOr<Chunk> translate(ArrayRef<func::FuncOp> functions);
  /// Optimises and emits a chunk. Runs on any thread.
  StatusOr<std::string> finish(const Chunk &chunk, Emitter emit) const;

  ModuleOp module;
  TargetCpu cpu;
  std::unique_ptr<llvm::TargetMachine> targetMachine;
  SmallVector<func::FuncOp> all;
};
} // namespace

LogicalResult KernelCompiler::start() {
  auto name = module->getAttrOfType<StringAttr>(kernelattrs::targetCpu);
  if (!name)
    return module.emitError("expects the attribute '")
           << kernelattrs::targetCpu << "'; run convert-clusters-to-loops";
  StatusOr<TargetCpu> parsed = parseTargetCpu(name.getValue());
  if (!parsed.isOk())
    return report(parsed.status());
  cpu = *std::move(parsed);
  auto made = makeTargetMachine(cpu);
  if (!made.isOk())
    return report(made.status());
  targetMachine = *std::move(made);
  llvm::append_range(all, module.getOps<func::FuncOp>());
  return success();
}

static ArrayRef<int64_t> getOverwrittenBy(func::FuncOp function) {
  auto numbers =
      function->getAttrOfType<DenseI64ArrayAttr>(kernelattrs::overwrittenBy);
  return numbers ? numbers.asArrayRef() : ArrayRef<int64_t>();
}

FailureOr<Chunk> KernelCompiler::translate(ArrayRef<func::FuncOp> functions) {
  Chunk chunk;
  chunk.context = std::make_unique<llvm::LLVMContext>();
  chunk.code = std::make_unique<llvm::Module>("kernels", *chunk.context);
  chunk.code->setTargetTriple(targetTriple());
  chunk.code->setDataLayout(targetMachine->createDataLayout());
  KernelTranslator translator(*chunk.code);
  for (func::FuncOp function : functions) {
    lowerMath(function);
    if (failed(translator.translate(function)))
      return failure();
    addEntry(*chunk.code->getFunction(function.getSymName()),
             getOverwrittenBy(function));
  }
  assert(!llvm::verifyModule(*chunk.code, &llvm::errs()) &&
         "kernels become valid LLVM IR");
  return chunk;
}

StatusOr<std::string> KernelCompiler::finish(const Chunk &chunk,
                                             Emitter emit) const {
  // A TargetMachine creates information about functions lazily, so each thread
  // needs its own.
  WEIR_ASSIGN_OR_RETURN(auto machine, makeTargetMachine(cpu));
  optimize(*chunk.code, cpu, *machine);
  return emit(*chunk.code, *machine);
}

FailureOr<std::vector<std::string>> KernelCompiler::compile(Emitter emit) {
  // The calling thread lowers chunks while the others compile; few wait, so
  // that memory does not grow with the graph. It compiles a chunk itself that
  // no other thread has begun when the result is taken.
  WorkerThreads workers(llvm::hardware_concurrency().compute_thread_count());
  std::deque<std::shared_future<StatusOr<std::string>>> running;
  std::vector<std::string> results;
  auto takeFirst = [&] {
    const StatusOr<std::string> &result = running.front().get();
    if (!result.isOk())
      return report(result.status());
    results.push_back(*result);
    running.pop_front();
    return success();
  };
  for (size_t begin = 0; begin < all.size(); begin += functionsPerChunk) {
    FailureOr<Chunk> chunk = translate(functions().slice(
        begin, std::min(functionsPerChunk, all.size() - begin)));
    if (failed(chunk) ||
        (running.size() > workers.size() && failed(takeFirst())))
      return failure();
    auto shared = std::make_shared<Chunk>(*std::move(chunk));
    running.push_back(std::async(std::launch::deferred, [this, shared, emit] {
                        return finish(*shared, emit);
                      }).share());
    workers.add([result = running.back()] { result.wait(); });
  }
  while (!running.empty())
    if (failed(takeFirst()))
      return failure();
  return results;
}

static StatusOr<std::string> emitObject(llvm::Module &code,
                                        llvm::TargetMachine &machine) {
  return emitCode(code, machine, /*asText=*/false);
}

static StatusOr<std::string> emitAssembly(llvm::Module &code,
                                          llvm::TargetMachine &machine) {
  return emitCode(code, machine, /*asText=*/true);
}

static StatusOr<std::string> emitIR(llvm::Module &code,
                                    llvm::TargetMachine & /*machine*/) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  code.print(stream, nullptr);
  return text;
}

static CompiledKernel describe(func::FuncOp function, size_t number) {
  auto get = [&](StringRef name) {
    auto value = function->getAttrOfType<IntegerAttr>(name);
    return value ? static_cast<uint64_t>(value.getInt()) : 0;
  };
  ArrayRef<int64_t> overwrittenBy = getOverwrittenBy(function);
  return {static_cast<uint32_t>(number), get(kernelattrs::tasks),
          std::max<uint64_t>(get(kernelattrs::grain), 1),
          get(kernelattrs::scratch), overwrittenBy.vec()};
}

FailureOr<CompiledKernels> weir::compileKernels(ModuleOp module) {
  KernelCompiler compiler(module);
  if (failed(compiler.start()))
    return failure();
  FailureOr<std::vector<std::string>> objects = compiler.compile(emitObject);
  if (failed(objects))
    return failure();
  CompiledKernels compiled;
  compiled.cpu = compiler.target();
  std::vector<std::string> names;
  for (func::FuncOp function : compiler.functions()) {
    size_t number = names.size();
    names.push_back(function.getSymName().str());
    compiled.kernels[function.getSymName()] = describe(function, number);
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> table =
      makeTable(names, context, compiler.machine());
  StatusOr<std::string> tableObject = emitObject(*table, compiler.machine());
  if (!tableObject.isOk())
    return module.emitError(StringRef(tableObject.status().message()));
  objects->push_back(*std::move(tableObject));
  StatusOr<std::string> object = link(*objects);
  if (!object.isOk())
    // It is about this machine, and no line of the graph.
    return emitError(UnknownLoc::get(module.getContext()),
                     StringRef(object.status().message()));
  compiled.object = *std::move(object);
  return compiled;
}

FailureOr<std::string> weir::printKernels(ModuleOp module, bool asAssembly) {
  KernelCompiler compiler(module);
  if (failed(compiler.start()))
    return failure();
  FailureOr<std::vector<std::string>> parts =
      compiler.compile(asAssembly ? emitAssembly : emitIR);
  if (failed(parts))
    return failure();
  return llvm::join(*parts, "");
}
