//===- RandomBody.cpp - Functions of random ops ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// No factor of a product is 0, nothing is subtracted from itself, and no index
// picks one of equal elements: else a result would not depend on what it is
// computed from.
//
//===----------------------------------------------------------------------===//

#include "RandomBody.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "llvm/ADT/Sequence.h"

#include <numeric>
#include <random>

using namespace mlir;
using namespace weir;

namespace {
using Ints = SmallVector<int64_t>;

class RandomBody {
public:
  RandomBody(ModuleOp module, unsigned seed)
      : random(seed), builder(module.getBodyRegion()) {
    builder.setInsertionPointToEnd(module.getBody());
    function = func::FuncOp::create(builder, module.getLoc(),
                                    "body" + std::to_string(seed),
                                    builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(function.addEntryBlock());
  }

  func::FuncOp make();

private:
  static constexpr int64_t mostElements = 48;

  int64_t below(int64_t limit) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
  }
  Value pick() {
    return values[static_cast<size_t>(
        below(static_cast<int64_t>(values.size())))];
  }
  ArrayRef<int64_t> shapeOf(Value value) {
    return getTensorType(value).getShape();
  }
  int64_t rankOf(Value value) { return getTensorType(value).getRank(); }

  Value addArgument(ArrayRef<int64_t> shape, Type element);
  Value addArgument(ArrayRef<int64_t> shape) {
    return addArgument(shape, builder.getF64Type());
  }
  Ints drawShape(int64_t rank);
  NamedAttribute ints(StringRef name, ArrayRef<int64_t> numbers) {
    return builder.getNamedAttr(name, builder.getI64ArrayAttr(numbers));
  }
  NamedAttribute number(StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  }
  template <typename OpTy>
  Value create(ValueRange operands, ArrayRef<NamedAttribute> attrs = {}) {
    return OpTy::create(builder, function.getLoc(), operands, attrs)
        ->getResult(0);
  }

  /// Numbers far from 0.
  Value away(Value value);
  Value reshaped(Value value, ArrayRef<int64_t> shape) {
    return create<ReshapeOp>({value}, ints("shape", shape));
  }
  /// `value` with `rank` dims, of which the last ones are joined or 1.
  Value withRank(Value value, int64_t rank);
  Ints factorize(int64_t elements);

  Value combine(Value x);
  Value sumAxes(Value x);
  Value runningSum(Value x);
  Value transpose(Value x);
  Value reshape(Value x) {
    return reshaped(x, factorize(getTensorType(x).getNumElements()));
  }
  Value slice(Value x);
  Value pad(Value x);
  Value joinTwo(Value x);
  Value splitOne(Value x);
  Value repeat(Value x);
  Value product(Value x);
  Value pool(Value x);
  Value convolve(Value x);
  Value convolveBack(Value x);
  Value take(Value x);
  Value normalise(Value x);
  Value normaliseGroups(Value x);
  Value apply(int64_t which, Value x);

  std::mt19937 random;
  OpBuilder builder;
  func::FuncOp function;
  SmallVector<Value> values;
};
} // namespace

Value RandomBody::addArgument(ArrayRef<int64_t> shape, Type element) {
  auto type = RankedTensorType::get(shape, element);
  Block &block = function.front();
  return block.addArgument(type, function.getLoc());
}

Ints RandomBody::drawShape(int64_t rank) {
  Ints shape;
  for (int64_t d = 0; d < rank; ++d)
    shape.push_back(1 + below(4));
  return shape;
}

Value RandomBody::away(Value value) {
  auto type = RankedTensorType::get({}, builder.getF64Type());
  Value more = ConstantOp::create(builder, function.getLoc(),
                                  DenseElementsAttr::get(type, 5.7182818));
  return create<AddOp>({value, more});
}

Value RandomBody::withRank(Value value, int64_t rank) {
  Ints shape(shapeOf(value));
  while (static_cast<int64_t>(shape.size()) > rank) {
    int64_t last = shape.pop_back_val();
    shape.back() *= last;
  }
  shape.resize(static_cast<size_t>(rank), 1);
  return reshaped(value, shape);
}

Ints RandomBody::factorize(int64_t elements) {
  Ints shape;
  for (int64_t rest = elements; rest > 1;) {
    Ints divisors;
    for (int64_t d = 2; d <= rest; ++d)
      if (rest % d == 0)
        divisors.push_back(d);
    shape.push_back(divisors[static_cast<size_t>(
        below(static_cast<int64_t>(divisors.size())))]);
    rest /= shape.back();
  }
  if (shape.empty() || below(4) == 0)
    shape.insert(shape.begin() + below(static_cast<int64_t>(shape.size()) + 1),
                 1);
  return shape;
}

Value RandomBody::combine(Value x) {
  for (Value other : values)
    if (other != x && shapeOf(other) == shapeOf(x) && below(2) == 0)
      return create<MulOp>({away(x), away(other)});
  Ints shape(shapeOf(x));
  for (int64_t &dim : shape)
    dim = below(3) == 0 ? 1 : dim;
  return create<AddOp>({x, addArgument(shape)});
}

Value RandomBody::sumAxes(Value x) {
  Ints axes;
  for (int64_t d = 0; d < rankOf(x); ++d)
    if (below(2) == 0)
      axes.push_back(d);
  if (axes.empty() && rankOf(x) > 0)
    axes.push_back(below(rankOf(x)));
  return create<ReduceSumOp>(
      {x},
      {ints("axes", axes),
       builder.getNamedAttr("keepdims", builder.getBoolAttr(below(2) == 0))});
}

Value RandomBody::runningSum(Value x) {
  if (rankOf(x) == 0)
    return {};
  return create<CumSumOp>(
      {x},
      {number("axis", below(rankOf(x))),
       builder.getNamedAttr("reverse", builder.getBoolAttr(below(2) == 0))});
}

Value RandomBody::transpose(Value x) {
  Ints order = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  std::shuffle(order.begin(), order.end(), random);
  return create<TransposeOp>({x}, ints("perm", order));
}

Value RandomBody::slice(Value x) {
  Ints starts, sizes, steps;
  for (int64_t dim : shapeOf(x)) {
    int64_t step = below(4) == 0 ? 2 : 1,
            size = 1 + below((dim + step - 1) / step);
    int64_t start = below(dim - (size - 1) * step);
    bool isBackward = below(4) == 0;
    starts.push_back(isBackward ? start + (size - 1) * step : start);
    sizes.push_back(size);
    steps.push_back(isBackward ? -step : step);
  }
  return create<SliceOp>({x}, {ints("starts", starts), ints("sizes", sizes),
                               ints("steps", steps)});
}

Value RandomBody::pad(Value x) {
  Ints pads;
  for (int64_t i = 0; i < 2 * rankOf(x); ++i)
    pads.push_back(below(3) == 0 ? 1 : 0);
  return create<PadOp>({x}, ints("pads", pads));
}

Value RandomBody::joinTwo(Value x) {
  if (rankOf(x) == 0)
    return {};
  int64_t axis = below(rankOf(x));
  Ints shape(shapeOf(x));
  shape[static_cast<size_t>(axis)] = 1 + below(2);
  Value other = below(3) == 0 ? x : addArgument(shape);
  return create<ConcatOp>({x, other}, number("axis", axis));
}

Value RandomBody::splitOne(Value x) {
  if (rankOf(x) == 0)
    return {};
  int64_t axis = below(rankOf(x)), size = shapeOf(x)[static_cast<size_t>(axis)];
  int64_t first = below(size + 1);
  auto split = SplitOp::create(
      builder, function.getLoc(), ValueRange(x),
      {number("axis", axis), ints("sizes", {first, size - first})});
  return split->getResult(first == 0      ? 1
                          : first == size ? 0
                                          : unsigned(below(2)));
}

Value RandomBody::repeat(Value x) {
  Ints shape(shapeOf(x));
  for (int64_t &dim : shape)
    dim = dim == 1 ? 1 + below(3) : dim;
  if (below(3) == 0)
    shape.insert(shape.begin(), 1 + below(3));
  return create<ExpandOp>({x}, ints("shape", shape));
}

Value RandomBody::product(Value x) {
  Value left = withRank(x, below(2) == 0 ? 2 : 3);
  int64_t last = shapeOf(left).back();
  return create<MatmulOp>(
      {away(left), away(addArgument({last, 1 + below(3)}))});
}

Value RandomBody::pool(Value x) {
  Value image = withRank(x, 3);
  int64_t size = shapeOf(image)[2], kernel = 1 + below(3);
  int64_t pad = below(kernel);
  if (size + pad < kernel)
    return {};
  return create<SumPoolOp>({image}, {ints("kernel_shape", {kernel}),
                                     ints("strides", {1 + below(2)}),
                                     ints("pads", {pad, 0})});
}

Value RandomBody::convolve(Value x) {
  Value image = withRank(x, 3);
  int64_t channels = shapeOf(image)[1], size = shapeOf(image)[2];
  int64_t groups = channels % 2 == 0 && below(2) == 0 ? 2 : 1;
  int64_t kernel = 1 + below(size);
  Value weight =
      addArgument({groups * (1 + below(2)), channels / groups, kernel});
  return create<ConvOp>({away(image), away(weight)},
                        {number("groups", groups),
                         ints("strides", {1 + below(2)}),
                         ints("pads", {below(2), below(2)})});
}

Value RandomBody::convolveBack(Value x) {
  Value image = withRank(x, 3);
  Value weight = addArgument({shapeOf(image)[1], 1 + below(2), 1 + below(3)});
  return create<ConvTransposeOp>({away(image), away(weight)},
                                 ints("strides", {1 + below(2)}));
}

Value RandomBody::take(Value x) {
  if (rankOf(x) == 0)
    return {};
  Value places = addArgument({1 + below(3)}, builder.getI64Type());
  Value distinct = create<AddOp>({x, addArgument(shapeOf(x))});
  return create<TakeOp>({distinct, places}, number("axis", below(rankOf(x))));
}

/// The elements of an axis of size 1 would all become 0.
Value RandomBody::normalise(Value x) {
  for (int64_t axis = 0; axis < rankOf(x); ++axis)
    if (shapeOf(x)[static_cast<size_t>(axis)] > 1)
      return create<LogSoftmaxOp>({x}, number("axis", axis));
  return {};
}

Value RandomBody::normaliseGroups(Value x) {
  Value image = withRank(x, 3);
  int64_t channels = shapeOf(image)[1], size = shapeOf(image)[2];
  int64_t groups = channels % 2 == 0 ? 2 : 1;
  if (channels / groups * size < 3)
    return {};
  return create<GroupNormOp>(
      {image, away(addArgument({channels})), addArgument({channels})},
      number("groups", groups));
}

Value RandomBody::apply(int64_t which, Value x) {
  switch (which) {
  case 0:
    return sumAxes(x);
  case 1:
    return runningSum(x);
  case 2:
    return transpose(x);
  case 3:
    return slice(x);
  case 4:
    return pad(x);
  case 5:
    return joinTwo(x);
  case 6:
    return splitOne(x);
  case 7:
    return repeat(x);
  case 8:
    return product(x);
  case 9:
    return pool(x);
  case 10:
    return convolve(x);
  case 11:
    return convolveBack(x);
  case 12:
    return take(x);
  case 13:
    return normalise(x);
  case 14:
    return normaliseGroups(x);
  case 15:
  case 16:
    return combine(x);
  default:
    return reshape(x);
  }
}

func::FuncOp RandomBody::make() {
  values.push_back(addArgument(drawShape(1 + below(3))));
  const size_t wanted = static_cast<size_t>(3 + below(5));
  while (values.size() < wanted) {
    // Mostly the last value, so that ops follow one another.
    Value made = apply(below(19), below(3) == 0 ? pick() : values.back());
    if (made && getTensorType(made).getNumElements() > 0 &&
        getTensorType(made).getNumElements() <= mostElements)
      values.push_back(made);
  }
  func::ReturnOp::create(builder, function.getLoc(), values.back());
  function.setType(builder.getFunctionType(function.front().getArgumentTypes(),
                                           values.back().getType()));
  return function;
}

func::FuncOp weir::makeRandomBody(ModuleOp module, unsigned seed) {
  return RandomBody(module, seed).make();
}
