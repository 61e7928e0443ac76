//===- RandomOperands.cpp - Operands to check kernels with ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RandomOperands.h"

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <span>

using namespace mlir;
using namespace weir;
using namespace weir::kernelcheck;

static constexpr uint64_t specialShare = 64;

static double drawFloat(std::mt19937_64 &random, Specials specials) {
  using Limits = std::numeric_limits<float>;
  constexpr double modest[] = {0.0, -0.0, 1.0, -1.0, 0.5};
  constexpr double extreme[] = {100.0,
                                -100.0,
                                Limits::min(),
                                Limits::max(),
                                Limits::lowest(),
                                Limits::infinity(),
                                -Limits::infinity(),
                                Limits::quiet_NaN()};
  if (specials == Specials::None || random() % specialShare != 0)
    return static_cast<double>(random() >> 40) * 0x1p-22 - 2;
  const size_t count =
      std::size(modest) + (specials == Specials::All ? std::size(extreme) : 0);
  const size_t number = random() % count;
  return number < std::size(modest) ? modest[number]
                                    : extreme[number - std::size(modest)];
}

static int64_t drawInteger(std::mt19937_64 &random, DType type,
                           Specials specials) {
  if (type == DType::I1)
    return static_cast<int64_t>(random() % 2);
  if (specials != Specials::None && random() % specialShare == 0)
    return random() % 2 ? std::numeric_limits<int64_t>::min()
                        : std::numeric_limits<int64_t>::max();
  const auto small = static_cast<int64_t>(random() % 21);
  return isUnsigned(type) ? small : small - 10;
}

/// `argument` may hold indices into dims. Returns the smallest of these dims,
/// or 0 if it holds no indices.
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

/// The number of random elements that a large tensor repeats. It is a prime, so
/// that rows and planes differ.
static constexpr int64_t period = 16381;

/// Fills the bytes behind the first `drawn` bytes with copies of these.
static void repeat(std::span<std::byte> bytes, size_t drawn) {
  for (size_t at = drawn; at < bytes.size(); at += drawn)
    std::memcpy(bytes.data() + at, bytes.data(),
                std::min(drawn, bytes.size() - at));
}

static StatusOr<HostTensor>
drawTensor(BlockArgument argument, std::mt19937_64 &random, Specials specials) {
  const TensorDesc desc = toTensorDesc(getTensorType(argument));
  WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                        HostTensor::zeros(desc.type, desc.dims));
  const int64_t indexed = isFloat(desc.type) ? 0 : findIndexedSize(argument);
  const int64_t drawn = std::min(desc.numElements(), period);
  for (int64_t i = 0; i < drawn; ++i) {
    if (isFloat(desc.type))
      storeFloat(desc.type, tensor.data(), i, drawFloat(random, specials));
    else if (indexed > 0)
      storeInt(desc.type, tensor.data(), i,
               static_cast<int64_t>(random() % static_cast<uint64_t>(indexed)));
    else
      storeInt(desc.type, tensor.data(), i,
               drawInteger(random, desc.type, specials));
  }
  if (drawn > 0)
    repeat({static_cast<std::byte *>(tensor.data()), tensor.bytes().size()},
           static_cast<size_t>(drawn) * byteSize(desc.type));
  return tensor;
}

StatusOr<std::vector<HostTensor>>
kernelcheck::drawOperands(func::FuncOp function, uint64_t seed,
                          Specials specials) {
  std::mt19937_64 random(seed);
  std::vector<HostTensor> operands;
  for (BlockArgument argument : function.getArguments()) {
    WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                          drawTensor(argument, random, specials));
    operands.push_back(std::move(tensor));
  }
  return operands;
}
