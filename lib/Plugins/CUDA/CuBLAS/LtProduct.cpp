//===- LtProduct.cpp - Products as cuBLASLt computes them ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LtProduct.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

using namespace weir;

namespace {

/// The tensors of a product. `added` is the operand that is added to each
/// element of the result.
enum Tensor : size_t { left, right, added, result, numTensors };

/// For each tensor, the distance in elements from one index of a dim to the
/// next. The distance is 0 if all indices read the same elements.
using Steps = std::array<int64_t, numTensors>;

struct BatchDim {
  int64_t size = 1;
  Steps steps{};
};

/// A dim of a matrix.
struct Dim {
  int64_t size = 1;
  int64_t step = 0;
};

/// Makes a product of a spec.
class Describer {
public:
  Describer(const KernelSpec &spec, bool isLinear)
      : spec(spec), isLinear(isLinear) {}

  StatusOr<LtProduct> describe();

private:
  Status checkOperands() const;
  Status checkTypes() const;
  Status findSizes();
  Status findBatch();
  Status takePostOps();
  Status takeAdd(const PostOp &op);
  bool foldIntoRows(const BatchDim &dim);
  void mergeBatch();
  Status makeParts();
  Status makeMatrices();

  const TensorDesc &desc(Tensor tensor) const {
    switch (tensor) {
    case left:
      return spec.operands[0];
    case right:
      return spec.operands[1];
    case added:
      return product.cBuffer ? spec.operands[*product.cBuffer]
                             : spec.results[0];
    default:
      return spec.results[0];
    }
  }

  const KernelSpec &spec;
  const bool isLinear;
  LtProduct product;
  size_t numOwnOperands = 0;
  /// The matrices have m x k, k x n and m x n elements.
  Dim leftM, leftK, rightK, rightN, addedM, addedN, resultM, resultN;
  /// The dims of the batch, the outermost first. Dims of size 1 are left out.
  std::vector<BatchDim> batch;
};

/// The most calls of a launch. More calls would take longer than code that is
/// generated for the batch.
constexpr int64_t mostParts = 64;
/// The most products of a call: the largest size of a grid in the dim that
/// counts the batch.
constexpr int64_t mostBatches = 65535;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Status Describer::checkTypes() const {
  const DType type = desc(left).type, written = desc(result).type;
  const bool isKnown =
      type == DType::F32 || type == DType::F16 || type == DType::BF16;
  if (!isKnown || desc(right).type != type)
    return unimplemented(fmt::format(
        "cuBLASLt multiplies matrices of f32, f16 or bf16; found {} and {}",
        toString(type), toString(desc(right).type)));
  if (written != type && written != DType::F32)
    return unimplemented(fmt::format("expected a result of {} or f32, found {}",
                                     toString(type), toString(written)));
  return Status::ok();
}

Status Describer::checkOperands() const {
  if (numOwnOperands < 2 || numOwnOperands > (isLinear ? 3 : 2) ||
      spec.results.size() != 1)
    return invalidArgument(fmt::format(
        "expected 2{} operands and 1 result, found {} and {}",
        isLinear ? " or 3" : "", numOwnOperands, spec.results.size()));
  for (Tensor tensor : {left, right, result})
    if (desc(tensor).numElements() == 0)
      return unimplemented("expected matrices with elements");
  const int64_t least = isLinear ? 1 : 2;
  if (desc(left).rank() < least || desc(right).rank() < 2 ||
      (isLinear && desc(right).rank() != 2))
    return invalidArgument(fmt::format("expected matrices, found {} and {}",
                                       desc(left).toString(),
                                       desc(right).toString()));
  return checkTypes();
}

/// Dim `fromEnd` of `desc`, where dim 1 is the last one.
Dim dimOf(const TensorDesc &desc, size_t fromEnd) {
  const size_t rank = desc.dims.size();
  if (fromEnd > rank)
    return {};
  return {desc.dims[rank - fromEnd], desc.strides[rank - fromEnd]};
}

Status Describer::findSizes() {
  leftM = dimOf(desc(left), 2);
  leftK = dimOf(desc(left), 1);
  rightK = dimOf(desc(right), isLinear ? 1 : 2);
  rightN = dimOf(desc(right), isLinear ? 2 : 1);
  resultM = dimOf(desc(result), 2);
  resultN = dimOf(desc(result), 1);
  if (leftK.size != rightK.size || leftM.size != resultM.size ||
      rightN.size != resultN.size)
    return invalidArgument(fmt::format(
        "the sizes of {} and {} do not give {}", desc(left).toString(),
        desc(right).toString(), desc(result).toString()));
  return Status::ok();
}

Status Describer::findBatch() {
  const size_t rank = desc(result).dims.size();
  for (Tensor tensor : {left, right})
    if (desc(tensor).dims.size() > std::max<size_t>(rank, 2))
      return invalidArgument("expected a result of the largest rank");
  for (size_t fromEnd = rank; fromEnd > 2; --fromEnd) {
    BatchDim dim{dimOf(desc(result), fromEnd).size, {}};
    if (dim.size == 1)
      continue;
    for (Tensor tensor : {left, right, added, result}) {
      // The weights of a linear op have no batch.
      const Dim own =
          tensor == right && isLinear ? Dim{} : dimOf(desc(tensor), fromEnd);
      if (own.size != 1 && own.size != dim.size)
        return invalidArgument(fmt::format("{} does not fit a batch of {}",
                                           desc(tensor).toString(),
                                           desc(result).toString()));
      dim.steps[tensor] = own.size == 1 ? 0 : own.step;
    }
    batch.push_back(dim);
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Post-ops
//===----------------------------------------------------------------------===//

/// Whether `desc` has one element for each of `size` columns.
bool isRow(const TensorDesc &desc, int64_t size) {
  return desc.numElements() == size && dimOf(desc, 1).size == size &&
         (size == 1 || dimOf(desc, 1).step == 1);
}

Status Describer::takeAdd(const PostOp &op) {
  const auto number = static_cast<size_t>(op.operand);
  if (op.operand < 0 || number < numOwnOperands ||
      number >= spec.operands.size())
    return invalidArgument(fmt::format("post-op '{}' has no operand {}",
                                       op.algorithm, op.operand));
  if (product.hasRelu)
    return unimplemented("cuBLASLt adds nothing behind an activation");
  const TensorDesc &other = spec.operands[number], &sum = spec.results[0];
  const bool isSame = other.type == sum.type;
  if (!isSame && other.type != DType::F32)
    return unimplemented(fmt::format(
        "cuBLASLt adds {} to results of {}; found {}", toString(sum.type),
        toString(sum.type), toString(other.type)));
  if (isRow(other, resultN.size) && !product.bias) {
    product.bias = number;
  } else if (isSame && other.dims == sum.dims && !product.cBuffer) {
    product.cBuffer = number;
    addedM = dimOf(other, 2);
    addedN = dimOf(other, 1);
  } else {
    return unimplemented(fmt::format(
        "cuBLASLt adds one vector and one tensor to {}; found also {}",
        sum.toString(), other.toString()));
  }
  return Status::ok();
}

Status Describer::takePostOps() {
  for (const PostOp &op : spec.postOps) {
    // The factor applies to the product alone. So it cannot follow a tensor
    // that was added.
    const bool isSum = !product.bias && !product.cBuffer && !product.hasRelu;
    if (op.algorithm == "binary_add")
      WEIR_RETURN_IF_ERROR(takeAdd(op));
    else if (op.algorithm == "eltwise_linear" && op.beta == 0 && isSum)
      product.alpha *= static_cast<float>(op.alpha);
    else if (op.algorithm == "eltwise_relu" && op.alpha == 0)
      product.hasRelu = true;
    else
      return unimplemented(
          fmt::format("cuBLASLt has no post-op '{}'{}", op.algorithm,
                      op.algorithm == "eltwise_relu" ? " with a slope" : ""));
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// Makes the matrices along `dim` one matrix with more rows, if that is
/// possible. For that, they must have the same right operand, and their rows
/// must lie at equal distances in the other tensors. Returns whether it was
/// possible.
bool Describer::foldIntoRows(const BatchDim &dim) {
  if (dim.steps[right] != 0)
    return false;
  const std::pair<Tensor, Dim *> matrices[] = {
      {left, &leftM}, {added, &addedM}, {result, &resultM}};
  for (const auto &[tensor, rows] : matrices)
    if (rows->size != 1 && dim.steps[tensor] != rows->size * rows->step)
      return false;
  for (const auto &[tensor, rows] : matrices) {
    if (rows->size == 1)
      rows->step = dim.steps[tensor];
    rows->size *= dim.size;
  }
  return true;
}

/// Joins dims of the batch that are one dim in the memory of each tensor.
void Describer::mergeBatch() {
  for (size_t i = batch.size(); i-- > 1;) {
    BatchDim &outer = batch[i - 1];
    const BatchDim &inner = batch[i];
    const auto isOne = [&](size_t tensor) {
      return outer.steps[tensor] == inner.size * inner.steps[tensor];
    };
    if (!isOne(left) || !isOne(right) || !isOne(added) || !isOne(result))
      continue;
    outer.size *= inner.size;
    outer.steps = inner.steps;
    batch.erase(batch.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// Makes the largest dim of the batch the batch of a call. Each index of the
/// other dims becomes a call.
Status Describer::makeParts() {
  product.parts = {{}};
  if (batch.empty())
    return Status::ok();
  const auto largest = std::ranges::max_element(batch, {}, &BatchDim::size);
  const BatchDim counted = *largest;
  batch.erase(largest);
  int64_t numParts = 1;
  for (const BatchDim &dim : batch)
    numParts = std::min(numParts, mostParts + 1) * dim.size;
  if (numParts > mostParts || counted.size > mostBatches)
    return unimplemented(
        fmt::format("cuBLASLt would need {} calls with {} products each",
                    numParts, counted.size));
  product.numBatches = counted.size;
  product.a.batchStep = counted.steps[right];
  product.b.batchStep = counted.steps[left];
  product.c.batchStep = counted.steps[added];
  product.d.batchStep = counted.steps[result];
  for (const BatchDim &dim : batch) {
    std::vector<LtProduct::Part> before = std::move(product.parts);
    product.parts.clear();
    for (const LtProduct::Part &part : before)
      for (int64_t i = 0; i < dim.size; ++i)
        product.parts.push_back(
            {part.a + i * dim.steps[right], part.b + i * dim.steps[left],
             part.c + i * dim.steps[added], part.d + i * dim.steps[result]});
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// Whether the elements along `along` lie side by side, and the columns that
/// follow each other along `across` do not overlap.
bool areColumns(Dim along, Dim across) {
  return (along.size == 1 || along.step == 1) &&
         (across.size == 1 || across.step >= along.size);
}

/// Sets `matrix` to `desc`, transposed if that is necessary. In the product,
/// the matrix has `along` rows and `across` columns.
Status setMatrix(LtMatrix &matrix, const TensorDesc &desc, Dim along,
                 Dim across, bool mayTranspose) {
  matrix.type = desc.type;
  matrix.isTransposed = !areColumns(along, across);
  if (matrix.isTransposed)
    std::swap(along, across);
  if (matrix.isTransposed && (!mayTranspose || !areColumns(along, across)))
    return unimplemented(
        fmt::format("cuBLASLt needs rows of elements side by side, found {}",
                    desc.toString()));
  constexpr int64_t most = INT32_MAX;
  if (along.size > most || across.size > most)
    return unimplemented(fmt::format("expected at most {} rows, found {}", most,
                                     desc.toString()));
  matrix.rows = along.size;
  matrix.columns = across.size;
  matrix.step = across.size == 1 ? along.size : across.step;
  return Status::ok();
}

Status Describer::makeMatrices() {
  WEIR_RETURN_IF_ERROR(setMatrix(product.a, desc(right), rightN, rightK, true));
  WEIR_RETURN_IF_ERROR(setMatrix(product.b, desc(left), leftK, leftM, true));
  WEIR_RETURN_IF_ERROR(
      setMatrix(product.d, desc(result), resultN, resultM, false));
  return setMatrix(product.c, desc(added), addedN, addedM, false);
}

StatusOr<LtProduct> Describer::describe() {
  const auto numRead = static_cast<size_t>(std::ranges::count_if(
      spec.postOps, [](const PostOp &op) { return op.operand >= 0; }));
  numOwnOperands =
      spec.operands.size() - std::min(spec.operands.size(), numRead);
  WEIR_RETURN_IF_ERROR(checkOperands());
  WEIR_RETURN_IF_ERROR(findSizes());
  product.dBuffer = spec.operands.size();
  addedM = resultM;
  addedN = resultN;
  if (isLinear && numOwnOperands == 3) {
    const TensorDesc &bias = spec.operands[2];
    if (bias.rank() != 1 || !isRow(bias, resultN.size) ||
        (bias.type != spec.results[0].type && bias.type != DType::F32))
      return unimplemented(
          fmt::format("cuBLASLt adds a bias of {}x{}, found {}", resultN.size,
                      toString(spec.results[0].type), bias.toString()));
    product.bias = 2;
  }
  WEIR_RETURN_IF_ERROR(takePostOps());
  WEIR_RETURN_IF_ERROR(findBatch());
  while (!batch.empty() && foldIntoRows(batch.back()))
    batch.pop_back();
  mergeBatch();
  WEIR_RETURN_IF_ERROR(makeParts());
  WEIR_RETURN_IF_ERROR(makeMatrices());
  return std::move(product);
}

} // namespace

std::string LtProduct::toString() const {
  std::string text = fmt::format("{} products, alpha {}{}{}{}\n", numBatches,
                                 alpha, cBuffer ? ", added" : "",
                                 bias ? ", bias" : "", hasRelu ? ", relu" : "");
  for (const LtMatrix *matrix : {&a, &b, &c, &d})
    text += fmt::format("{} {}x{}, {} and {} apart{}\n",
                        weir::toString(matrix->type), matrix->rows,
                        matrix->columns, matrix->step, matrix->batchStep,
                        matrix->isTransposed ? ", transposed" : "");
  for (const Part &part : parts)
    text += fmt::format("{} {} {} {}\n", part.a, part.b, part.c, part.d);
  return text;
}

StatusOr<LtProduct> weir::describeMatmul(const KernelSpec &spec) {
  return Describer(spec, /*isLinear=*/false).describe();
}

StatusOr<LtProduct> weir::describeLinear(const KernelSpec &spec) {
  return Describer(spec, /*isLinear=*/true).describe();
}
