//===- Initializers.cpp - What parameters start with ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// This file is compiled without fused multiply-adds, so that its results are
// the same on every machine.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/Initializers.h"

#include "NumberReader.h"

#include "weir/Support/FillBytes.h"
#include "weir/Support/NearNames.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace weir;

namespace {
/// The fan-in and fan-out of a weight: how many inputs an output sums, and to
/// how many outputs an input contributes.
struct Fans {
  double in = 0, out = 0;
};

struct Kind {
  StringLiteral name;
  Initializer (*make)(NumberReader &numbers, const Fans &fans);
  /// Whether the initialiser needs fans. Tensors of less than two dims have
  /// none.
  bool needsFans = false;
};
} // namespace

/// Finds the fans of a weight. Its first dim counts outputs and its second dim
/// inputs. In a convolution, the dims of the window follow.
static Fans findFans(RankedTensorType type, bool isTransposed) {
  double window = 1;
  for (int64_t dim : type.getShape().drop_front(2))
    window *= static_cast<double>(dim);
  const double in = static_cast<double>(type.getDimSize(1)) * window;
  const double out = static_cast<double>(type.getDimSize(0)) * window;
  return isTransposed ? Fans{out, in} : Fans{in, out};
}

static uint64_t readSeed(NumberReader &numbers) {
  return static_cast<uint64_t>(numbers.number("seed", 0, aNumberOfSteps));
}

static Initializer makeConstant(NumberReader &numbers, const Fans &) {
  const double value = numbers.number("value", std::nullopt, anyNumber);
  return UniformFill{0, value, value};
}

static Initializer makeUniform(NumberReader &numbers, const Fans &) {
  return UniformFill{readSeed(numbers), numbers.number("low", 0, anyNumber),
                     numbers.number("high", 1, anyNumber)};
}

static Initializer makeNormal(NumberReader &numbers, const Fans &) {
  return NormalFill{readSeed(numbers), numbers.number("mean", 0, anyNumber),
                    numbers.number("scale", 1, fromZero)};
}

/// Uniform numbers with the variance `variance`.
static Initializer makeUniformOf(NumberReader &numbers, double variance) {
  const double bound =
      numbers.number("gain", 1, aboveZero) * std::sqrt(3 * variance);
  return UniformFill{readSeed(numbers), -bound, bound};
}

static Initializer makeNormalOf(NumberReader &numbers, double variance) {
  const double gain = numbers.number("gain", 1, aboveZero);
  return NormalFill{readSeed(numbers), 0, gain * std::sqrt(variance)};
}

static Initializer makeGlorotUniform(NumberReader &numbers, const Fans &fans) {
  return makeUniformOf(numbers, 2 / (fans.in + fans.out));
}

static Initializer makeGlorotNormal(NumberReader &numbers, const Fans &fans) {
  return makeNormalOf(numbers, 2 / (fans.in + fans.out));
}

static Initializer makeHeUniform(NumberReader &numbers, const Fans &fans) {
  return makeUniformOf(numbers, 2 / fans.in);
}

static Initializer makeHeNormal(NumberReader &numbers, const Fans &fans) {
  return makeNormalOf(numbers, 2 / fans.in);
}

static Initializer makeOrthogonalOf(NumberReader &numbers, const Fans &) {
  return OrthogonalFill{readSeed(numbers),
                        numbers.number("gain", 1, aboveZero)};
}

static constexpr Kind kinds[] = {
    {"constant", makeConstant},
    {"glorot_normal", makeGlorotNormal, true},
    {"glorot_uniform", makeGlorotUniform, true},
    {"he_normal", makeHeNormal, true},
    {"he_uniform", makeHeUniform, true},
    {"normal", makeNormal},
    {"orthogonal", makeOrthogonalOf},
    {"uniform", makeUniform},
};

/// Replaces the first name of an author in `name` by the last name, by which
/// Weir names the initialiser. Frameworks use either name: 'xavier' is
/// 'glorot', and 'kaiming' is 'he'.
static std::string nameAfterAuthor(StringRef name) {
  std::string text = name.lower();
  for (const auto &[other, known] :
       {std::pair<StringRef, StringRef>{"xavier", "glorot"}, {"kaiming", "he"}})
    if (const size_t at = text.find(other); at != std::string::npos)
      text.replace(at, other.size(), known);
  return text;
}

static StatusOr<const Kind *> findKind(DictionaryAttr options) {
  auto name = options.getAs<StringAttr>("name");
  const auto *kind = llvm::find_if(kinds, [&](const Kind &each) {
    return name && name.getValue() == each.name;
  });
  if (kind != std::end(kinds))
    return kind;
  std::vector<std::string> names;
  for (const Kind &each : kinds)
    names.push_back(each.name.str());
  if (!name)
    return invalidArgument("'initial' expects a name, as in {name = "
                           "\"he_normal\"}; " +
                           offerNames("", names));
  return invalidArgument(
      fmt::format("there is no initialiser '{}'; {}", name.str(),
                  offerNames(nameAfterAuthor(name.str()), names)));
}

StatusOr<Initializer> weir::readInitializer(DictionaryAttr options,
                                            RankedTensorType type) {
  WEIR_ASSIGN_OR_RETURN(const Kind *kind, findKind(options));
  const std::string what =
      fmt::format("initialiser '{}'", std::string_view(kind->name));
  if (!isa<FloatType>(type.getElementType()))
    return invalidArgument(what + " expects a parameter of floats");
  const bool isOrthogonal = kind->make == makeOrthogonalOf;
  if ((kind->needsFans || isOrthogonal) && type.getRank() < 2)
    return invalidArgument(fmt::format(
        "{} expects a parameter of at least two dims, found {}; use 'uniform' "
        "or 'normal'",
        what, type.getRank()));
  NumberReader numbers(options, what);
  numbers.take("name");
  Fans fans;
  if (kind->needsFans)
    fans = findFans(type, numbers.truth("transposed", false));
  Initializer made = kind->make(numbers, fans);
  WEIR_RETURN_IF_ERROR(numbers.finish());
  // Without elements, nothing is drawn.
  if (kind->needsFans && type.getNumElements() == 0)
    return Initializer(UniformFill{0, 0, 0});
  return made;
}

//===----------------------------------------------------------------------===//
// Orthogonal matrices
//===----------------------------------------------------------------------===//

static double multiply(ArrayRef<double> left, ArrayRef<double> right) {
  double sum = 0;
  for (size_t i = 0; i < left.size(); ++i)
    sum += left[i] * right[i];
  return sum;
}

std::vector<double> weir::makeOrthogonal(const OrthogonalFill &fill,
                                         ArrayRef<int64_t> dims) {
  size_t rows = static_cast<size_t>(dims.front()), columns = 1;
  for (int64_t dim : dims.drop_front())
    columns *= static_cast<size_t>(dim);
  const size_t count = std::min(rows, columns),
               length = std::max(rows, columns);
  // The orthonormal vectors, one after the other.
  std::vector<double> vectors(count * length);
  fillBytes(NormalFill{fill.seed, 0, 1}, DType::F64, 0,
            std::as_writable_bytes(std::span(vectors)));
  auto vector = [&](size_t number) {
    return MutableArrayRef(vectors).slice(number * length, length);
  };
  for (size_t i = 0; i < count; ++i) {
    MutableArrayRef<double> own = vector(i);
    // A second pass removes what rounding has left of the other vectors.
    for (int pass = 0; pass < 2; ++pass)
      for (size_t j = 0; j < i; ++j) {
        const double along = multiply(own, vector(j));
        for (size_t k = 0; k < length; ++k)
          own[k] -= along * vector(j)[k];
      }
    const double norm = std::sqrt(multiply(own, own));
    for (double &element : own)
      element /= norm;
  }
  std::vector<double> elements(vectors.size());
  const bool areRows = rows <= columns;
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < length; ++k)
      elements[areRows ? i * length + k : k * count + i] =
          vector(i)[k] * fill.gain;
  return elements;
}
