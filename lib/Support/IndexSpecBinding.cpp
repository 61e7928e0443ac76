//===- IndexSpecBinding.cpp - Sizes of an index spec for given operands ---===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/IndexSpec.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

using namespace weir;
using Dim = IndexSpec::Dim;
using Term = IndexSpec::Term;

namespace {

/// A loop's identity: its letter ('.' for the ellipsis) and its number among
/// the repeated dims (for the ellipsis counted from the right), else -1.
using LoopKey = std::pair<char, int>;

std::string toString(LoopKey key) {
  std::string name(1, key.first);
  return key.second < 0 ? name : name + std::to_string(key.second);
}

/// One dim of one tensor, with its place among the repeated dims.
struct PlacedDim {
  const Dim *dim;
  int repeat = -1;
};

int64_t elementOr(const std::vector<int64_t> &list, int index,
                  int64_t fallback) {
  return index < static_cast<int>(list.size()) ? list[index] : fallback;
}

int64_t ceilDiv(int64_t a, int64_t b) {
  return a >= 0 ? (a + b - 1) / b : a / b;
}

class Binder {
public:
  Binder(const IndexSpec &spec, std::span<const std::vector<int64_t>> shapes,
         const AttrMap &attrs)
      : spec(spec), shapes(shapes), attrs(attrs) {}

  StatusOr<BoundSpec> bind();

private:
  // Gathering sizes.
  Status checkOperandCount() const;
  Status placeDims();
  StatusOr<int> repeatsOf(const Term &term, size_t rank) const;
  Status applyWheres();
  Status unifyOperands();
  Status unifyProducts();
  Status unifyWindows();
  Status unifyEllipsis();
  Status unify(LoopKey key, int64_t size, size_t operand);
  StatusOr<int64_t> windowSize(const PlacedDim &placed, int64_t dimSize,
                               size_t operand) const;

  // Building the result.
  Status buildResult();
  Status resolvePermutation(const Dim &dim, std::vector<int> &order) const;
  StatusOr<std::vector<bool>> resolveDropped(const Dim &dim) const;
  Status addResultDim(const Dim &dim, int repeat);
  StatusOr<int64_t> resultWindowSize(const Dim &dim, int repeat) const;
  AffineIndex makeIndex(const PlacedDim &placed, int64_t dimSize);
  AffineIndex productIndex(const std::string &letters);
  AffineIndex windowIndex(const Dim &dim, int repeat);
  int loopOf(LoopKey key);
  Status checkInBounds(const PlacedDim &placed, int64_t dimSize,
                       size_t operand) const;
  void markReductions();

  int64_t sizeOf(LoopKey key) const {
    auto it = sizes.find(key);
    return it == sizes.end() ? unknownDim : it->second;
  }
  int64_t attrAt(const std::string &name, int index, int64_t fallback) const {
    return name.empty() ? fallback
                        : elementOr(attrs.ints(name), index, fallback);
  }
  int64_t padBegin(const Dim &dim, int repeat) const {
    return dim.isPadding ? attrAt(dim.offset, repeat, 0) : 0;
  }
  int64_t padEnd(const Dim &dim, int repeat) const {
    return dim.isPadding ? attrAt(dim.offset, repeat + repeats, 0) : 0;
  }
  std::string describe(size_t operand) const {
    return fmt::format("operand {} ({})", operand,
                       shapeToString(shapes[operand]));
  }

  const IndexSpec &spec;
  std::span<const std::vector<int64_t>> shapes;
  const AttrMap &attrs;

  /// How often a repeated dim stands; -1 while no operand has told.
  int repeats = -1;
  /// The ellipsis' rank in the result.
  int ellipsisRank = 0;
  std::vector<std::vector<PlacedDim>> placed;
  std::map<LoopKey, int64_t> sizes;
  /// The operand that gave a size first, for messages.
  std::map<LoopKey, size_t> origins;
  std::map<LoopKey, int> loopNumbers;
  BoundSpec bound;
};

} // namespace

//===----------------------------------------------------------------------===//
// Gathering sizes
//===----------------------------------------------------------------------===//

Status Binder::checkOperandCount() const {
  const std::vector<Term> &terms = spec.operandTerms();
  if (shapes.size() > terms.size())
    return invalidArgument(fmt::format("expects at most {} operands, found {}",
                                       terms.size(), shapes.size()));
  for (size_t i = shapes.size(); i < terms.size(); ++i)
    if (!terms[i].isInit && !terms[i].isBroadcastOnly)
      return invalidArgument(
          fmt::format("expects {} operands, found {}", i + 1, shapes.size()));
  return Status::ok();
}

StatusOr<int> Binder::repeatsOf(const Term &term, size_t rank) const {
  int plain = 0;
  bool hasRepeated = false, hasEllipsis = false;
  for (const Dim &dim : term.dims) {
    hasRepeated |= dim.isRepeated();
    hasEllipsis |= dim.kind == Dim::Kind::Ellipsis;
    plain += dim.kind == Dim::Kind::Letters;
  }
  int extra = static_cast<int>(rank) - plain;
  if (extra < 0 || (extra != 0 && !hasRepeated && !hasEllipsis))
    return invalidArgument(fmt::format(
        "expects rank {}{}, found rank {}",
        hasRepeated || hasEllipsis ? "at least " : "", plain, rank));
  return extra;
}

Status Binder::placeDims() {
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Term &term = spec.operandTerms()[i];
    auto extra = repeatsOf(term, shapes[i].size());
    if (!extra)
      return std::move(extra).status().withContext(describe(i));
    std::vector<PlacedDim> &dims = placed.emplace_back();
    for (const Dim &dim : term.dims) {
      if (dim.kind == Dim::Kind::Letters) {
        dims.push_back({&dim});
        continue;
      }
      if (dim.kind == Dim::Kind::Ellipsis) {
        ellipsisRank = std::max(ellipsisRank, *extra);
        for (int d = *extra; d-- > 0;)
          dims.push_back({&dim, d});
        continue;
      }
      if (repeats >= 0 && repeats != *extra)
        return invalidArgument(fmt::format(
            "{} has {} spatial dims where operand 0 ({}) has {}", describe(i),
            *extra, shapeToString(shapes[0]), repeats));
      repeats = *extra;
      for (int d = 0; d < *extra; ++d)
        dims.push_back({&dim, d});
    }
  }
  return Status::ok();
}

Status Binder::applyWheres() {
  for (const IndexSpec::Where &where : spec.whereClauses()) {
    const std::vector<int64_t> &values = attrs.ints(where.attribute);
    bool isRepeated = std::any_of(
        spec.operandTerms().begin(), spec.operandTerms().end(),
        [&](const Term &term) {
          return std::any_of(
              term.dims.begin(), term.dims.end(), [&](const Dim &dim) {
                return dim.isRepeated() &&
                       dim.letters.find(where.letter) != std::string::npos;
              });
        });
    for (int64_t value : values)
      if (value < 0)
        return invalidArgument(
            fmt::format("attribute '{}' expects sizes of at least 0, found {}",
                        where.attribute, value));
    if (where.letter == '.') {
      ellipsisRank = std::max(ellipsisRank, static_cast<int>(values.size()));
      for (size_t i = 0; i < values.size(); ++i)
        sizes[{'.', static_cast<int>(values.size() - 1 - i)}] = values[i];
    } else if (isRepeated) {
      if (static_cast<int>(values.size()) != repeats)
        return invalidArgument(
            fmt::format("attribute '{}' expects {} values, one per spatial "
                        "dim, found {}",
                        where.attribute, repeats, values.size()));
      for (int i = 0; i < repeats; ++i)
        sizes[{where.letter, i}] = values[i];
    } else {
      sizes[{where.letter, -1}] = elementOr(values, 0, 1);
    }
  }
  return Status::ok();
}

Status Binder::unify(LoopKey key, int64_t size, size_t operand) {
  if (size == unknownDim)
    return Status::ok();
  auto [it, isNew] = sizes.try_emplace(key, size);
  if (isNew || it->second == unknownDim) {
    it->second = size;
    origins[key] = operand;
    return Status::ok();
  }
  if (it->second == size)
    return Status::ok();
  auto origin = origins.find(key);
  std::string from = origin == origins.end() ? std::string("an attribute")
                                             : describe(origin->second);
  return invalidArgument(fmt::format("dim '{}' is {} by {} but {} by {}",
                                     toString(key), it->second, from, size,
                                     describe(operand)));
}

Status Binder::unifyOperands() {
  for (size_t i = 0; i < placed.size(); ++i)
    for (size_t d = 0; d < placed[i].size(); ++d) {
      const auto &[dim, repeat] = placed[i][d];
      bool isPlain = dim->letters.size() == 1 && dim->baseScale.empty() &&
                     dim->offset.empty();
      if (isPlain)
        WEIR_RETURN_IF_ERROR(unify({dim->letters[0], repeat}, shapes[i][d], i));
    }
  return Status::ok();
}

Status Binder::unifyProducts() {
  for (size_t i = 0; i < placed.size(); ++i)
    for (size_t d = 0; d < placed[i].size(); ++d) {
      const auto &[dim, repeat] = placed[i][d];
      if (dim->kind != Dim::Kind::Letters || dim->letters.size() < 2 ||
          shapes[i][d] == unknownDim)
        continue;
      int64_t known = 1;
      std::optional<char> missing;
      bool isSolvable = true;
      for (char letter : dim->letters) {
        int64_t size = sizeOf({letter, -1});
        if (size != unknownDim)
          known *= size;
        else if (missing)
          isSolvable = false;
        else
          missing = letter;
      }
      if (!isSolvable)
        continue;
      if (known == 0 || shapes[i][d] % known != 0)
        return invalidArgument(
            fmt::format("dim {} of {} is {}, expected a multiple of {}", d,
                        describe(i), shapes[i][d], known));
      if (missing)
        WEIR_RETURN_IF_ERROR(unify({*missing, -1}, shapes[i][d] / known, i));
      else if (known != shapes[i][d])
        return invalidArgument(fmt::format("dim {} of {} is {}, expected {}", d,
                                           describe(i), shapes[i][d], known));
    }
  return Status::ok();
}

/// The number of positions of a window over a dim of `dimSize`.
StatusOr<int64_t> Binder::windowSize(const PlacedDim &placed, int64_t dimSize,
                                     size_t operand) const {
  const auto &[dim, repeat] = placed;
  int64_t tap = dim->letters.size() > 1 ? sizeOf({dim->letters[1], repeat}) : 1;
  if (dimSize == unknownDim || tap == unknownDim)
    return unknownDim;
  int64_t stride = attrAt(dim->baseScale, repeat, 1);
  int64_t extent = (tap - 1) * attrAt(dim->tapScale, repeat, 1) + 1;
  int64_t padded = dimSize + padBegin(*dim, repeat) + padEnd(*dim, repeat);
  if (tap < 1 || extent > padded)
    return invalidArgument(
        fmt::format("a window of {} does not fit into spatial dim {} of {}, "
                    "which is {} with padding",
                    extent, repeat, describe(operand), padded));
  if (!attrs.intOr("ceil_mode", 0))
    return (padded - extent) / stride + 1;
  int64_t size = ceilDiv(padded - extent, stride) + 1;
  if ((size - 1) * stride >= dimSize + padBegin(*dim, repeat))
    --size;
  return size;
}

Status Binder::unifyWindows() {
  for (size_t i = 0; i < placed.size(); ++i)
    for (size_t d = 0; d < placed[i].size(); ++d) {
      const auto &[dim, repeat] = placed[i][d];
      bool isWindow = dim->kind == Dim::Kind::Window &&
                      (dim->letters.size() > 1 || !dim->offset.empty() ||
                       !dim->baseScale.empty());
      if (!isWindow)
        continue;
      for (const std::string *scale : {&dim->baseScale, &dim->tapScale})
        if (int64_t value = attrAt(*scale, repeat, 1);
            value < 1 && dim->isPadding)
          return invalidArgument(fmt::format(
              "attribute '{}' expects values of at least 1, found {}", *scale,
              value));
      LoopKey base{dim->letters[0], repeat};
      if (sizes.count(base)) {
        WEIR_RETURN_IF_ERROR(checkInBounds(placed[i][d], shapes[i][d], i));
        continue;
      }
      WEIR_ASSIGN_OR_RETURN(int64_t size,
                            windowSize(placed[i][d], shapes[i][d], i));
      WEIR_RETURN_IF_ERROR(unify(base, size, i));
    }
  return Status::ok();
}

/// A window without padding has to stay inside its dim.
Status Binder::checkInBounds(const PlacedDim &placed, int64_t dimSize,
                             size_t operand) const {
  const auto &[dim, repeat] = placed;
  int64_t size = sizeOf({dim->letters[0], repeat});
  if (dim->isPadding || dimSize == unknownDim || size <= 0)
    return Status::ok();
  int64_t first = attrAt(dim->offset, repeat, 0);
  int64_t last = first + (size - 1) * attrAt(dim->baseScale, repeat, 1);
  if (std::min(first, last) >= 0 && std::max(first, last) < dimSize)
    return Status::ok();
  return invalidArgument(
      fmt::format("elements {} to {} of dim {} of {} are asked for, expected "
                  "0 to {}",
                  first, last, repeat, describe(operand), dimSize - 1));
}

Status Binder::unifyEllipsis() {
  for (size_t i = 0; i < placed.size(); ++i)
    for (size_t d = 0; d < placed[i].size(); ++d) {
      const auto &[dim, repeat] = placed[i][d];
      if (dim->kind != Dim::Kind::Ellipsis)
        continue;
      int64_t size = shapes[i][d];
      LoopKey key{'.', repeat};
      int64_t known = sizes.count(key) ? sizes[key] : 1;
      bool mayEnlarge = !spec.operandTerms()[i].isBroadcastOnly;
      if (size == 1 || size == known) {
        sizes.try_emplace(key, size);
        continue;
      }
      if (size == unknownDim || known == unknownDim) {
        sizes[key] = std::max(size, known);
        continue;
      }
      if (known != 1 || !mayEnlarge)
        return invalidArgument(fmt::format("dim {} of {} is {}, expected {}{}",
                                           d, describe(i), size,
                                           known == 1 ? "" : "1 or ", known));
      sizes[key] = size;
    }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Building the bound spec
//===----------------------------------------------------------------------===//

int Binder::loopOf(LoopKey key) {
  auto [it, isNew] =
      loopNumbers.try_emplace(key, static_cast<int>(bound.loops.size()));
  if (isNew)
    bound.loops.push_back({toString(key), sizeOf(key), false});
  return it->second;
}

/// (abc) is a * |b| * |c| + b * |c| + c.
AffineIndex Binder::productIndex(const std::string &letters) {
  AffineIndex index;
  int64_t coefficient = 1;
  for (size_t i = letters.size(); i-- > 0;) {
    LoopKey key{letters[i], -1};
    index.terms.insert(index.terms.begin(), {loopOf(key), coefficient});
    int64_t size = sizeOf(key);
    coefficient = size == unknownDim ? unknownDim : coefficient * size;
  }
  return index;
}

AffineIndex Binder::windowIndex(const Dim &dim, int repeat) {
  AffineIndex index;
  index.terms.push_back(
      {loopOf({dim.letters[0], repeat}), attrAt(dim.baseScale, repeat, 1)});
  if (dim.letters.size() > 1)
    index.terms.push_back(
        {loopOf({dim.letters[1], repeat}), attrAt(dim.tapScale, repeat, 1)});
  index.offset =
      dim.isPadding ? -padBegin(dim, repeat) : attrAt(dim.offset, repeat, 0);
  index.mayLeave = dim.isPadding &&
                   (attrs.has(dim.offset) || attrs.intOr("ceil_mode", 0) != 0);
  return index;
}

AffineIndex Binder::makeIndex(const PlacedDim &placed, int64_t dimSize) {
  const auto &[dim, repeat] = placed;
  if (dim->kind == Dim::Kind::Letters)
    return productIndex(dim->letters);
  if (dim->kind != Dim::Kind::Ellipsis)
    return windowIndex(*dim, repeat);
  LoopKey key{'.', repeat};
  // A dim of 1 is read again for every point of a larger loop.
  if (dimSize == 1 && sizeOf(key) != 1)
    return {};
  return {{{loopOf(key), 1}}, 0, false};
}

Status Binder::resolvePermutation(const Dim &dim,
                                  std::vector<int> &order) const {
  const std::vector<int64_t> &list = attrs.ints(dim.offset);
  std::vector<bool> isUsed(repeats, false);
  for (int64_t entry : list) {
    if (entry < 0 || entry >= repeats || isUsed[entry])
      return invalidArgument(
          fmt::format("attribute '{}' expects each of 0 to {} once, found {}",
                      dim.offset, repeats - 1, entry));
    isUsed[entry] = true;
    order.push_back(static_cast<int>(entry));
  }
  if (static_cast<int>(list.size()) != repeats)
    return invalidArgument(fmt::format("attribute '{}' expects {} values, "
                                       "found {}",
                                       dim.offset, repeats, list.size()));
  return Status::ok();
}

StatusOr<std::vector<bool>> Binder::resolveDropped(const Dim &dim) const {
  const std::vector<int64_t> &axes = attrs.ints(dim.offset);
  std::vector<bool> isDropped(repeats, axes.empty());
  for (int64_t axis : axes) {
    int64_t position = axis < 0 ? axis + repeats : axis;
    if (position < 0 || position >= repeats)
      return invalidArgument(
          fmt::format("attribute '{}' expects axes from {} to {}, found {}",
                      dim.offset, -repeats, repeats - 1, axis));
    isDropped[position] = true;
  }
  return isDropped;
}

StatusOr<int64_t> Binder::resultWindowSize(const Dim &dim, int repeat) const {
  int64_t base = sizeOf({dim.letters[0], repeat});
  int64_t tap = dim.letters.size() > 1 ? sizeOf({dim.letters[1], repeat}) : 1;
  if (base == unknownDim || tap == unknownDim)
    return unknownDim;
  int64_t size = (base - 1) * attrAt(dim.baseScale, repeat, 1) +
                 (tap - 1) * attrAt(dim.tapScale, repeat, 1) + 1 -
                 padBegin(dim, repeat) - padEnd(dim, repeat) +
                 attrAt("output_padding", repeat, 0);
  if (size < 0)
    return invalidArgument(fmt::format(
        "padding leaves {} elements in spatial dim {} of the result", size,
        repeat));
  return size;
}

Status Binder::addResultDim(const Dim &dim, int repeat) {
  bool isWindow = dim.kind == Dim::Kind::Window &&
                  (dim.letters.size() > 1 || !dim.offset.empty());
  if (isWindow) {
    WEIR_ASSIGN_OR_RETURN(int64_t size, resultWindowSize(dim, repeat));
    bound.result.push_back(windowIndex(dim, repeat));
    bound.resultDims.push_back(size);
    return Status::ok();
  }
  int64_t size = 1;
  if (dim.kind == Dim::Kind::Letters) {
    bound.result.push_back(productIndex(dim.letters));
    for (char letter : dim.letters) {
      int64_t factor = sizeOf({letter, -1});
      size = factor == unknownDim || size == unknownDim ? unknownDim
                                                        : size * factor;
    }
  } else {
    char letter = dim.kind == Dim::Kind::Ellipsis ? '.' : dim.letters[0];
    bound.result.push_back({{{loopOf({letter, repeat}), 1}}, 0, false});
    size = sizeOf({letter, repeat});
  }
  bound.resultDims.push_back(size);
  return Status::ok();
}

Status Binder::buildResult() {
  for (const Dim &dim : spec.resultTerm().dims) {
    if (dim.kind == Dim::Kind::Letters) {
      WEIR_RETURN_IF_ERROR(addResultDim(dim, -1));
    } else if (dim.kind == Dim::Kind::Ellipsis) {
      for (int d = ellipsisRank; d-- > 0;)
        WEIR_RETURN_IF_ERROR(addResultDim(dim, d));
    } else if (dim.kind == Dim::Kind::Permuted) {
      std::vector<int> order;
      WEIR_RETURN_IF_ERROR(resolvePermutation(dim, order));
      for (int source : order)
        WEIR_RETURN_IF_ERROR(addResultDim(dim, source));
    } else if (dim.kind == Dim::Kind::Dropped) {
      WEIR_ASSIGN_OR_RETURN(std::vector<bool> isDropped, resolveDropped(dim));
      for (int d = 0; d < repeats; ++d) {
        if (!isDropped[d]) {
          WEIR_RETURN_IF_ERROR(addResultDim(dim, d));
        } else if (attrs.intOr("keepdims", 1)) {
          bound.result.push_back({});
          bound.resultDims.push_back(1);
        }
      }
    } else {
      for (int d = 0; d < repeats; ++d)
        WEIR_RETURN_IF_ERROR(addResultDim(dim, d));
    }
  }
  return Status::ok();
}

/// A loop is parallel when one result dim is that loop alone or a product it is
/// a factor of; every other loop meets itself in a result element.
void Binder::markReductions() {
  for (Loop &loop : bound.loops)
    loop.isReduction = true;
  for (const AffineIndex &index : bound.result)
    if (!index.mayLeave && index.offset == 0)
      for (const AffineIndex::Term &term : index.terms)
        bound.loops[term.loop].isReduction = false;
  for (const Dim &dim : spec.resultTerm().dims)
    if (dim.kind == Dim::Kind::Window && dim.letters.size() > 1)
      for (int d = 0; d < repeats; ++d)
        for (char letter : dim.letters)
          bound.loops[loopOf({letter, d})].isReduction = true;
}

StatusOr<BoundSpec> Binder::bind() {
  WEIR_RETURN_IF_ERROR(checkOperandCount());
  WEIR_RETURN_IF_ERROR(placeDims());
  WEIR_RETURN_IF_ERROR(applyWheres());
  WEIR_RETURN_IF_ERROR(unifyOperands());
  // A product may give the letter that another product lacks.
  WEIR_RETURN_IF_ERROR(unifyProducts());
  WEIR_RETURN_IF_ERROR(unifyProducts());
  WEIR_RETURN_IF_ERROR(unifyWindows());
  WEIR_RETURN_IF_ERROR(unifyEllipsis());
  WEIR_RETURN_IF_ERROR(buildResult());
  for (size_t i = 0; i < placed.size(); ++i) {
    std::vector<AffineIndex> &indices = bound.operands.emplace_back();
    for (size_t d = 0; d < placed[i].size(); ++d)
      indices.push_back(makeIndex(placed[i][d], shapes[i][d]));
    if (spec.operandTerms()[i].isInit)
      bound.initOperand = static_cast<int>(i);
  }
  markReductions();
  return std::move(bound);
}

StatusOr<BoundSpec>
IndexSpec::bind(std::span<const std::vector<int64_t>> operands,
                const AttrMap &attrs) const {
  return Binder(*this, operands, attrs).bind();
}
