//===- LinalgToKernels.cpp - Tensor functions as vector loops ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Conversion/LinalgToKernels.h"

#include "NestEmitter.h"
#include "Overwrites.h"
#include "Tasks.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// The least work for which a thread is worth waking, in nanoseconds.
static constexpr double threadTime = 3000;
static constexpr int64_t scratchAlignment = 64;

namespace {
/// Emits the function of one phase.
class KernelEmitter {
public:
  KernelEmitter(func::FuncOp tensors, ArrayRef<MemRefType> operands,
                ArrayRef<MemRefType> results, KernelPlan &plan,
                ArrayRef<Section> sections, int phase)
      : tensors(tensors), operands(operands), results(results), plan(plan),
        sections(sections), phase(phase), builder(tensors),
        point(plan, builder, tensors.getLoc()) {}

  FailureOr<KernelFunction> emit(const Overwritten &overwritten);

private:
  void addArguments();
  MemRefType getBufferType(Value tensor, const Home &home) const;
  int64_t placeScratch();
  void makeBuffers();
  Value makeConstant(arith::ConstantOp constant, const Home &home);
  Value makeFlat(Value memory, const Home &home);
  void emitSection(const Section &section, int64_t first);
  void emitTask(const Section &section, Value task);
  int64_t getGrain(int64_t tasks) const;
  void describe(int64_t tasks, int64_t scratch);
  void dropUnread();
  int64_t findOverwriter(const ClusterBuffer &read,
                         const Overwritten &overwritten);
  void describeOverwrites(const Overwritten &overwritten);

  func::FuncOp tensors;
  ArrayRef<MemRefType> operands, results;
  KernelPlan &plan;
  ArrayRef<Section> sections;
  int phase;
  OpBuilder builder;
  PointEmitter point;
  KernelFunction kernel;
  /// The argument that is the memory of a home.
  llvm::DenseMap<Value, unsigned> arguments;
  llvm::DenseMap<Value, int64_t> places;
};
} // namespace

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Type getMemoryType(Value tensor) {
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

MemRefType KernelEmitter::getBufferType(Value tensor, const Home &home) const {
  switch (home.kind) {
  case Home::Kind::Operand:
    return operands[home.number];
  case Home::Kind::Result:
    return results[home.number];
  default:
    return MemRefType::get(getShape(tensor), getMemoryType(tensor));
  }
}

/// Adds all operands, the memory that other phases write, and the memory that
/// this phase writes. Memory that no nest writes belongs to the first phase.
void KernelEmitter::addArguments() {
  llvm::DenseMap<Value, int> phases;
  for (const LoopNest &nest : plan.nests)
    phases[nest.home] = nest.phase;
  SmallVector<std::pair<Value, ClusterBuffer>> reads, writes;
  for (auto &[tensor, home] : plan.homes) {
    using Kind = ClusterBuffer::Kind;
    auto &own = phases.lookup(tensor) == phase ? writes : reads;
    if (home.kind == Home::Kind::Operand)
      reads.push_back({tensor, {Kind::Operand, home.number}});
    else if (home.kind == Home::Kind::Result)
      own.push_back({tensor, {Kind::Result, home.number}});
    else if (home.kind == Home::Kind::Shared)
      own.push_back({tensor, {Kind::Temporary, home.number}});
  }
  SmallVector<Type> types;
  for (auto [list, kept] :
       {std::pair(&reads, &kernel.reads), std::pair(&writes, &kernel.writes)})
    for (auto [tensor, buffer] : *list) {
      arguments[tensor] = types.size();
      types.push_back(getBufferType(tensor, plan.homes[tensor]));
      kept->push_back(buffer);
    }
  Type index = builder.getIndexType();
  auto scratch = MemRefType::get({placeScratch()}, builder.getI8Type());
  types.append({index, index, scratch});
  const std::string name =
      getKernelName(tensors.getSymName(), static_cast<size_t>(phase));
  kernel.function = func::FuncOp::create(builder, tensors.getLoc(), name,
                                         builder.getFunctionType(types, {}));
  builder.setInsertionPointToStart(kernel.function.addEntryBlock());
}

/// Gives each tensor its place in scratch, and returns the bytes of scratch.
/// Sections run one after the other and use the same bytes.
int64_t KernelEmitter::placeScratch() {
  int64_t most = 0;
  for (const Section &section : sections) {
    int64_t bytes = 0;
    for (int number : section.nests) {
      Value tensor = plan.nests[number].home;
      const Home &home = plan.homes[tensor];
      if (home.kind != Home::Kind::Scratch || places.contains(tensor))
        continue;
      places[tensor] = bytes;
      int64_t size = getMemoryType(tensor).getIntOrFloatBitWidth() / 8;
      bytes = llvm::alignTo(bytes + home.extent * size, scratchAlignment);
    }
    most = std::max(most, bytes);
  }
  return most;
}

/// `memory` as a memref of one dim. Addresses are computed here, because it
/// depends on the layout along which dim elements are adjacent.
Value KernelEmitter::makeFlat(Value memory, const Home &home) {
  auto type = cast<MemRefType>(memory.getType());
  auto flat = MemRefType::get({home.extent}, type.getElementType());
  if (flat == type)
    return memory;
  return memref::ReinterpretCastOp::create(
      builder, kernel.function.getLoc(), flat, memory, /*offset=*/0,
      ArrayRef<int64_t>{home.extent}, ArrayRef<int64_t>{1});
}

/// The global of `module` with `elements` as a `type`. It is created if there
/// is none. Its name follows from its contents, so that equal kernels stay
/// equal.
static memref::GlobalOp findGlobal(ModuleOp module, Location location,
                                   DenseElementsAttr elements,
                                   MemRefType type) {
  std::string text;
  llvm::raw_string_ostream(text) << type << elements.isSplat();
  ArrayRef<char> data = elements.getRawData();
  text.append(data.begin(), data.end());
  std::string base =
      "weir_constant_" + llvm::utohexstr(llvm::xxh3_64bits(text));
  std::string name = base;
  for (unsigned n = 1;; ++n) {
    auto global = module.lookupSymbol<memref::GlobalOp>(name);
    if (!global)
      break;
    if (global.getType() == type && global.getInitialValueAttr() == elements)
      return global;
    name = (base + "_" + Twine(n)).str();
  }
  OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
  return memref::GlobalOp::create(outside, location, name,
                                  outside.getStringAttr("private"), type,
                                  elements, /*constant=*/true,
                                  /*alignment=*/IntegerAttr());
}

/// The elements of `constant` as data of the module.
Value KernelEmitter::makeConstant(arith::ConstantOp constant,
                                  const Home &home) {
  auto elements = cast<DenseElementsAttr>(constant.getValue());
  auto type = MemRefType::get({home.extent}, getMemoryType(constant));
  if (elements.getElementType().isInteger(1))
    elements = elements.mapValues(builder.getI8Type(),
                                  [](const APInt &bit) { return bit.zext(8); });
  elements = elements.reshape(
      RankedTensorType::get(type.getShape(), type.getElementType()));
  auto global = findGlobal(kernel.function->getParentOfType<ModuleOp>(),
                           constant.getLoc(), elements, type);
  return memref::GetGlobalOp::create(builder, kernel.function.getLoc(), type,
                                     global.getSymName());
}

void KernelEmitter::makeBuffers() {
  Value scratch = kernel.function.getArguments().back();
  for (auto &[tensor, home] : plan.homes) {
    Value buffer;
    switch (home.kind) {
    case Home::Kind::Operand:
    case Home::Kind::Result:
    case Home::Kind::Shared:
      buffer = makeFlat(kernel.function.getArgument(arguments[tensor]), home);
      break;
    case Home::Kind::Constant:
      buffer = makeConstant(tensor.getDefiningOp<arith::ConstantOp>(), home);
      break;
    case Home::Kind::Scratch:
      if (!places.contains(tensor))
        break;
      Value place = point.constantIndex(places[tensor]);
      buffer = memref::ViewOp::create(
          builder, kernel.function.getLoc(),
          MemRefType::get({home.extent}, getMemoryType(tensor)), scratch, place,
          ValueRange());
      break;
    }
    point.setBuffer(tensor, buffer);
  }
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

int64_t KernelEmitter::getGrain(int64_t tasks) const {
  double time = 0;
  for (const Section &section : sections)
    for (int number : section.nests)
      time += estimateTime(plan, plan.nests[number]);
  double perTask = std::max(1.0, time / static_cast<double>(tasks));
  return std::max<int64_t>(1, static_cast<int64_t>(threadTime / perTask));
}

/// Emits the nests of a section for `task`. In the number of a task, the last
/// task dim counts fastest.
void KernelEmitter::emitTask(const Section &section, Value task) {
  SmallVector<Value> ends(section.dims.size());
  for (size_t d = section.dims.size(); d-- > 0;) {
    const TaskDim &dim = section.dims[d];
    Value number = task;
    if (d != 0) {
      Value blocks = point.constantIndex(dim.getBlocks());
      number = point.make<arith::RemUIOp>(task, blocks);
      task = point.make<arith::DivUIOp>(task, blocks);
    }
    Value begin = number;
    if (dim.block != 1)
      begin = point.make<arith::MulIOp>(number, point.constantIndex(dim.block));
    point.bind(dim.symbol, begin);
    if (dim.size % dim.block == 0)
      continue;
    Value rest =
        point.make<arith::SubIOp>(point.constantIndex(dim.size), begin);
    ends[d] = point.make<arith::MinUIOp>(rest, point.constantIndex(dim.block));
  }
  for (int number : section.nests)
    NestEmitter(point, plan.nests[number], ends).emit();
}

/// Emits the loop over the tasks of `section`, whose numbers begin at `first`.
void KernelEmitter::emitSection(const Section &section, int64_t first) {
  auto [begin, end] = std::pair<Value, Value>(
      *(kernel.function.args_end() - 3), *(kernel.function.args_end() - 2));
  if (sections.size() > 1) {
    Value low = point.constantIndex(first);
    Value high = point.constantIndex(first + section.getTasks());
    begin = point.make<arith::MaxUIOp>(begin, low);
    end = point.make<arith::MinUIOp>(end, high);
  }
  auto loop = point.make<scf::ForOp>(begin, end, point.constantIndex(1));
  point.enter(loop.getBody(), -1, {});
  Value task = loop.getInductionVar();
  if (first != 0)
    task = point.make<arith::SubIOp>(task, point.constantIndex(first));
  emitTask(section, task);
  point.leave();
  builder.setInsertionPointAfter(loop);
}

void KernelEmitter::describe(int64_t tasks, int64_t scratch) {
  auto set = [&](StringRef name, int64_t value) {
    kernel.function->setAttr(name, builder.getI64IntegerAttr(value));
  };
  set(kernelattrs::tasks, tasks);
  set(kernelattrs::grain, getGrain(tasks));
  set(kernelattrs::scratch, scratch);
}

/// Removes arguments that the phase does not read. The first phase keeps all
/// operands.
void KernelEmitter::dropUnread() {
  llvm::BitVector unread(kernel.function.getNumArguments());
  for (unsigned number = kernel.reads.size(); number-- > 0;) {
    if (phase == 0 && kernel.reads[number].kind == ClusterBuffer::Kind::Operand)
      continue;
    Value argument = kernel.function.getArgument(number);
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
      if (user->use_empty() && isMemoryEffectFree(user))
        user->erase();
    if (!argument.use_empty())
      continue;
    unread.set(number);
    kernel.reads.erase(kernel.reads.begin() + number);
  }
  LogicalResult erased = kernel.function.eraseArguments(unread);
  assert(succeeded(erased) && "arguments that nothing reads can be erased");
  (void)erased;
}

/// The number of the written buffer that may lie in the bytes of `read`, or -1.
int64_t KernelEmitter::findOverwriter(const ClusterBuffer &read,
                                      const Overwritten &overwritten) {
  if (read.kind != ClusterBuffer::Kind::Operand)
    return -1;
  Value home = overwritten.lookup({tensors.getArgument(read.index), phase});
  if (!home)
    return -1;
  unsigned result = plan.homes.find(home)->second.number;
  if (operands[read.index] != results[result])
    return -1;
  const auto *write = llvm::find_if(kernel.writes, [&](const auto &buffer) {
    return buffer.kind == ClusterBuffer::Kind::Result && buffer.index == result;
  });
  return write == kernel.writes.end() ? -1 : write - kernel.writes.begin();
}

void KernelEmitter::describeOverwrites(const Overwritten &overwritten) {
  for (const ClusterBuffer &read : kernel.reads)
    kernel.overwrittenBy.push_back(findOverwriter(read, overwritten));
  if (llvm::any_of(kernel.overwrittenBy, [](int64_t n) { return n >= 0; }))
    kernel.function->setAttr(
        kernelattrs::overwrittenBy,
        builder.getDenseI64ArrayAttr(kernel.overwrittenBy));
}

FailureOr<KernelFunction> KernelEmitter::emit(const Overwritten &overwritten) {
  addArguments();
  makeBuffers();
  int64_t tasks = 0;
  for (const Section &section : sections) {
    emitSection(section, tasks);
    tasks += section.getTasks();
  }
  func::ReturnOp::create(builder, kernel.function.getLoc());
  if (linalg::GenericOp missed = point.getMissed())
    return missed.emitError(
        "a kernel reads this reduction before it is computed; this is a bug of "
        "the compiler: report it, and until it is fixed exclude the kernel "
        "'generated' in a topology file");
  auto scratch =
      cast<MemRefType>(kernel.function.getArguments().back().getType());
  describe(std::max<int64_t>(tasks, 1), scratch.getNumElements());
  for (const Section &section : sections)
    for (int number : section.nests)
      kernel.points += plan.getPoints(plan.nests[number]);
  dropUnread();
  describeOverwrites(overwritten);
  return kernel;
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// Whether `op` is one that planning and emission know.
static bool isKnown(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return !isa<TensorType>(constant.getType()) ||
           isa<DenseElementsAttr>(constant.getValue());
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return isPlainInsert(insert);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return pad.getConstantPaddingValue() &&
           pad.getConstantPaddingValue().getDefiningOp<arith::ConstantOp>();
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic->getNumResults() == 1 || isScan(generic);
  return isa<linalg::FillOp, tensor::EmptyOp, tensor::ExtractSliceOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

std::string weir::getKernelName(StringRef cluster, size_t number) {
  return number == 0 ? cluster.str()
                     : (cluster + Twine('.') + Twine(number)).str();
}

MemRefType weir::getKernelMemory(RankedTensorType tensor,
                                 ArrayRef<int64_t> strides) {
  Type element = tensor.getElementType();
  MLIRContext *context = tensor.getContext();
  if (element.isInteger())
    element = IntegerType::get(context,
                               std::max(element.getIntOrFloatBitWidth(), 8u));
  if (strides.empty())
    return MemRefType::get(tensor.getShape(), element);
  return MemRefType::get(tensor.getShape(), element,
                         StridedLayoutAttr::get(context, 0, strides));
}

FailureOr<LoweredCluster> weir::emitKernels(func::FuncOp tensors,
                                            ArrayRef<MemRefType> operands,
                                            ArrayRef<MemRefType> results,
                                            int64_t vectorBits) {
  for (Operation &op : tensors.getBody().front().without_terminator())
    if (!isKnown(op))
      return op.emitOpError("cannot be lowered to loops");
  KernelPlan plan(tensors, operands, results);
  const Overwritten overwritten = findOverwritten(plan);
  std::vector<Section> sections = planTasks(plan, vectorBits);
  LoweredCluster lowered;
  for (Value tensor : plan.shared)
    lowered.temporaries.push_back(cast<RankedTensorType>(tensor.getType()));
  for (int phase = 0; phase < plan.numPhases; ++phase) {
    std::vector<Section> own;
    llvm::copy_if(sections, std::back_inserter(own),
                  [&](const Section &each) { return each.phase == phase; });
    FailureOr<KernelFunction> kernel =
        KernelEmitter(tensors, operands, results, plan, own, phase)
            .emit(overwritten);
    if (failed(kernel))
      return failure();
    lowered.functions.push_back(std::move(*kernel));
  }
  tensors.erase();
  return lowered;
}
