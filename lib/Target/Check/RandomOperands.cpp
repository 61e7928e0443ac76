//===- RandomOperands.cpp - Operands to check kernels with ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RandomOperands.h"

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <algorithm>
#include <limits>
#include <random>

using namespace mlir;
using namespace weir;
using namespace weir::kernelcheck;

static constexpr uint64_t specialShare = 64;

static double drawFloat(std::mt19937_64 &random, bool hasSpecials) {
  using Limits = std::numeric_limits<float>;
  constexpr double specials[] = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 0.5,
                                 100.0,
                                 -100.0,
                                 Limits::min(),
                                 Limits::max(),
                                 Limits::lowest(),
                                 Limits::infinity(),
                                 -Limits::infinity(),
                                 Limits::quiet_NaN()};
  if (hasSpecials && random() % specialShare == 0)
    return specials[random() % std::size(specials)];
  return static_cast<double>(random() >> 40) * 0x1p-22 - 2;
}

static int64_t drawInteger(std::mt19937_64 &random, DType type,
                           bool hasSpecials) {
  if (type == DType::I1)
    return static_cast<int64_t>(random() % 2);
  if (hasSpecials && random() % specialShare == 0)
    return random() % 2 ? std::numeric_limits<int64_t>::min()
                        : std::numeric_limits<int64_t>::max();
  const auto small = static_cast<int64_t>(random() % 21);
  return isUnsigned(type) ? small : small - 10;
}

/// The least size of a dim that `argument` has indices of; 0 if it has none.
static int64_t findIndexedSize(BlockArgument argument) {
  int64_t least = 0;
  for (OpOperand &use : argument.getUses()) {
    auto op = dyn_cast<WeirOpInterface>(use.getOwner());
    if (!op)
      continue;
    for (const IndexOperand &index : op.getIndexOperands())
      if (index.number == use.getOperandNumber())
        for (int64_t size : index.sizes)
          least = least == 0 ? size : std::min(least, size);
  }
  return least;
}

static StatusOr<HostTensor>
drawTensor(BlockArgument argument, std::mt19937_64 &random, bool hasSpecials) {
  const TensorDesc desc = toTensorDesc(getTensorType(argument));
  WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                        HostTensor::zeros(desc.type, desc.dims));
  const int64_t indexed = isFloat(desc.type) ? 0 : findIndexedSize(argument);
  for (int64_t i = 0; i < desc.numElements(); ++i) {
    if (isFloat(desc.type))
      storeFloat(desc.type, tensor.data(), i, drawFloat(random, hasSpecials));
    else if (indexed > 0)
      storeInt(desc.type, tensor.data(), i,
               static_cast<int64_t>(random() % static_cast<uint64_t>(indexed)));
    else
      storeInt(desc.type, tensor.data(), i,
               drawInteger(random, desc.type, hasSpecials));
  }
  return tensor;
}

StatusOr<std::vector<HostTensor>>
kernelcheck::drawOperands(func::FuncOp cluster, uint64_t seed,
                          bool hasSpecials) {
  std::mt19937_64 random(seed);
  std::vector<HostTensor> operands;
  for (BlockArgument argument : cluster.getArguments()) {
    WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                          drawTensor(argument, random, hasSpecials));
    operands.push_back(std::move(tensor));
  }
  return operands;
}
