//===- GpuKernels.cpp - Kernel functions for GPUs ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GpuKernels.h"

#include "GpuNestEmitter.h"
#include "GpuRowEmitter.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// The alignment in bytes of the address of every buffer.
static constexpr int64_t bufferAlignment = 16;

namespace {
class GpuKernelEmitter final : public KernelEmitter {
public:
  GpuKernelEmitter(const ClusterMemory &memory, KernelPlan &plan,
                   ArrayRef<Section> sections, int phase)
      : KernelEmitter(memory, plan, phase), sections(sections) {}

private:
  /// Shared memory is no argument.
  void addScratch(SmallVectorImpl<Type> &) override { placeShared(); }
  Value makeScratch(Value tensor, const Home &home) override;
  void emitBody() override;

  void chooseThreads();
  void placeShared();
  int64_t countBlocks(const Section &section) const;
  bool has(ThreadGroup::Kind kind) const;
  Value getShared();
  void emitRows(const Section &section, Value block);
  void emitNests(const Section &section, Value block);
  void emitSection(const Section &section, Value block);
  void emitBranch(const Section &section, Value launched, int64_t first);
  void bindTaskDims(const Section &section, Value block);
  void emitNest(const Section &section, const ScheduledNest &nest);

  ArrayRef<Section> sections;
  int64_t threads = warpThreads;
  /// The bytes of shared memory of a block, and the place of each tensor in
  /// them.
  int64_t sharedBytes = 0;
  llvm::DenseMap<Value, int64_t> places;
  Value shared;
  GpuPosition position;
};
} // namespace

/// Whether groups of `kind` compute the results of some nest.
bool GpuKernelEmitter::has(ThreadGroup::Kind kind) const {
  return llvm::any_of(sections, [&](const Section &section) {
    return llvm::any_of(section.nests, [&](const ScheduledNest &nest) {
      return nest.schedule.isOf(kind);
    });
  });
}

/// Gives each tensor its place in shared memory, after the bytes in which
/// values are combined. Sections use the same bytes, because different blocks
/// compute them, and each block has memory of its own.
void GpuKernelEmitter::placeShared() {
  int64_t first = 0;
  if (has(ThreadGroup::Kind::Block))
    first = combineBytes;
  if (has(ThreadGroup::Kind::Columns))
    first = combineColumnBytes;
  sharedBytes = first;
  for (const Section &section : sections) {
    int64_t bytes = first;
    if (section.warpRow)
      continue;
    for (const LoopNest &nest : section.nests) {
      Value tensor = nest.getHome();
      const Home &home = plan.homes[tensor];
      if (home.kind != Home::Kind::Scratch || places.contains(tensor))
        continue;
      places[tensor] = bytes;
      bytes += getSharedBytes(tensor, home);
    }
    sharedBytes = std::max(sharedBytes, bytes);
  }
}

Value GpuKernelEmitter::getShared() {
  if (shared)
    return shared;
  auto space = gpu::AddressSpaceAttr::get(
      builder.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type(),
                              MemRefLayoutAttrInterface(), space);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.function.getBody().front());
  shared = code.make<gpu::DynamicSharedMemoryOp>(type);
  return shared;
}

Value GpuKernelEmitter::makeScratch(Value tensor, const Home &home) {
  const auto place = places.find(tensor);
  if (place == places.end())
    return {};
  Value bytes = getShared();
  auto type = MemRefType::get(
      {home.extent}, getMemoryElement(tensor), MemRefLayoutAttrInterface(),
      cast<MemRefType>(bytes.getType()).getMemorySpace());
  return code.make<memref::ViewOp>(
      type, bytes, code.constantIndex(place->second), ValueRange());
}

void GpuKernelEmitter::chooseThreads() {
  for (const Section &section : sections) {
    if (section.warpRow) {
      threads = std::max(threads, getRowWarps(section) * warpThreads);
      continue;
    }
    for (const ScheduledNest &nest : section.nests)
      threads = std::max(threads, getWantedThreads(plan, nest));
  }
}

int64_t GpuKernelEmitter::countBlocks(const Section &section) const {
  if (section.warpRow)
    return llvm::divideCeil(section.getTasks(), threads / warpThreads);
  if (!isSpread(section))
    return section.getTasks();
  return GpuNestEmitter::countBlocks(plan, section.nests.front(), threads);
}

/// Gives the task dims their values in `block`. The last task dim counts
/// fastest.
void GpuKernelEmitter::bindTaskDims(const Section &section, Value block) {
  for (size_t d = section.dims.size(); d-- > 0;) {
    const TaskDim &dim = section.dims[d];
    Value number = block;
    if (d != 0) {
      Value blocks = code.constantIndex(dim.getBlocks());
      number = code.make<arith::RemUIOp>(block, blocks);
      block = code.make<arith::DivUIOp>(block, blocks);
    }
    if (dim.block != 1)
      number = code.make<arith::MulIOp>(number, code.constantIndex(dim.block));
    code.bind(dim.symbol, number);
  }
}

void GpuKernelEmitter::emitNest(const Section &section,
                                const ScheduledNest &nest) {
  for (auto [symbol, factor] : getFactors(section, nest.schedule.lanes))
    point.memory.setFactor(symbol, factor);
  if (nest.schedule.isOf(ThreadGroup::Kind::Block) ||
      nest.schedule.isOf(ThreadGroup::Kind::Columns))
    position.shared = getShared();
  GpuNestEmitter emitter(point, nest, position);
  if (isSpread(section))
    emitter.emitSpread();
  else
    emitter.emitInBlock();
}

/// Emits a section of rows. Each warp of a block computes one row.
void GpuKernelEmitter::emitRows(const Section &section, Value block) {
  Value width = code.constantIndex(warpThreads);
  Value warp = code.make<arith::DivUIOp>(position.thread, width);
  Value member = code.make<arith::RemUIOp>(position.thread, width);
  const int64_t rows = threads / warpThreads;
  Value number = code.make<arith::AddIOp>(
      code.make<arith::MulIOp>(block, code.constantIndex(rows)), warp);
  auto emitRow = [&] {
    bindTaskDims(section, number);
    GpuRowEmitter(point, section, member).emit();
  };
  if (section.getTasks() % rows == 0)
    return emitRow();
  Value isRow =
      code.make<arith::CmpIOp>(arith::CmpIPredicate::ult, number,
                               code.constantIndex(section.getTasks()));
  auto branch = code.make<scf::IfOp>(isRow, /*withElseRegion=*/false);
  code.enter(branch.thenBlock(), -1, {});
  emitRow();
  code.leave();
}

/// Emits the nests of a section whose tasks are blocks.
void GpuKernelEmitter::emitNests(const Section &section, Value block) {
  position.block = block;
  if (!isSpread(section))
    bindTaskDims(section, block);
  for (auto [number, nest] : llvm::enumerate(section.nests)) {
    if (number != 0)
      code.make<gpu::BarrierOp>();
    emitNest(section, nest);
  }
}

void GpuKernelEmitter::emitSection(const Section &section, Value block) {
  if (section.warpRow)
    emitRows(section, block);
  else
    emitNests(section, block);
  for (const LoopNest &nest : section.nests)
    kernel.points += nest.getPoints();
}

/// Emits one of several sections. Its blocks begin at `first`.
void GpuKernelEmitter::emitBranch(const Section &section, Value launched,
                                  int64_t first) {
  Value block = launched;
  if (first != 0)
    block = code.make<arith::SubIOp>(launched, code.constantIndex(first));
  // The comparison is unsigned, so that a negative number is large.
  Value isOwn =
      code.make<arith::CmpIOp>(arith::CmpIPredicate::ult, block,
                               code.constantIndex(countBlocks(section)));
  auto branch = code.make<scf::IfOp>(isOwn, /*withElseRegion=*/false);
  code.enter(branch.thenBlock(), -1, {});
  emitSection(section, block);
  code.leave();
  builder.setInsertionPointAfter(branch);
}

void GpuKernelEmitter::emitBody() {
  chooseThreads();
  point.memory.setBufferAlignment(bufferAlignment);
  position.threads = threads;
  position.thread = code.make<gpu::ThreadIdOp>(gpu::Dimension::x);
  Value launched = code.make<gpu::BlockIdOp>(gpu::Dimension::x);
  int64_t blocks = 0;
  for (const Section &section : sections) {
    if (sections.size() == 1) {
      code.enter(&kernel.function.getBody().front(), -1, {});
      emitSection(section, launched);
      code.leave();
    } else {
      emitBranch(section, launched, blocks);
    }
    blocks += countBlocks(section);
  }
  describe(kernelattrs::tasks, std::max<int64_t>(blocks, 1));
  describe(kernelattrs::grain, 1);
  describe(kernelattrs::scratch, sharedBytes);
  describe(kernelattrs::threads, threads);
}

FailureOr<KernelFunction>
kernels::emitGpuKernel(const ClusterMemory &memory, KernelPlan &plan,
                       ArrayRef<Section> sections, int phase,
                       const Overwritten &overwritten) {
  return GpuKernelEmitter(memory, plan, sections, phase).emit(overwritten);
}
