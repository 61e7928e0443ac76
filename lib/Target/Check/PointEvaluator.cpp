//===- PointEvaluator.cpp - Single elements of a cluster --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PointEvaluator.h"

#include "LeafPoints.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernelcheck;

/// A tensor of at most this many elements has an array for its computed
/// elements. A larger tensor has a hash table.
static constexpr int64_t mostDense = int64_t{1} << 17;

namespace {
/// A reshape. It keeps the row-major order of elements.
class ReshapePoints final : public PointOp {
public:
  ReshapePoints(PointEvaluator &evaluator, WeirOpInterface op)
      : evaluator(evaluator), from(evaluator.find(op->getOperand(0))),
        read(from.desc), written(toTensorDesc(getTensorType(op->getResult(0)))),
        writtenIndices(written) {}

  StatusOr<Bounded> at(unsigned, int64_t offset) override {
    if (read.isRowMajor() && written.isRowMajor())
      return evaluator.at(from, offset);
    writtenIndices.find(offset, indices);
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
  PointTensor &from;
  TensorDesc read, written;
  ElementIndices writtenIndices;
  std::vector<int64_t> indices;
};

/// An op that moves parts of its operands, such as a concat.
class CopyPoints final : public PointOp {
public:
  CopyPoints(PointEvaluator &evaluator, WeirOpInterface op);

  StatusOr<Bounded> at(unsigned result, int64_t offset) override {
    for (const Part &part : parts)
      if (part.copy.result == result)
        if (std::optional<int64_t> from = find(part, offset))
          return evaluator.at(*part.from, *from);
    return internalError("no part of the op writes an element");
  }

private:
  struct Part {
    ElementCopy copy;
    PointTensor *from;
    /// The dims of the written part.
    std::vector<StridedDim> dims;
  };
  static std::optional<int64_t> find(const Part &part, int64_t offset);

  PointEvaluator &evaluator;
  std::vector<Part> parts;
};
} // namespace

CopyPoints::CopyPoints(PointEvaluator &evaluator, WeirOpInterface op)
    : evaluator(evaluator) {
  for (const ElementCopy &copy : getElementCopies(op))
    if (!llvm::is_contained(copy.dims, 0))
      parts.push_back({copy, &evaluator.find(op->getOperand(copy.operand)),
                       sortDims(copy.dims, copy.toStrides)});
}

std::optional<int64_t> CopyPoints::find(const Part &part, int64_t offset) {
  int64_t rest = offset - part.copy.toOffset, from = part.copy.fromOffset;
  if (rest < 0)
    return std::nullopt;
  for (const StridedDim &dim : part.dims) {
    const int64_t index = rest / dim.stride;
    if (index >= dim.size)
      return std::nullopt;
    rest -= index * dim.stride;
    from += index * part.copy.fromStrides[dim.number];
  }
  if (rest != 0)
    return std::nullopt;
  return from;
}

std::vector<StridedDim> kernelcheck::sortDims(ArrayRef<int64_t> dims,
                                              ArrayRef<int64_t> strides) {
  std::vector<StridedDim> sorted;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] > 1)
      sorted.push_back({d, dims[d], strides[d]});
  llvm::stable_sort(sorted, [](const StridedDim &a, const StridedDim &b) {
    return a.stride > b.stride;
  });
  return sorted;
}

void ElementIndices::find(int64_t offset, std::vector<int64_t> &indices) const {
  indices.assign(rank, 0);
  for (const StridedDim &dim : dims) {
    indices[dim.number] = offset / dim.stride;
    offset -= indices[dim.number] * dim.stride;
  }
}

int64_t kernelcheck::findOffset(const TensorDesc &desc,
                                ArrayRef<int64_t> indices) {
  int64_t offset = 0;
  for (auto [index, stride] : llvm::zip(indices, desc.strides))
    offset += index * stride;
  return offset;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

PointEvaluator::PointEvaluator(func::FuncOp cluster) : cluster(cluster) {}
PointEvaluator::~PointEvaluator() = default;

PointTensor &PointEvaluator::add(Value value) {
  std::unique_ptr<PointTensor> &tensor = tensors[value];
  tensor = std::make_unique<PointTensor>();
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
    PointTensor &tensor = add(constant.getResult());
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
    PointTensor &tensor = add(result);
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
  for (auto [value, type] : llvm::zip(block.getTerminator()->getOperands(),
                                      cluster.getResultTypes()))
    made->addReturned(value, type);
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

void PointEvaluator::addReturned(Value value, Type type) {
  const TensorDesc desc = toTensorDesc(cast<RankedTensorType>(type));
  PointTensor &tensor = find(value);
  returned.push_back(
      {&tensor, desc, ElementIndices(desc), tensor.desc == desc});
}

StatusOr<Bounded> PointEvaluator::at(unsigned number, int64_t offset) {
  const Returned &result = returned[number];
  if (result.isSame)
    return at(*result.tensor, offset);
  std::vector<int64_t> indices;
  result.indices.find(offset, indices);
  return at(*result.tensor, findOffset(result.tensor->desc, indices));
}

PointTensor &PointEvaluator::find(Value value) {
  return *tensors.find(value)->second;
}

StatusOr<Bounded> PointEvaluator::at(PointTensor &tensor, int64_t offset) {
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
