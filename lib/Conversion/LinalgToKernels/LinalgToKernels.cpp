//===- LinalgToKernels.cpp - Tensor functions as vector loops ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Conversion/LinalgToKernels.h"

#include "GpuKernels.h"
#include "KernelEmitter.h"
#include "NestEmitter.h"
#include "Overwrites.h"
#include "Tasks.h"

#include "weir/Analysis/Clusters.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// The least work for which a thread is worth waking, in nanoseconds.
static constexpr double threadTime = 3000;

/// The rules for CPUs and for GPUs. CPUs have tens of threads. GPUs have more
/// than a hundred processors, and each processor should have several blocks. On
/// GPUs, it is better if a launch of its own stores the tensors that windows
/// read.
static constexpr PlanRules cpuRules{
    {128, 64, analysis::enoughResults, analysis::longReduction},
    /*windowCost=*/4,
    /*storesWindowsFirst=*/false};
static constexpr PlanRules gpuRules{{32, 512, 256, int64_t(1) << 16},
                                    /*windowCost=*/128,
                                    /*storesWindowsFirst=*/true};

namespace {
/// Emits the function of one phase for CPUs.
class CpuKernelEmitter final : public KernelEmitter {
public:
  CpuKernelEmitter(const ClusterMemory &memory, KernelPlan &plan,
                   ArrayRef<Section> sections, int phase)
      : KernelEmitter(memory, plan, phase), sections(sections) {}

private:
  void addScratch(SmallVectorImpl<Type> &types) override;
  Value makeScratch(Value tensor, const Home &home) override;
  void emitBody() override;

  int64_t placeScratch();
  void emitSection(const Section &section, int64_t first);
  void emitTask(const Section &section, Value task);
  int64_t getGrain(int64_t tasks) const;

  ArrayRef<Section> sections;
  llvm::DenseMap<Value, int64_t> places;
};
} // namespace

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

void CpuKernelEmitter::addScratch(SmallVectorImpl<Type> &types) {
  Type index = builder.getIndexType();
  auto scratch = MemRefType::get({placeScratch()}, builder.getI8Type());
  types.append({index, index, scratch});
}

Value CpuKernelEmitter::makeScratch(Value tensor, const Home &home) {
  if (!places.contains(tensor))
    return {};
  Value scratch = kernel.function.getArguments().back();
  Value place = code.constantIndex(places[tensor]);
  return memref::ViewOp::create(
      builder, kernel.function.getLoc(),
      MemRefType::get({home.extent}, getMemoryElement(tensor)), scratch, place,
      ValueRange());
}

/// Gives each tensor its place in scratch, and returns the bytes of scratch.
/// Sections run one after the other and use the same bytes.
int64_t CpuKernelEmitter::placeScratch() {
  int64_t most = 0;
  for (const Section &section : sections) {
    int64_t bytes = 0;
    for (const LoopNest &nest : section.nests) {
      Value tensor = nest.getHome();
      const Home &home = plan.homes[tensor];
      if (home.kind != Home::Kind::Scratch || places.contains(tensor))
        continue;
      places[tensor] = bytes;
      int64_t size = getMemoryElement(tensor).getIntOrFloatBitWidth() / 8;
      bytes = llvm::alignTo(bytes + home.extent * size, scratchAlignment);
    }
    most = std::max(most, bytes);
  }
  return most;
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

int64_t CpuKernelEmitter::getGrain(int64_t tasks) const {
  double time = 0;
  for (const Section &section : sections)
    for (const ScheduledNest &nest : section.nests)
      time += estimateTime(plan, nest);
  double perTask = std::max(1.0, time / static_cast<double>(tasks));
  return std::max<int64_t>(1, static_cast<int64_t>(threadTime / perTask));
}

/// Emits the nests of a section for `task`. In the number of a task, the last
/// task dim counts fastest.
void CpuKernelEmitter::emitTask(const Section &section, Value task) {
  SmallVector<Value> ends(section.dims.size());
  for (size_t d = section.dims.size(); d-- > 0;) {
    const TaskDim &dim = section.dims[d];
    Value number = task;
    if (d != 0) {
      Value blocks = code.constantIndex(dim.getBlocks());
      number = code.make<arith::RemUIOp>(task, blocks);
      task = code.make<arith::DivUIOp>(task, blocks);
    }
    Value begin = number;
    if (dim.block != 1)
      begin = code.make<arith::MulIOp>(number, code.constantIndex(dim.block));
    code.bind(dim.symbol, begin);
    if (dim.size % dim.block == 0)
      continue;
    Value rest = code.make<arith::SubIOp>(code.constantIndex(dim.size), begin);
    ends[d] = code.make<arith::MinUIOp>(rest, code.constantIndex(dim.block));
  }
  for (const ScheduledNest &nest : section.nests)
    NestEmitter(point, nest, ends).emit();
}

/// Emits the loop over the tasks of `section`, whose numbers begin at `first`.
void CpuKernelEmitter::emitSection(const Section &section, int64_t first) {
  auto [begin, end] = std::pair<Value, Value>(
      *(kernel.function.args_end() - 3), *(kernel.function.args_end() - 2));
  if (sections.size() > 1) {
    Value low = code.constantIndex(first);
    Value high = code.constantIndex(first + section.getTasks());
    begin = code.make<arith::MaxUIOp>(begin, low);
    end = code.make<arith::MinUIOp>(end, high);
  }
  auto loop = code.make<scf::ForOp>(begin, end, code.constantIndex(1));
  code.enter(loop.getBody(), -1, {});
  Value task = loop.getInductionVar();
  if (first != 0)
    task = code.make<arith::SubIOp>(task, code.constantIndex(first));
  emitTask(section, task);
  code.leave();
  builder.setInsertionPointAfter(loop);
}

void CpuKernelEmitter::emitBody() {
  int64_t tasks = 0;
  for (const Section &section : sections) {
    emitSection(section, tasks);
    tasks += section.getTasks();
  }
  tasks = std::max<int64_t>(tasks, 1);
  auto scratch =
      cast<MemRefType>(kernel.function.getArguments().back().getType());
  describe(kernelattrs::tasks, tasks);
  describe(kernelattrs::grain, getGrain(tasks));
  describe(kernelattrs::scratch, scratch.getNumElements());
  for (const Section &section : sections)
    for (const LoopNest &nest : section.nests)
      kernel.points += nest.getPoints();
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// Whether planning and emission know `op`.
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

FailureOr<LoweredCluster> weir::emitKernels(func::FuncOp tensors,
                                            ArrayRef<MemRefType> operands,
                                            ArrayRef<MemRefType> results,
                                            const LoopTarget &target) {
  for (Operation &op : tensors.getBody().front().without_terminator())
    if (!isKnown(op))
      return op.emitOpError("cannot be lowered to loops");
  KernelPlan plan(tensors, operands, results,
                  target.isGpu ? gpuRules : cpuRules);
  const Overwritten overwritten = findOverwritten(plan);
  const ClusterMemory memory{tensors, operands, results};
  std::vector<Section> sections =
      target.isGpu ? planBlocks(plan) : planTasks(plan, target.vectorBits);
  LoweredCluster lowered;
  for (Value tensor : plan.shared)
    lowered.temporaries.push_back(cast<RankedTensorType>(tensor.getType()));
  for (int phase = 0; phase < plan.numPhases; ++phase) {
    std::vector<Section> own;
    for (Section &each : sections)
      if (each.phase == phase)
        own.push_back(std::move(each));
    FailureOr<KernelFunction> kernel =
        target.isGpu
            ? emitGpuKernel(memory, plan, own, phase, overwritten)
            : CpuKernelEmitter(memory, plan, own, phase).emit(overwritten);
    if (failed(kernel))
      return failure();
    lowered.functions.push_back(std::move(*kernel));
  }
  tensors.erase();
  return lowered;
}
