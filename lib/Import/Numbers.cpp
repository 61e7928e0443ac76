//===- Numbers.cpp - Checks the numbers of textual IR -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include "Nesting.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace weir;

/// The elements attribute of `op`, if there is one.
static ElementsAttr findElements(Operation *op) {
  for (NamedAttribute named : op->getAttrs())
    if (auto elements = dyn_cast<ElementsAttr>(named.getValue()))
      return elements;
  return {};
}

/// The word or number at the beginning of `text`. A number includes its
/// exponent with the sign: `1e-3`.
static StringRef takeWordOrNumber(StringRef text) {
  const bool isNumber = llvm::isDigit(text.front());
  char last = 0;
  return text.take_while([&](char c) {
    const bool isSign = isNumber && last == 'e' && StringRef("+-").contains(c);
    last = llvm::toLower(c);
    return isSign || llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  });
}

/// Whether `word` is a float that is too large for `semantics`.
static bool isTooLarge(StringRef word, const llvm::fltSemantics &semantics) {
  const size_t point = word.find('.');
  if (!llvm::isDigit(word.front()) || point == StringRef::npos)
    return false;
  // The largest f16 has five digits before the point, so shorter numbers fit
  // every type.
  constexpr size_t fewDigits = 5;
  if (point < fewDigits && word.find_first_of("eE") == StringRef::npos)
    return false;
  APFloat value(semantics);
  auto status =
      value.convertFromString(word, llvm::RoundingMode::NearestTiesToEven);
  if (status)
    return value.isInfinity();
  llvm::consumeError(status.takeError());
  return false;
}

/// The error about a number that is too large. The error shows how an infinity
/// is written: as its bits, followed by `suffix`.
static std::string describeTooLarge(StringRef word, FloatType type,
                                    bool isNegative, StringRef suffix) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  llvm::SmallString<32> largest;
  constexpr unsigned numDigits = 6;
  APFloat::getLargest(semantics).toString(largest, numDigits);
  const APFloat infinity = APFloat::getInf(semantics, isNegative);
  const uint64_t bits = infinity.bitcastToAPInt().getZExtValue();
  return llvm::formatv("expected a number of at most {0}, the largest {1}, "
                       "found '{2}'; an infinity is written as its bits, "
                       "0x{3}{4}",
                       largest.str(), Type(type), word, llvm::utohexstr(bits),
                       suffix)
      .str();
}

std::optional<WrongNumber> weir::findTooLarge(Operation *op, StringRef text) {
  // A float attribute has type f64. Elements have the type of their tensor.
  FloatType type = Float64Type::get(op->getContext());
  StringRef suffix = " : f64";
  if (ElementsAttr elements = findElements(op)) {
    type = dyn_cast<FloatType>(elements.getElementType());
    suffix = "";
  }
  if (!type || !toDType(type))
    return std::nullopt;
  for (size_t at = 0; at < text.size(); ++at) {
    if (const size_t end = skipStringOrComment(text, at); end != at) {
      at = end;
    } else if (llvm::isAlnum(text[at]) || text[at] == '_') {
      StringRef word = takeWordOrNumber(text.substr(at));
      if (isTooLarge(word, type.getFloatSemantics())) {
        const bool isNegative = text.take_front(at).rtrim().ends_with("-");
        return WrongNumber{word.data(),
                           describeTooLarge(word, type, isNegative, suffix)};
      }
      at += word.size() - 1;
    }
  }
  return std::nullopt;
}
