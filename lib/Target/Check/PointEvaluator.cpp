//===- PointEvaluator.cpp - Single elements of a cluster --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PointEvaluator.h"

#include "LeafPoints.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <unordered_map>

using namespace mlir;
using namespace weir;
using namespace weir::kernelcheck;

/// What of larger tensors is computed is found by hashing.
static constexpr int64_t mostDense = int64_t{1} << 17;

struct PointEvaluator::Tensor {
  TensorDesc desc;
  /// Where its elements come from: `data`, or result `number` of `op`.
  const void *data = nullptr;
  PointOp *op = nullptr;
  unsigned number = 0;
  /// The elements of a constant.
  std::optional<HostTensor> constant;

  std::vector<Bounded> known;
  std::vector<bool> isKnown;
  std::unordered_map<int64_t, Bounded> few;
};

namespace {
/// A reshape, which keeps the row-major order of elements.
class ReshapePoints final : public PointOp {
public:
  ReshapePoints(PointEvaluator &evaluator, WeirOpInterface op)
      : evaluator(evaluator), from(op->getOperand(0)),
        read(toTensorDesc(getTensorType(from))),
        written(toTensorDesc(getTensorType(op->getResult(0)))) {}

  StatusOr<Bounded> at(unsigned, int64_t offset) override {
    findIndices(written, offset, indices);
    int64_t number = 0;
    for (size_t d = 0; d < indices.size(); ++d)
      number = number * written.dims[d] + indices[d];
    indices.resize(read.dims.size());
    for (size_t d = indices.size(); d-- > 0; number /= read.dims[d])
      indices[d] = number % read.dims[d];
    return evaluator.at(from, findOffset(read, indices));
  }

private:
  PointEvaluator &evaluator;
  Value from;
  TensorDesc read, written;
  std::vector<int64_t> indices;
};

/// An op that moves parts of its operands, such as a concat.
class CopyPoints final : public PointOp {
public:
  CopyPoints(PointEvaluator &evaluator, WeirOpInterface op)
      : evaluator(evaluator), op(op), copies(getElementCopies(op)) {}

  StatusOr<Bounded> at(unsigned result, int64_t offset) override {
    for (const ElementCopy &copy : copies)
      if (copy.result == result)
        if (std::optional<int64_t> from = find(copy, offset))
          return evaluator.at(op->getOperand(copy.operand), *from);
    return internalError("no part of the op writes an element");
  }

private:
  static std::optional<int64_t> find(const ElementCopy &copy, int64_t offset);

  PointEvaluator &evaluator;
  WeirOpInterface op;
  SmallVector<ElementCopy> copies;
};
} // namespace

/// The dims of `strides`, from the largest stride to the smallest.
static SmallVector<size_t> sortDims(ArrayRef<int64_t> dims,
                                    ArrayRef<int64_t> strides) {
  SmallVector<size_t> order;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] > 1)
      order.push_back(d);
  llvm::sort(order,
             [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  return order;
}

std::optional<int64_t> CopyPoints::find(const ElementCopy &copy,
                                        int64_t offset) {
  int64_t rest = offset - copy.toOffset, from = copy.fromOffset;
  if (rest < 0 || llvm::is_contained(copy.dims, 0))
    return std::nullopt;
  for (size_t d : sortDims(copy.dims, copy.toStrides)) {
    const int64_t index = rest / copy.toStrides[d];
    if (index >= copy.dims[d])
      return std::nullopt;
    rest -= index * copy.toStrides[d];
    from += index * copy.fromStrides[d];
  }
  if (rest != 0)
    return std::nullopt;
  return from;
}

void kernelcheck::findIndices(const TensorDesc &desc, int64_t offset,
                              std::vector<int64_t> &indices) {
  indices.assign(desc.dims.size(), 0);
  if (desc.isRowMajor()) {
    for (size_t d = indices.size(); d-- > 0; offset /= desc.dims[d])
      indices[d] = offset % desc.dims[d];
    return;
  }
  for (size_t d : sortDims(desc.dims, desc.strides)) {
    indices[d] = offset / desc.strides[d];
    offset -= indices[d] * desc.strides[d];
  }
}

int64_t kernelcheck::findOffset(const TensorDesc &desc,
                                ArrayRef<int64_t> indices) {
  int64_t offset = 0;
  for (auto [index, stride] : llvm::zip(indices, desc.strides))
    offset += index * stride;
  return offset;
}

Bounded kernelcheck::loadElement(DType type, const void *data, int64_t offset) {
  if (isFloat(type))
    return {loadFloat(type, data, offset), 0, 0};
  const int64_t integer = loadInt(type, data, offset);
  return {static_cast<double>(integer), 0, integer};
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

PointEvaluator::PointEvaluator(func::FuncOp cluster) : cluster(cluster) {}
PointEvaluator::~PointEvaluator() = default;

PointEvaluator::Tensor &PointEvaluator::add(Value value) {
  std::unique_ptr<Tensor> &tensor = tensors[value];
  tensor = std::make_unique<Tensor>();
  tensor->desc = toTensorDesc(getTensorType(value));
  return *tensor;
}

static StatusOr<HostTensor> toHostTensor(ConstantOp constant,
                                         const TensorDesc &desc) {
  WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                        HostTensor::zeros(desc.type, desc.dims));
  ElementsAttr elements = constant.getValue();
  int64_t index = 0;
  if (!isFloat(desc.type)) {
    for (const APInt &number : elements.getValues<APInt>())
      storeInt(desc.type, tensor.data(), index++, number.getSExtValue());
    return tensor;
  }
  for (APFloat number : elements.getValues<APFloat>()) {
    bool losesInfo = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    storeFloat(desc.type, tensor.data(), index++, number.convertToDouble());
  }
  return tensor;
}

Status PointEvaluator::addOp(Operation &op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    Tensor &tensor = add(constant.getResult());
    WEIR_ASSIGN_OR_RETURN(tensor.constant, toHostTensor(constant, tensor.desc));
    tensor.data = tensor.constant->data();
    return Status::ok();
  }
  auto weirOp = dyn_cast<WeirOpInterface>(op);
  if (!weirOp)
    return Status::ok();
  if (weirOp.isReinterpretation()) {
    ops.push_back(std::make_unique<ReshapePoints>(*this, weirOp));
  } else if (weirOp.getOpRecord().isLeaf()) {
    WEIR_ASSIGN_OR_RETURN(std::unique_ptr<PointOp> leaf,
                          makeLeafPoints(*this, weirOp));
    ops.push_back(std::move(leaf));
  } else if (!getElementCopies(weirOp).empty()) {
    ops.push_back(std::make_unique<CopyPoints>(*this, weirOp));
  } else {
    return unimplemented("it has no record of single elements");
  }
  for (OpResult result : op.getResults()) {
    Tensor &tensor = add(result);
    tensor.op = ops.back().get();
    tensor.number = result.getResultNumber();
  }
  return Status::ok();
}

StatusOr<std::unique_ptr<PointEvaluator>>
PointEvaluator::make(func::FuncOp cluster) {
  std::unique_ptr<PointEvaluator> made(new PointEvaluator(cluster));
  Block &block = cluster.getBody().front();
  for (BlockArgument argument : block.getArguments())
    made->add(argument);
  for (Operation &op : block)
    if (Status status = made->addOp(op); !status.isOk())
      return std::move(status).withContext(op.getName().getStringRef().str());
  return made;
}

void PointEvaluator::reset(ArrayRef<HostTensor> given) {
  for (auto &[value, tensor] : tensors) {
    tensor->isKnown.clear();
    tensor->few.clear();
  }
  for (auto [argument, data] :
       llvm::zip(cluster.getBody().front().getArguments(), given))
    tensors.find(argument)->second->data = data.data();
}

StatusOr<Bounded> PointEvaluator::at(unsigned number, int64_t offset) {
  Value value = cluster.getBody().front().getTerminator()->getOperand(number);
  // The body of a composite may compute it in another layout.
  const TensorDesc read = toTensorDesc(getTensorType(value));
  const TensorDesc written =
      toTensorDesc(cast<RankedTensorType>(cluster.getResultTypes()[number]));
  if (read == written)
    return at(value, offset);
  std::vector<int64_t> indices;
  findIndices(written, offset, indices);
  return at(value, findOffset(read, indices));
}

StatusOr<Bounded> PointEvaluator::at(Value value, int64_t offset) {
  Tensor &tensor = *tensors.find(value)->second;
  if (tensor.data)
    return loadElement(tensor.desc.type, tensor.data, offset);
  const int64_t count = tensor.desc.numElements();
  const auto place = static_cast<size_t>(offset);
  if (count > mostDense) {
    if (auto found = tensor.few.find(offset); found != tensor.few.end())
      return found->second;
  } else if (tensor.isKnown.empty()) {
    tensor.known.resize(static_cast<size_t>(count));
    tensor.isKnown.assign(static_cast<size_t>(count), false);
  } else if (tensor.isKnown[place]) {
    return tensor.known[place];
  }
  WEIR_ASSIGN_OR_RETURN(Bounded element, tensor.op->at(tensor.number, offset));
  if (count > mostDense) {
    tensor.few[offset] = element;
  } else {
    tensor.known[place] = element;
    tensor.isKnown[place] = true;
  }
  return element;
}
