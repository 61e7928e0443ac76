//===- IndexSpecSizes.cpp - Solves an index spec for its sizes --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "IndexSpecSizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

using namespace weir;
using namespace weir::indexspec;
using Dim = IndexSpec::Dim;
using Term = IndexSpec::Term;

namespace {

class SizeSolver {
public:
  SizeSolver(const IndexSpec &spec, Shapes shapes, const AttrMap &attrs)
      : spec(spec), shapes(shapes), attrs(attrs) {}

  StatusOr<SpecSizes> solve();

private:
  Status checkShapes() const;
  StatusOr<int> repeatsOf(const Term &term, size_t rank) const;
  Status placeDims();
  Status placeRepeated(const Dim &dim, size_t operand, int count);

  Status checkAttributes() const;
  Status checkWindowAttributes(const Dim &dim) const;
  Status checkAxis(const Dim &dim) const;
  Status checkList(const std::string &name, int64_t count, int64_t least,
                   std::string_view meaning) const;

  Status applyWheres();
  Status applyWhere(const IndexSpec::Where &where);
  bool isRepeatedLetter(char letter) const;
  bool isDivisor(char letter) const;
  /// The word for a repeated dim in errors.
  std::string_view dimWord() const;
  std::string perRepeatedDim() const;

  /// Calls `visit(operand, dimNumber, dim)` for each dim of each operand, until
  /// a call fails.
  template <typename Visitor> Status forEachDim(Visitor visit) const;
  Status unify(LoopKey key, int64_t size, size_t operand);
  Status unifyProduct(size_t operand, size_t number, const Dim &dim);
  Status unifyProducts();
  Status unifyWindows();
  StatusOr<int64_t> windowSize(const PlacedDim &placed, int64_t dimSize,
                               size_t operand) const;
  Status unifyEllipsis(bool isBroadcastOnly);
  Status broadcast(LoopKey key, size_t operand, size_t number);
  Status checkPoints() const;

  std::string describe(size_t operand) const {
    return describeOperand(shapes, operand);
  }

  std::string describeFactors(const Dim &dim) const;

  std::string describeOrigin(LoopKey key) const {
    auto origin = origins.find(key);
    return origin == origins.end() ? "an attribute" : describe(origin->second);
  }

  const IndexSpec &spec;
  Shapes shapes;
  const AttrMap &attrs;
  SpecSizes solved;
  /// The operand that gave each size, for errors.
  std::map<LoopKey, size_t> origins;
  /// The operand that gave the number of repeated dims.
  std::optional<size_t> repeatsOrigin;
};

} // namespace

//===----------------------------------------------------------------------===//
// Placing the dims of the spec on those of the operands
//===----------------------------------------------------------------------===//

Status SizeSolver::checkShapes() const {
  for (size_t i = 0; i < shapes.size(); ++i)
    WEIR_RETURN_IF_ERROR(checkShape(shapes[i], describe(i)));
  return Status::ok();
}

StatusOr<int> SizeSolver::repeatsOf(const Term &term, size_t rank) const {
  int plain = 0;
  bool isOpen = false;
  for (const Dim &dim : term.dims)
    if (dim.kind == Dim::Kind::Letters)
      ++plain;
    else
      isOpen = true;
  int extra = static_cast<int>(rank) - plain;
  if (extra < 0 || (extra != 0 && !isOpen))
    return invalidArgument(fmt::format("expects rank {}{}, found rank {}",
                                       isOpen ? "at least " : "", plain, rank));
  return extra;
}

Status SizeSolver::placeRepeated(const Dim &dim, size_t operand, int count) {
  if (repeatsOrigin && solved.repeats != count)
    return invalidArgument(
        fmt::format("{} has {} {}s where {} has {}", describe(operand), count,
                    dimWord(), describe(*repeatsOrigin), solved.repeats));
  if (!repeatsOrigin)
    repeatsOrigin = operand;
  solved.repeats = count;
  for (int d = 0; d < count; ++d)
    solved.placed[operand].push_back({&dim, d});
  return Status::ok();
}

Status SizeSolver::placeDims() {
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Term &term = spec.operandTerms()[i];
    auto extra = repeatsOf(term, shapes[i].size());
    if (!extra)
      return std::move(extra).status().withContext(describe(i));
    solved.placed.emplace_back();
    for (const Dim &dim : term.dims) {
      if (dim.kind == Dim::Kind::Letters) {
        solved.placed[i].push_back({&dim});
      } else if (dim.kind == Dim::Kind::Ellipsis) {
        if (!term.isBroadcastOnly)
          solved.ellipsisRank = std::max(solved.ellipsisRank, *extra);
        for (int d = *extra; d-- > 0;)
          solved.placed[i].push_back({&dim, d});
      } else {
        WEIR_RETURN_IF_ERROR(placeRepeated(dim, i, *extra));
      }
    }
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Checks the attribute `name`. It must be absent or empty, or have `count`
/// integers of at least `least`.
Status SizeSolver::checkList(const std::string &name, int64_t count,
                             int64_t least, std::string_view meaning) const {
  const std::vector<int64_t> &values = attrs.ints(name);
  if (values.empty()) {
    bool isOfOtherKind =
        !attrs.floats(name).empty() || attrs.textOr(name, {}).data();
    if (isOfOtherKind)
      return invalidArgument(
          fmt::format("attribute '{}' expects integers", name));
    return Status::ok();
  }
  if (count == 0 && repeatsOrigin)
    return invalidArgument(fmt::format(
        "attribute '{}' expects no values, because {} has no {}s; found {}",
        name, describe(*repeatsOrigin), dimWord(), values.size()));
  if (static_cast<int64_t>(values.size()) != count)
    return invalidArgument(
        fmt::format("attribute '{}' expects {} value{}{}, found {}", name,
                    count, count == 1 ? "" : "s", meaning, values.size()));
  for (int64_t value : values)
    if (value < least || value > sizeLimit)
      return invalidArgument(
          fmt::format("attribute '{}' expects values from {} to {}, found {}",
                      name, least, sizeLimit, value));
  return Status::ok();
}

/// The word is "spatial dim" if the operand also has plain dims, such as batch
/// and channels.
std::string_view SizeSolver::dimWord() const {
  auto isPlain = [](const Dim &dim) { return dim.kind == Dim::Kind::Letters; };
  const std::vector<Dim> &dims =
      spec.operandTerms()[repeatsOrigin.value_or(0)].dims;
  return std::any_of(dims.begin(), dims.end(), isPlain) ? "spatial dim" : "dim";
}

std::string SizeSolver::perRepeatedDim() const {
  return fmt::format(", one per {}", dimWord());
}

Status SizeSolver::checkWindowAttributes(const Dim &dim) const {
  if (dim.kind != Dim::Kind::Window)
    return Status::ok();
  // Without padding, a window only selects elements, and it may go backwards.
  int64_t least = dim.isPadding || dim.offset.empty() ? 1 : -sizeLimit;
  for (const std::string &scale : {dim.baseScale, dim.tapScale})
    WEIR_RETURN_IF_ERROR(
        checkList(scale, solved.repeats, least, perRepeatedDim()));
  if (!dim.isPadding)
    return checkList(dim.offset, solved.repeats, -sizeLimit, perRepeatedDim());
  return checkList(
      dim.offset, 2 * solved.repeats, -sizeLimit,
      fmt::format(", the begins then the ends of the {}s", dimWord()));
}

/// Checks that the dim exists that an attribute of `dim` names.
Status SizeSolver::checkAxis(const Dim &dim) const {
  if (!namesAxis(dim))
    return Status::ok();
  int64_t rank = solved.repeats;
  int64_t axis = attrs.intOr(dim.offset, 0);
  if (axis >= -rank && axis < rank)
    return Status::ok();
  return invalidArgument(
      rank == 0 ? fmt::format("attribute '{}' names axis {} of a scalar, "
                              "expected a tensor of rank 1 or more",
                              dim.offset, axis)
                : fmt::format("attribute '{}' expects a value from {} to {}, "
                              "found {}",
                              dim.offset, -rank, rank - 1, axis));
}

Status SizeSolver::checkAttributes() const {
  for (const Term &term : spec.operandTerms())
    for (const Dim &dim : term.dims) {
      WEIR_RETURN_IF_ERROR(checkWindowAttributes(dim));
      WEIR_RETURN_IF_ERROR(checkAxis(dim));
    }
  for (const Dim &dim : spec.resultTerm().dims) {
    WEIR_RETURN_IF_ERROR(checkWindowAttributes(dim));
    WEIR_RETURN_IF_ERROR(checkAxis(dim));
    if (isWindowed(dim))
      WEIR_RETURN_IF_ERROR(
          checkList("output_padding", solved.repeats, 0, perRepeatedDim()));
  }
  return Status::ok();
}

bool SizeSolver::isRepeatedLetter(char letter) const {
  auto repeats = [&](const Dim &dim) {
    return dim.isRepeated() && dim.letters.find(letter) != std::string::npos;
  };
  auto isIn = [&](const Term &term) {
    return std::any_of(term.dims.begin(), term.dims.end(), repeats);
  };
  return isIn(spec.resultTerm()) ||
         std::any_of(spec.operandTerms().begin(), spec.operandTerms().end(),
                     isIn);
}

/// Whether `letter` divides a dim of an operand into groups, or is the tap of a
/// window. Such a letter must have a size of at least 1.
bool SizeSolver::isDivisor(char letter) const {
  auto divides = [&](const Dim &dim) {
    size_t place = dim.letters.find(letter);
    return place != std::string::npos &&
           (dim.kind == Dim::Kind::Letters ? dim.letters.size() > 1
                                           : place > 0);
  };
  return std::any_of(spec.operandTerms().begin(), spec.operandTerms().end(),
                     [&](const Term &term) {
                       return std::any_of(term.dims.begin(), term.dims.end(),
                                          divides);
                     });
}

Status SizeSolver::applyWhere(const IndexSpec::Where &where) {
  const std::vector<int64_t> &values = attrs.ints(where.attribute);
  int count = static_cast<int>(values.size());
  if (where.letter == '.') {
    WEIR_RETURN_IF_ERROR(checkList(where.attribute, count, 0, ""));
    solved.ellipsisRank = std::max(solved.ellipsisRank, count);
    for (int i = 0; i < count; ++i)
      solved.sizes[{'.', count - 1 - i}] = values[i];
    return Status::ok();
  }
  int64_t least = isDivisor(where.letter) ? 1 : 0;
  if (!isRepeatedLetter(where.letter)) {
    WEIR_RETURN_IF_ERROR(checkList(where.attribute, 1, least, ""));
    solved.sizes[{where.letter, -1}] = count ? values[0] : 1;
    return Status::ok();
  }
  WEIR_RETURN_IF_ERROR(
      checkList(where.attribute, solved.repeats, least, perRepeatedDim()));
  for (int i = 0; i < solved.repeats; ++i)
    solved.sizes[{where.letter, i}] = count ? values[i] : 1;
  return Status::ok();
}

Status SizeSolver::applyWheres() {
  for (const IndexSpec::Where &where : spec.whereClauses())
    WEIR_RETURN_IF_ERROR(applyWhere(where));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Unification
//===----------------------------------------------------------------------===//

template <typename Visitor> Status SizeSolver::forEachDim(Visitor visit) const {
  for (size_t i = 0; i < solved.placed.size(); ++i)
    for (size_t d = 0; d < solved.placed[i].size(); ++d)
      WEIR_RETURN_IF_ERROR(visit(i, d, solved.placed[i][d]));
  return Status::ok();
}

Status SizeSolver::unify(LoopKey key, int64_t size, size_t operand) {
  if (size == unknownDim)
    return Status::ok();
  auto [it, isNew] = solved.sizes.try_emplace(key, size);
  if (isNew)
    origins[key] = operand;
  if (it->second == size)
    return Status::ok();
  return invalidArgument(
      fmt::format("dim '{}' is {} by {} but {} by {}", toString(key),
                  it->second, describeOrigin(key), size, describe(operand)));
}

/// Says where the sizes of the letters of `dim` come from: ", because 'g' is 2
/// by an attribute and 'c' is 3 by operand 1 (4x3x3x3)". Sizes of 1 and unknown
/// sizes are left out.
std::string SizeSolver::describeFactors(const Dim &dim) const {
  std::string text;
  for (char letter : dim.letters) {
    const LoopKey key{letter, -1};
    if (const int64_t size = solved.sizeOf(key);
        size != unknownDim && size != 1)
      text += fmt::format("{}'{}' is {} by {}",
                          text.empty() ? ", because " : " and ", toString(key),
                          size, describeOrigin(key));
  }
  return text;
}

Status SizeSolver::unifyProduct(size_t operand, size_t number, const Dim &dim) {
  int64_t size = shapes[operand][number];
  Wide known = 1;
  std::optional<char> missing;
  for (char letter : dim.letters) {
    int64_t factor = solved.sizeOf({letter, -1});
    if (factor == unknownDim && missing)
      return Status::ok();
    if (factor == unknownDim)
      missing = letter;
    else
      known = std::min<Wide>(known * factor, countLimit);
  }
  if (!missing && known == size)
    return Status::ok();
  if (missing && known != 0 && size % known == 0)
    return unify({*missing, -1}, static_cast<int64_t>(size / known), operand);
  return invalidArgument(
      fmt::format("dim {} of {} is {}, expected {}{}{}", number,
                  describe(operand), size, missing ? "a multiple of " : "",
                  static_cast<int64_t>(known), describeFactors(dim)));
}

/// One product may determine a letter that another product needs. So the
/// products are visited again until no new size is found.
Status SizeSolver::unifyProducts() {
  size_t numKnown = 0;
  do {
    numKnown = solved.sizes.size();
    WEIR_RETURN_IF_ERROR(
        forEachDim([&](size_t operand, size_t number, PlacedDim placed) {
          if (placed.dim->kind != Dim::Kind::Letters ||
              placed.dim->letters.size() < 2 ||
              shapes[operand][number] == unknownDim)
            return Status::ok();
          return unifyProduct(operand, number, *placed.dim);
        }));
  } while (solved.sizes.size() != numKnown);
  return Status::ok();
}

/// The number of window positions over a dim of `dimSize`.
StatusOr<int64_t> SizeSolver::windowSize(const PlacedDim &placed,
                                         int64_t dimSize,
                                         size_t operand) const {
  const auto &[dim, repeat] = placed;
  bool hasTap = dim->letters.size() > 1;
  int64_t tap = hasTap ? solved.sizeOf({dim->letters[1], repeat}) : 1;
  if (dimSize == unknownDim || tap == unknownDim)
    return unknownDim;
  WindowNumbers window = solved.window(*dim, repeat, attrs);
  if (window.stride < 1 || window.dilation < 1)
    return invalidArgument(fmt::format(
        "attribute '{}' expects values of at least 1 where the "
        "size of '{}' follows from them, found {}",
        window.stride < 1 ? dim->baseScale : dim->tapScale, dim->letters[0],
        window.stride < 1 ? window.stride : window.dilation));
  Wide extent = Wide{tap - 1} * window.dilation + 1;
  Wide padded =
      Wide{dimSize} + (dim->isPadding ? Wide{window.padBegin} + window.padEnd
                                      : -Wide{window.offset});
  if (!hasTap && padded == 0)
    return 0;
  if (!hasTap && dim->isPadding && padded < 0)
    return invalidArgument(fmt::format(
        "attribute '{}' leaves {} elements of dim {} of {}; expected 0 or more",
        dim->offset, static_cast<int64_t>(padded), repeat, describe(operand)));
  if (tap < 1)
    return invalidArgument(fmt::format(
        "{} gives the window {} elements in {} {}, expected 1 or more",
        describeOrigin({dim->letters[1], repeat}), tap, dimWord(), repeat));
  if (extent > padded)
    return invalidArgument(fmt::format(
        "a window of {} does not fit into {} {} of {}, which is {} with "
        "padding",
        static_cast<int64_t>(std::min<Wide>(extent, countLimit)), dimWord(),
        repeat, describe(operand), static_cast<int64_t>(padded)));
  Wide size = (padded - extent) / window.stride + 1;
  bool isRoundedUp = dim->isPadding && attrs.intOr("ceil_mode", 0) != 0;
  // In ONNX's ceil mode, the last window may be incomplete, but must begin
  // before the padding at the end.
  if (isRoundedUp && (padded - extent) % window.stride != 0 &&
      size * window.stride < Wide{dimSize} + window.padBegin)
    ++size;
  if (size > sizeLimit)
    return invalidArgument(fmt::format("padding enlarges {} {} of {} beyond {}",
                                       dimWord(), repeat, describe(operand),
                                       sizeLimit));
  return static_cast<int64_t>(size);
}

/// Computes the sizes that only windows determine. If a plain dim or an
/// attribute already determines the size, checks that the window stays inside
/// of its operand.
Status SizeSolver::unifyWindows() {
  std::set<LoopKey> derived;
  return forEachDim([&](size_t operand, size_t number, PlacedDim placed) {
    if (!isWindowed(*placed.dim))
      return Status::ok();
    LoopKey base{placed.dim->letters[0], placed.repeat};
    if (solved.sizes.count(base) && !derived.count(base))
      return Status::ok();
    derived.insert(base);
    auto size = windowSize(placed, shapes[operand][number], operand);
    return size ? unify(base, *size, operand) : std::move(size).status();
  });
}

Status SizeSolver::broadcast(LoopKey key, size_t operand, size_t number) {
  bool mayEnlarge = !spec.operandTerms()[operand].isBroadcastOnly;
  int64_t size = shapes[operand][number];
  int64_t &known = solved.sizes.try_emplace(key, 1).first->second;
  if (size == 1 || size == known)
    return Status::ok();
  if (size == unknownDim) {
    if (known == 1 && mayEnlarge)
      known = unknownDim;
    return Status::ok();
  }
  if (known == unknownDim || (known == 1 && mayEnlarge)) {
    known = size;
    return Status::ok();
  }
  return invalidArgument(fmt::format("dim {} of {} is {}, expected {}{}",
                                     number, describe(operand), size,
                                     known == 1 ? "" : "1 or ", known));
}

Status SizeSolver::unifyEllipsis(bool isBroadcastOnly) {
  return forEachDim([&](size_t operand, size_t number, PlacedDim placed) {
    if (placed.dim->kind != Dim::Kind::Ellipsis ||
        spec.operandTerms()[operand].isBroadcastOnly != isBroadcastOnly)
      return Status::ok();
    if (placed.repeat >= solved.ellipsisRank)
      return invalidArgument(fmt::format(
          "{} has {} leading dims, expected at most {}", describe(operand),
          placed.repeat + 1, solved.ellipsisRank));
    return broadcast({'.', placed.repeat}, operand, number);
  });
}

Status SizeSolver::checkPoints() const {
  std::vector<int64_t> all;
  for (const auto &[key, size] : solved.sizes)
    all.push_back(size);
  return checkCount(all, "the iteration space");
}

StatusOr<SpecSizes> SizeSolver::solve() {
  WEIR_RETURN_IF_ERROR(checkShapes());
  WEIR_RETURN_IF_ERROR(placeDims());
  WEIR_RETURN_IF_ERROR(checkAttributes());
  WEIR_RETURN_IF_ERROR(applyWheres());
  WEIR_RETURN_IF_ERROR(
      forEachDim([&](size_t operand, size_t number, PlacedDim placed) {
        const Dim &dim = *placed.dim;
        if (dim.letters.size() != 1 || isWindowed(dim) ||
            solved.isSpecial(dim, placed.repeat, attrs))
          return Status::ok();
        return unify({dim.letters[0], placed.repeat}, shapes[operand][number],
                     operand);
      }));
  WEIR_RETURN_IF_ERROR(unifyProducts());
  WEIR_RETURN_IF_ERROR(unifyWindows());
  WEIR_RETURN_IF_ERROR(unifyEllipsis(/*isBroadcastOnly=*/false));
  WEIR_RETURN_IF_ERROR(unifyEllipsis(/*isBroadcastOnly=*/true));
  WEIR_RETURN_IF_ERROR(checkPoints());
  return std::move(solved);
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

std::string indexspec::toString(LoopKey key) {
  std::string name(1, key.first);
  return key.second < 0 ? name : name + std::to_string(key.second);
}

bool SpecSizes::isSpecial(const Dim &dim, int repeat,
                          const AttrMap &attrs) const {
  if (!namesAxis(dim))
    return false;
  int64_t axis = attrs.intOr(dim.offset, 0);
  return repeat == (axis < 0 ? axis + repeats : axis);
}

bool indexspec::namesAxis(const Dim &dim) {
  return dim.kind == Dim::Kind::Indirect || dim.kind == Dim::Kind::Replaced ||
         dim.kind == Dim::Kind::Running;
}

bool indexspec::isWindowed(const Dim &dim) {
  return dim.kind == Dim::Kind::Window &&
         (dim.letters.size() > 1 || !dim.offset.empty() ||
          !dim.baseScale.empty());
}

std::string indexspec::describeOperand(Shapes shapes, size_t operand) {
  return fmt::format("operand {} ({})", operand,
                     shapeToString(shapes[operand]));
}

StatusOr<SpecSizes> indexspec::solveSizes(const IndexSpec &spec, Shapes shapes,
                                          const AttrMap &attrs) {
  return SizeSolver(spec, shapes, attrs).solve();
}
