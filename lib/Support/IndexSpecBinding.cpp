//===- IndexSpecBinding.cpp - Binds an index spec to operands ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The second half of binding an index spec. From the sizes of all letters, it
// computes loops, indices and the shape of the result.
//
//===----------------------------------------------------------------------===//

#include "IndexSpecSizes.h"
#include "weir/Support/Counted.h"

#include <fmt/format.h>

#include <algorithm>

using namespace weir;
using namespace weir::indexspec;
using Dim = IndexSpec::Dim;

WindowNumbers SpecSizes::window(const Dim &dim, int repeat,
                                const AttrMap &attrs) const {
  auto at = [&](const std::string &name, int index, int64_t fallback) {
    const std::vector<int64_t> &list = attrs.ints(name);
    return name.empty() || list.empty() ? fallback : list[index];
  };
  WindowNumbers numbers;
  numbers.stride = at(dim.baseScale, repeat, 1);
  numbers.dilation = at(dim.tapScale, repeat, 1);
  if (dim.isPadding) {
    numbers.padBegin = at(dim.offset, repeat, 0);
    numbers.padEnd = at(dim.offset, repeat + repeats, 0);
    numbers.offset = -numbers.padBegin;
  } else {
    numbers.offset = at(dim.offset, repeat, 0);
  }
  return numbers;
}

namespace {

class BoundSpecBuilder {
public:
  BoundSpecBuilder(const IndexSpec &spec, Shapes shapes, const AttrMap &attrs,
                   SpecSizes solved)
      : spec(spec), shapes(shapes), attrs(attrs), solved(std::move(solved)) {}

  StatusOr<BoundSpec> build();

private:
  int loopOf(LoopKey key);
  AffineIndex productIndex(const std::string &letters);
  StatusOr<AffineIndex> windowIndex(const PlacedDim &placed, int64_t dimSize,
                                    std::string_view tensor);
  StatusOr<AffineIndex> operandIndex(const PlacedDim &placed, int64_t dimSize,
                                     size_t operand);

  StatusOr<std::vector<int>> permutation(const Dim &dim) const;
  StatusOr<std::vector<bool>> droppedDims(const Dim &dim) const;
  Status addResultTerm(const Dim &dim);
  Status addResultDim(const Dim &dim, int repeat);
  Status addDroppable(const Dim &dim);
  StatusOr<int64_t> resultWindowSize(const Dim &dim, int repeat) const;
  int64_t productSize(const std::string &letters) const;

  void markReductions();
  void orderRunning();
  Status checkInit() const;
  Status checkAllKnown() const;
  Status checkIndirect() const;

  const IndexSpec &spec;
  Shapes shapes;
  const AttrMap &attrs;
  SpecSizes solved;
  std::map<LoopKey, int> loopNumbers;
  BoundSpec bound;
};

} // namespace

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

int BoundSpecBuilder::loopOf(LoopKey key) {
  auto [it, isNew] =
      loopNumbers.try_emplace(key, static_cast<int>(bound.loops.size()));
  if (isNew)
    bound.loops.push_back({toString(key), solved.sizeOf(key), false});
  return it->second;
}

int64_t BoundSpecBuilder::productSize(const std::string &letters) const {
  int64_t size = 1;
  for (char letter : letters) {
    int64_t factor = solved.sizeOf({letter, -1});
    if (factor == unknownDim)
      return unknownDim;
    size *= factor;
  }
  return size;
}

/// The index of a product of dims: (abc) is a * |b| * |c| + b * |c| + c.
AffineIndex BoundSpecBuilder::productIndex(const std::string &letters) {
  AffineIndex index;
  for (size_t i = 0; i < letters.size(); ++i)
    index.terms.push_back(
        {loopOf({letters[i], -1}), productSize(letters.substr(i + 1))});
  return index;
}

/// The index of a window. It is an error if a window without padding extends
/// beyond the dim. A window over an unknown dim may extend beyond it.
StatusOr<AffineIndex> BoundSpecBuilder::windowIndex(const PlacedDim &placed,
                                                    int64_t dimSize,
                                                    std::string_view tensor) {
  const auto &[dim, repeat] = placed;
  WindowNumbers numbers = solved.window(*dim, repeat, attrs);
  AffineIndex index;
  index.offset = numbers.offset;
  index.terms.push_back({loopOf({dim->letters[0], repeat}), numbers.stride});
  if (dim->letters.size() > 1)
    index.terms.push_back(
        {loopOf({dim->letters[1], repeat}), numbers.dilation});
  index.mayLeave = dim->isPadding;
  Wide first = index.offset, last = index.offset;
  for (const AffineIndex::Term &term : index.terms) {
    int64_t size = bound.loops[term.loop].size;
    if (size == unknownDim || dimSize == unknownDim)
      return index;
    if (size == 0) {
      index.mayLeave = false;
      return index;
    }
    Wide reach = Wide{size - 1} * term.coefficient;
    (reach < 0 ? first : last) += reach;
  }
  index.mayLeave = first < 0 || last >= dimSize;
  if (!index.mayLeave || dim->isPadding)
    return index;
  auto clamp = [](Wide value) {
    return static_cast<int64_t>(
        std::clamp<Wide>(value, -countLimit, countLimit));
  };
  return invalidArgument(fmt::format(
      "elements {} to {} of dim {} of {} are asked for, expected 0 to {}",
      clamp(first), clamp(last), repeat, tensor, dimSize - 1));
}

StatusOr<AffineIndex> BoundSpecBuilder::operandIndex(const PlacedDim &placed,
                                                     int64_t dimSize,
                                                     size_t operand) {
  const auto &[dim, repeat] = placed;
  if (dim->kind == Dim::Kind::Letters)
    return productIndex(dim->letters);
  if (dim->kind == Dim::Kind::Window && isWindowed(*dim))
    return windowIndex(placed, dimSize, describeOperand(shapes, operand));
  if (solved.isSpecial(*dim, repeat, attrs))
    return AffineIndex{{}, 0, false, dim->indexOperand};
  bool isEllipsis = dim->kind == Dim::Kind::Ellipsis;
  LoopKey key{isEllipsis ? '.' : dim->letters[0], repeat};
  // A dim of 1 is broadcast: all points of a larger loop read its only element.
  if (isEllipsis && dimSize == 1 && solved.sizeOf(key) != 1)
    return AffineIndex();
  return AffineIndex{{{loopOf(key), 1}}, 0, false};
}

//===----------------------------------------------------------------------===//
// Result
//===----------------------------------------------------------------------===//

StatusOr<std::vector<int>> BoundSpecBuilder::permutation(const Dim &dim) const {
  const std::vector<int64_t> &list = attrs.ints(dim.offset);
  if (static_cast<int>(list.size()) != solved.repeats)
    return invalidArgument(fmt::format(
        "attribute '{}' expects {}, found {}", dim.offset,
        counted(static_cast<uint64_t>(solved.repeats), "value"), list.size()));
  std::vector<int> order;
  for (int64_t entry : list) {
    bool isUsed = std::find(order.begin(), order.end(), entry) != order.end();
    if (entry < 0 || entry >= solved.repeats || isUsed)
      return invalidArgument(fmt::format(
          "attribute '{}' expects each of 0 to {} once, found {}{}", dim.offset,
          solved.repeats - 1, entry, isUsed ? " twice" : ""));
    order.push_back(static_cast<int>(entry));
  }
  return order;
}

StatusOr<std::vector<bool>>
BoundSpecBuilder::droppedDims(const Dim &dim) const {
  const std::vector<int64_t> &axes = attrs.ints(dim.offset);
  int rank = solved.repeats;
  std::vector<bool> isDropped(rank, axes.empty());
  for (int64_t axis : axes) {
    if (axis < -rank || axis >= rank)
      return invalidArgument(
          rank == 0
              ? fmt::format("attribute '{}' expects no axes for a scalar, "
                            "found {}",
                            dim.offset, axis)
              : fmt::format("attribute '{}' expects values from {} to {}, "
                            "found {}",
                            dim.offset, -rank, rank - 1, axis));
    int64_t position = axis < 0 ? axis + rank : axis;
    if (isDropped[position])
      return invalidArgument(
          fmt::format("attribute '{}' expects every axis once, found {} twice",
                      dim.offset, position));
    isDropped[position] = true;
  }
  return isDropped;
}

StatusOr<int64_t> BoundSpecBuilder::resultWindowSize(const Dim &dim,
                                                     int repeat) const {
  int64_t base = solved.sizeOf({dim.letters[0], repeat});
  int64_t tap =
      dim.letters.size() > 1 ? solved.sizeOf({dim.letters[1], repeat}) : 1;
  if (base == unknownDim || tap == unknownDim)
    return unknownDim;
  WindowNumbers window = solved.window(dim, repeat, attrs);
  Wide size = 0;
  if (base > 0 && tap > 0)
    size = Wide{base - 1} * window.stride + Wide{tap - 1} * window.dilation + 1;
  size -= Wide{window.padBegin} + window.padEnd;
  const std::vector<int64_t> &more = attrs.ints("output_padding");
  size += more.empty() ? 0 : more[repeat];
  if (size < 0 || size > sizeLimit)
    return invalidArgument(fmt::format(
        "spatial dim {} of the result has {} elements after padding, expected "
        "0 to {}",
        repeat,
        static_cast<int64_t>(std::clamp<Wide>(size, -countLimit, countLimit)),
        sizeLimit));
  return static_cast<int64_t>(size);
}

Status BoundSpecBuilder::addResultDim(const Dim &dim, int repeat) {
  if (dim.kind == Dim::Kind::Letters) {
    bound.resultDims.push_back(productSize(dim.letters));
    bound.result.push_back(productIndex(dim.letters));
    return Status::ok();
  }
  if (isWindowed(dim)) {
    WEIR_ASSIGN_OR_RETURN(int64_t size, resultWindowSize(dim, repeat));
    WEIR_ASSIGN_OR_RETURN(AffineIndex index,
                          windowIndex({&dim, repeat}, size, "the result"));
    bound.resultDims.push_back(size);
    bound.result.push_back(std::move(index));
    return Status::ok();
  }
  LoopKey key{dim.kind == Dim::Kind::Ellipsis ? '.' : dim.letters[0], repeat};
  bool isNamed = solved.isSpecial(dim, repeat, attrs);
  if (isNamed && dim.kind == Dim::Kind::Replaced)
    key = {dim.replacement, -1};
  if (isNamed && dim.kind == Dim::Kind::Running)
    bound.runningLoop = loopOf(key);
  bound.resultDims.push_back(solved.sizeOf(key));
  bound.result.push_back({{{loopOf(key), 1}}, 0, false});
  return Status::ok();
}

Status BoundSpecBuilder::addDroppable(const Dim &dim) {
  WEIR_ASSIGN_OR_RETURN(std::vector<bool> isDropped, droppedDims(dim));
  bool isKept = attrs.intOr("keepdims", 1) != 0;
  for (int d = 0; d < solved.repeats; ++d) {
    if (!isDropped[d]) {
      WEIR_RETURN_IF_ERROR(addResultDim(dim, d));
    } else if (isKept) {
      bound.result.push_back({});
      bound.resultDims.push_back(1);
    }
  }
  return Status::ok();
}

Status BoundSpecBuilder::addResultTerm(const Dim &dim) {
  switch (dim.kind) {
  case Dim::Kind::Letters:
    return addResultDim(dim, -1);
  case Dim::Kind::Ellipsis:
    for (int d = solved.ellipsisRank; d-- > 0;)
      WEIR_RETURN_IF_ERROR(addResultDim(dim, d));
    return Status::ok();
  case Dim::Kind::Window:
  case Dim::Kind::Indirect:
  case Dim::Kind::Replaced:
  case Dim::Kind::Running:
    for (int d = 0; d < solved.repeats; ++d)
      WEIR_RETURN_IF_ERROR(addResultDim(dim, d));
    return Status::ok();
  case Dim::Kind::Permuted: {
    WEIR_ASSIGN_OR_RETURN(std::vector<int> order, permutation(dim));
    for (int source : order)
      WEIR_RETURN_IF_ERROR(addResultDim(dim, source));
    return Status::ok();
  }
  case Dim::Kind::Dropped:
    return addDroppable(dim);
  }
  return internalError("a dim of an index spec has no kind");
}

/// A loop is parallel if a dim of the result is this loop alone, or a product
/// with this loop as a factor. The loop may be scaled. Every other loop is a
/// reduction: several of its points contribute to the same element of the
/// result.
void BoundSpecBuilder::markReductions() {
  for (Loop &loop : bound.loops)
    loop.isReduction = true;
  auto markParallel = [&](const AffineIndex &index) {
    for (const AffineIndex::Term &term : index.terms)
      bound.loops[term.loop].isReduction = false;
  };
  size_t position = 0;
  for (const Dim &dim : spec.resultTerm().dims) {
    bool isProduct = dim.kind == Dim::Kind::Letters;
    // At most one dim of a term stands for several dims of the result. It
    // stands for all dims that the plain dims of the term leave over.
    size_t count = 1;
    if (!isProduct)
      count = bound.result.size() - (spec.resultTerm().dims.size() - 1);
    for (size_t i = 0; i < count; ++i, ++position)
      if (isProduct || bound.result[position].terms.size() == 1)
        markParallel(bound.result[position]);
  }
}

/// Sets the order of the running loop. With the attribute `reverse`, the loop
/// begins at the last element.
void BoundSpecBuilder::orderRunning() {
  if (bound.runningLoop < 0)
    return;
  bound.isExclusive = attrs.intOr("exclusive", 0) != 0;
  if (attrs.intOr("reverse", 0) == 0)
    return;
  int64_t size = bound.loops[bound.runningLoop].size;
  auto reverse = [&](std::vector<AffineIndex> &indices) {
    for (AffineIndex &index : indices)
      for (AffineIndex::Term &term : index.terms)
        if (term.loop == bound.runningLoop && size > 0) {
          index.offset += term.coefficient * (size - 1);
          term.coefficient = -term.coefficient;
        }
  };
  for (std::vector<AffineIndex> &indices : bound.operands)
    reverse(indices);
  reverse(bound.result);
}

/// Checks that there is one initial value for each element of the result.
Status BoundSpecBuilder::checkInit() const {
  if (bound.initOperand < 0)
    return Status::ok();
  for (const AffineIndex &index : bound.operands[bound.initOperand])
    for (const AffineIndex::Term &term : index.terms)
      if (bound.loops[term.loop].isReduction)
        return invalidArgument(fmt::format(
            "dim '{}' of {} is reduced, expected a dim of the result",
            bound.loops[term.loop].name,
            describeOperand(shapes, bound.initOperand)));
  return Status::ok();
}

Status BoundSpecBuilder::checkAllKnown() const {
  for (const std::vector<int64_t> &shape : shapes)
    if (std::count(shape.begin(), shape.end(), unknownDim))
      return Status::ok();
  for (const Loop &loop : bound.loops)
    if (loop.size == unknownDim)
      return invalidArgument(fmt::format(
          "the size of dim '{}' follows from no operand and no attribute",
          loop.name));
  return Status::ok();
}

/// Checks that a dim that indices refer to has elements.
Status BoundSpecBuilder::checkIndirect() const {
  int64_t points = bound.numPoints();
  if (points == 0 || points == unknownDim)
    return Status::ok();
  for (size_t i = 0; i < shapes.size(); ++i)
    for (size_t d = 0; d < shapes[i].size(); ++d)
      if (bound.operands[i][d].indirect >= 0 && shapes[i][d] == 0)
        return invalidArgument(
            fmt::format("dim {} of {} has no element to pick, expected 1 or "
                        "more",
                        d, describeOperand(shapes, i)));
  return Status::ok();
}

StatusOr<BoundSpec> BoundSpecBuilder::build() {
  for (const Dim &dim : spec.resultTerm().dims)
    WEIR_RETURN_IF_ERROR(addResultTerm(dim));
  WEIR_RETURN_IF_ERROR(checkCount(bound.resultDims, "the result"));
  for (size_t i = 0; i < shapes.size(); ++i) {
    bound.operands.emplace_back();
    for (size_t d = 0; d < shapes[i].size(); ++d) {
      WEIR_ASSIGN_OR_RETURN(AffineIndex index,
                            operandIndex(solved.placed[i][d], shapes[i][d], i));
      bound.operands[i].push_back(std::move(index));
    }
    if (spec.operandTerms()[i].isInit)
      bound.initOperand = static_cast<int>(i);
  }
  markReductions();
  orderRunning();
  WEIR_RETURN_IF_ERROR(checkInit());
  WEIR_RETURN_IF_ERROR(checkAllKnown());
  WEIR_RETURN_IF_ERROR(checkIndirect());
  return std::move(bound);
}

Status IndexSpec::checkOperandCount(size_t count) const {
  if (fixed && count != fixed->operands.size())
    return invalidArgument(fmt::format("expects {} operands, found {}",
                                       fixed->operands.size(), count));
  if (!fixed && count > inputs.size())
    return invalidArgument(fmt::format("expects at most {} operands, found {}",
                                       inputs.size(), count));
  size_t needed = 0;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].isInit && !inputs[i].isBroadcastOnly)
      needed = i + 1;
  if (count < needed)
    return invalidArgument(
        fmt::format("expects at least {} operands, found {}", needed, count));
  return Status::ok();
}

StatusOr<BoundSpec>
IndexSpec::bind(std::span<const std::vector<int64_t>> operands,
                const AttrMap &attrs) const {
  WEIR_RETURN_IF_ERROR(checkOperandCount(operands.size()));
  if (fixed)
    return bindFixed(*fixed, operands);
  WEIR_ASSIGN_OR_RETURN(SpecSizes sizes, solveSizes(*this, operands, attrs));
  return BoundSpecBuilder(*this, operands, attrs, std::move(sizes)).build();
}
