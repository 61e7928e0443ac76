//===- GpuReductions.cpp - How threads divide a reduction -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GpuReductions.h"

#include "Combiners.h"
#include "GpuTasks.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// The shortest reductions that several threads compute together.
static constexpr int64_t sharedReduction = 32;
/// The number of results that keep the GPU busy if each thread computes one.
static constexpr int64_t enoughThreads = int64_t(1) << 17;
/// The least number of results for which groups of the kind Columns are used.
static constexpr int64_t enoughColumns = 8;
/// The most neighbours in a strip: 16 bytes of floats.
static constexpr int64_t mostNeighbours = 4;

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

namespace {
/// The accesses of a reduction, according to the layouts of its operands.
class OwnAccesses {
public:
  OwnAccesses(const KernelPlan &plan, linalg::GenericOp op)
      : plan(plan), op(op), sizes(op.getStaticLoopRanges()),
        kinds(op.getIteratorTypesArray()) {}

  int64_t countPoints(utils::IteratorType kind) const;
  bool readsColumns();
  int findRowLoop();
  int findLastLoop() const;
  int64_t getSize(int loop) const { return sizes[loop]; }

private:
  int64_t getStep(OpOperand &input, unsigned loop);
  bool hasNeighbours(OpOperand &input, utils::IteratorType kind);
  bool isReduced(OpOperand &input);

  const KernelPlan &plan;
  linalg::GenericOp op;
  SmallVector<int64_t> sizes;
  SmallVector<utils::IteratorType> kinds;
};
} // namespace

int64_t OwnAccesses::countPoints(utils::IteratorType kind) const {
  int64_t points = 1;
  for (auto [size, own] : llvm::zip(sizes, kinds))
    points *= own == kind ? size : 1;
  return points;
}

/// The distance by which an iteration of `loop` moves in `input`, in elements.
int64_t OwnAccesses::getStep(OpOperand &input, unsigned loop) {
  Indices loops;
  for (unsigned d = 0; d < sizes.size(); ++d)
    loops.push_back(LinearIndex::ofSymbol(static_cast<int>(d)));
  int64_t step = 0;
  for (auto [index, stride] : llvm::zip(applyMap(getMap(op, input), loops),
                                        plan.getOwnStrides(input.get())))
    step += index.getCoefficient(static_cast<int>(loop)) * stride;
  return step;
}

/// Whether iterations of a loop of `kind` find neighbours in `input`.
bool OwnAccesses::hasNeighbours(OpOperand &input, utils::IteratorType kind) {
  for (unsigned loop = 0; loop < sizes.size(); ++loop)
    if (kinds[loop] == kind && sizes[loop] > 1 && getStep(input, loop) == 1)
      return true;
  return false;
}

bool OwnAccesses::isReduced(OpOperand &input) {
  for (unsigned loop = 0; loop < sizes.size(); ++loop)
    if (kinds[loop] == utils::IteratorType::reduction && sizes[loop] > 1 &&
        getStep(input, loop) != 0)
      return true;
  return false;
}

/// Whether neighbouring results read neighbours of an operand that varies along
/// the reduction. One such operand is enough. An example is the right operand
/// of a matrix product. In the left operand, the points of a result are
/// neighbours.
bool OwnAccesses::readsColumns() {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return isReduced(*input) &&
           hasNeighbours(*input, utils::IteratorType::parallel);
  });
}

/// The last reduction loop whose iterations are neighbours in the operand of
/// the most elements, or -1.
int OwnAccesses::findRowLoop() {
  OpOperand *largest = nullptr;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isReduced(*input) && (!largest || getNumElements(input->get()) >
                                              getNumElements(largest->get())))
      largest = input;
  for (auto loop = static_cast<int>(sizes.size()); largest && loop-- > 0;)
    if (kinds[loop] == utils::IteratorType::reduction && sizes[loop] > 1 &&
        getStep(*largest, static_cast<unsigned>(loop)) == 1)
      return loop;
  return -1;
}

/// The last reduction loop of several iterations.
int OwnAccesses::findLastLoop() const {
  auto loop = static_cast<int>(sizes.size()) - 1;
  while (kinds[loop] != utils::IteratorType::reduction || sizes[loop] == 1)
    --loop;
  return loop;
}

/// The symbol of the loop `number` of the nest's reduction.
static int getReductionSymbol(const LoopNest &nest, int number) {
  linalg::GenericOp op = nest.getReduction();
  const auto kinds = op.getIteratorTypesArray();
  size_t place = 0;
  for (int loop = 0; loop < number; ++loop)
    place += kinds[loop] == utils::IteratorType::reduction;
  return nest.getReductionLoops()[place].asSymbol();
}

std::optional<ThreadGroup> kernels::chooseGroup(const KernelPlan &plan,
                                                const LoopNest &nest) {
  using Kind = ThreadGroup::Kind;
  if (!findCombiner(nest.getReduction()))
    return std::nullopt;
  OwnAccesses accesses(plan, nest.getReduction());
  const int64_t size = accesses.countPoints(utils::IteratorType::reduction);
  const int64_t results = accesses.countPoints(utils::IteratorType::parallel);
  if (size < sharedReduction)
    return std::nullopt;
  const bool isColumnWise = results >= enoughColumns && accesses.readsColumns();
  if (isColumnWise && results >= enoughThreads)
    return std::nullopt;
  const int row = isColumnWise ? -1 : accesses.findRowLoop();
  ThreadGroup group{
      isColumnWise      ? Kind::Columns
      : size <= warpRow ? Kind::Warp
                        : Kind::Block,
      getReductionSymbol(nest, row < 0 ? accesses.findLastLoop() : row)};
  if (row >= 0)
    for (group.strip = mostNeighbours;
         accesses.getSize(row) % group.strip != 0;)
      group.strip /= 2;
  return group;
}

//===----------------------------------------------------------------------===//
// Combination
//===----------------------------------------------------------------------===//

Value kernels::combineStrips(CodeLevels &code, Operation *combiner,
                             ArrayRef<Value> running, int64_t strip) {
  SmallVector<Value> values;
  for (Value each : running) {
    if (!isWide(each)) {
      values.push_back(each);
      continue;
    }
    for (int64_t place = 0; place < strip; ++place)
      values.push_back(
          code.make<vector::ExtractOp>(each, ArrayRef<int64_t>{place}));
  }
  // The strips are combined first, place by place. Then the places are
  // combined.
  for (const auto &[total, step] :
       {std::pair(static_cast<int64_t>(values.size()), strip),
        std::pair(strip, int64_t(1))})
    for (auto half = static_cast<int64_t>(
             llvm::PowerOf2Ceil(static_cast<uint64_t>(total / step)) / 2);
         half >= 1; half /= 2)
      for (int64_t place = 0; place < half * step; ++place)
        if (place + half * step < total)
          values[place] = combine(code.builder, combiner, values[place],
                                  values[place + half * step]);
  return values.front();
}

Value kernels::combineInWarp(CodeLevels &code, Operation *combiner,
                             Value value) {
  for (int32_t offset = warpThreads / 2; offset > 0; offset /= 2) {
    auto other = code.make<gpu::ShuffleOp>(value, offset,
                                           static_cast<int32_t>(warpThreads),
                                           gpu::ShuffleMode::XOR);
    value = combine(code.builder, combiner, value, other.getShuffleResult());
  }
  return value;
}
