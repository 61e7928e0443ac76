//===- CompileKernels.cpp - Compiles kernel functions to machine code -----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The cache has code that was compiled earlier. First, the linked code of all
// functions together is looked up, by the keys of the functions. If it is
// missing, the code of each function is looked up. The code is the same with
// and without a cache, so an artifact always has the same bytes.
//
//===----------------------------------------------------------------------===//

#include "weir/Target/CPU/CompileKernels.h"

#include "KernelCompiler.h"
#include "KernelEntries.h"

#include "weir/Cache/CacheFile.h"
#include "weir/Conversion/ClusterToLoops.h"
#include "weir/Dialect/Weir/IR/AttributeNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <fmt/format.h>
#include <optional>

using namespace mlir;
using namespace weir;

static LogicalResult report(ModuleOp module, const Status &status) {
  return status.isOk()
             ? success()
             : LogicalResult(module.emitError(StringRef(status.message())));
}

static FailureOr<TargetCpu> getTarget(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(kernelattrs::targetCpu);
  if (!name)
    return module.emitError("expects the attribute '")
           << kernelattrs::targetCpu << "'; run convert-clusters-to-loops";
  StatusOr<TargetCpu> cpu = parseTargetCpu(name.getValue());
  if (failed(report(module, cpu.status())))
    return failure();
  return *std::move(cpu);
}

static std::string join(ArrayRef<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += fmt::format("{},", number);
  return text;
}

static CompiledKernel describe(func::FuncOp function, size_t number) {
  auto get = [&](StringRef name) {
    auto value = function->getAttrOfType<IntegerAttr>(name);
    return value ? static_cast<uint64_t>(value.getInt()) : 0;
  };
  return {static_cast<uint32_t>(number),
          get(kernelattrs::tasks),
          std::max<uint64_t>(get(kernelattrs::grain), 1),
          get(kernelattrs::scratch),
          0,
          getOverwrittenBy(function).vec()};
}

namespace {
/// Lowers clusters again. Their kernel functions are only declared, because
/// they were found in the cache. But the cache does not have the code of the
/// functions.
class MissingBodies {
public:
  MissingBodies(ModuleOp kernels, const TargetCpu &cpu)
      : clusters(kernels->getParentOfType<ModuleOp>().lookupSymbol<ModuleOp>(
            attrs::clustersModule)),
        symbols(clusters), made(ModuleOp::create(kernels.getLoc())),
        lowering(kernels.getContext(), LoopTarget{cpu.vectorBits}) {}

  /// The function with a body for the declaration `declared`.
  FailureOr<func::FuncOp> get(func::FuncOp declared);

private:
  ModuleOp clusters;
  SymbolTable symbols;
  OwningOpRef<ModuleOp> made;
  ClusterToLoops lowering;
  llvm::StringMap<func::FuncOp> functions;
};

/// The linked code of the kernel functions of one module.
class Library {
public:
  Library(ModuleOp module, TargetCpu cpu, CacheFile *cache);

  FailureOr<CompiledKernels> make();

private:
  std::string keyOf(func::FuncOp function) const;
  StatusOr<std::string> keyOfAll() const;
  /// Finds or compiles the code of each function, and links it.
  FailureOr<std::string> build();
  FailureOr<std::string> findOrBuild();
  /// Reports an error of this machine. It has no location in the graph.
  LogicalResult reportMachine(const Status &status) {
    return emitError(UnknownLoc::get(module.getContext()),
                     StringRef(status.message()));
  }
  LogicalResult compile(ArrayRef<size_t> missing);
  StatusOr<std::string> linkAll();

  ModuleOp module;
  TargetCpu cpu;
  /// The cache of compiled kernels, or null.
  CacheFile *cache;
  SmallVector<func::FuncOp> functions;
  /// The key and the object of each function. There are no keys without a
  /// cache.
  std::vector<std::string> keys, objects;
  size_t numFound = 0;
};
} // namespace

FailureOr<func::FuncOp> MissingBodies::get(func::FuncOp declared) {
  StringRef name = declared.getSymName();
  if (!functions.contains(name)) {
    auto cluster = symbols.lookup<func::FuncOp>(name.split('.').first);
    FailureOr<LoweredCluster> lowered = lowering.lower(cluster, *made);
    if (failed(lowered))
      return failure();
    for (KernelFunction &kernel : lowered->functions)
      functions[kernel.function.getSymName()] = kernel.function;
  }
  func::FuncOp function = functions.lookup(name);
  // The attribute is taken from the declaration, because only the plan says
  // which operands a launch overwrites.
  function->removeAttr(kernelattrs::overwrittenBy);
  if (Attribute overwritten = declared->getAttr(kernelattrs::overwrittenBy))
    function->setAttr(kernelattrs::overwrittenBy, overwritten);
  return function;
}

Library::Library(ModuleOp module, TargetCpu cpu, CacheFile *cache)
    : module(module), cpu(std::move(cpu)), cache(cache),
      functions(llvm::to_vector(module.getOps<func::FuncOp>())),
      objects(functions.size()) {
  if (cache)
    for (func::FuncOp function : functions)
      keys.push_back(keyOf(function));
}

std::string Library::keyOf(func::FuncOp function) const {
  auto key = function->getAttrOfType<StringAttr>(kernelattrs::cacheKey);
  assert(key && "the pass that lowers clusters has the cache, too");
  return cache->keyOf({"code", key.getValue(), cpu.tuning,
                       llvm::join(cpu.features, ","),
                       join(getOverwrittenBy(function))});
}

/// The key of the linked code. It contains the names of functions, because the
/// linked code depends on them. The keys of the functions do not.
StatusOr<std::string> Library::keyOfAll() const {
  WEIR_ASSIGN_OR_RETURN(std::string linker, identifyLinker());
  std::string text;
  for (size_t i = 0; i < functions.size(); ++i)
    text += fmt::format("{} {}\n",
                        func::FuncOp(functions[i]).getSymName().str(), keys[i]);
  return cache->keyOf({"library", linker, text});
}

LogicalResult Library::compile(ArrayRef<size_t> missing) {
  if (missing.empty())
    return success();
  std::optional<MissingBodies> again;
  SmallVector<func::FuncOp> bodies;
  for (size_t number : missing) {
    func::FuncOp function = functions[number];
    if (function.isDeclaration()) {
      if (!again)
        again.emplace(module, cpu);
      FailureOr<func::FuncOp> made = again->get(function);
      if (failed(made))
        return failure();
      function = *made;
    }
    bodies.push_back(function);
  }
  auto compiler = KernelCompiler::make(cpu, CodeForm::Object);
  if (!compiler.isOk())
    return report(module, compiler.status());
  auto made = compiler->compile(bodies);
  if (failed(made))
    return failure();
  for (auto [number, object] : llvm::zip(missing, *made)) {
    if (cache)
      cache->add(keys[number], object);
    objects[number] = std::move(object);
  }
  return success();
}

StatusOr<std::string> Library::linkAll() {
  std::vector<std::string> names;
  for (auto [function, object] : llvm::zip(functions, objects)) {
    names.push_back(func::FuncOp(function).getSymName().str());
    WEIR_ASSIGN_OR_RETURN(object, nameKernel(object, names.back()));
  }
  WEIR_ASSIGN_OR_RETURN(BackEnd backEnd, BackEnd::make(cpu, CodeForm::Object));
  llvm::LLVMContext context;
  objects.push_back(backEnd.emit(*makeTable(names, context, backEnd.layout())));
  return link(objects);
}

FailureOr<std::string> Library::build() {
  SmallVector<size_t> missing;
  for (size_t i = 0; i < functions.size(); ++i) {
    std::optional<std::string> found;
    if (cache)
      found = cache->find(keys[i]);
    if (found)
      objects[i] = *std::move(found);
    else
      missing.push_back(i);
  }
  numFound = functions.size() - missing.size();
  if (failed(compile(missing)))
    return failure();
  StatusOr<std::string> linked = linkAll();
  if (!linked.isOk())
    return reportMachine(linked.status());
  return *std::move(linked);
}

FailureOr<std::string> Library::findOrBuild() {
  StatusOr<std::string> key = keyOfAll();
  if (!key.isOk())
    return reportMachine(key.status());
  if (std::optional<std::string> found = cache->find(*key)) {
    numFound = functions.size();
    return *std::move(found);
  }
  FailureOr<std::string> built = build();
  if (succeeded(built))
    cache->add(*key, *built);
  return built;
}

FailureOr<CompiledKernels> Library::make() {
  CompiledKernels compiled;
  compiled.cpu = cpu;
  for (auto [number, function] : llvm::enumerate(functions))
    compiled.kernels[function.getSymName()] = describe(function, number);
  FailureOr<std::string> object = cache ? findOrBuild() : build();
  if (failed(object))
    return failure();
  compiled.object = *std::move(object);
  compiled.numFound = numFound;
  return compiled;
}

FailureOr<CompiledKernels> weir::compileKernels(ModuleOp module,
                                                CacheFile *cache) {
  FailureOr<TargetCpu> cpu = getTarget(module);
  if (failed(cpu))
    return failure();
  return Library(module, *std::move(cpu), cache).make();
}

FailureOr<std::string> weir::printKernels(ModuleOp module, bool asAssembly) {
  FailureOr<TargetCpu> cpu = getTarget(module);
  if (failed(cpu))
    return failure();
  auto compiler = KernelCompiler::make(*cpu, asAssembly ? CodeForm::Assembly
                                                        : CodeForm::LLVM);
  if (!compiler.isOk())
    return report(module, compiler.status());
  auto parts =
      compiler->compile(llvm::to_vector(module.getOps<func::FuncOp>()));
  if (failed(parts))
    return failure();
  return llvm::join(*parts, "");
}
