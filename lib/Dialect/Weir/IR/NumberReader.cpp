//===- NumberReader.cpp - Reads numbers that have names ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "NumberReader.h"

#include "weir/Support/NearNames.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace weir;

/// The largest number in f32, in which training computes.
static constexpr double most = std::numeric_limits<float>::max();

bool NumberRange::contains(double number) const {
  return std::abs(number) <= most && number < end &&
         (hasLeast ? number >= least : number > least) &&
         (!isInteger || number == std::floor(number));
}

std::string NumberRange::describe() const {
  std::string text = isInteger ? "an integer" : "a number";
  if (std::isfinite(least))
    text += fmt::format(" {} {}", hasLeast ? "from" : "above", least);
  if (isInteger)
    return text + " on";
  if (std::isfinite(end))
    return text + fmt::format(" to below {}", end);
  return std::isfinite(least) && hasLeast ? text + " on" : text;
}

Status weir::checkNumber(llvm::StringRef name, double number,
                         const NumberRange &range) {
  if (range.contains(number))
    return Status::ok();
  if (std::isfinite(number) && std::abs(number) > most)
    return invalidArgument(
        fmt::format("'{}' expects a number that f32 can hold, found {}",
                    std::string_view(name), number));
  return invalidArgument(fmt::format("'{}' expects {}, found {}",
                                     std::string_view(name), range.describe(),
                                     number));
}

void NumberReader::fail(std::string message) {
  if (status.isOk())
    status = invalidArgument(what.empty() ? std::move(message)
                                          : what + ": " + message);
}

Attribute NumberReader::find(llvm::StringRef name) {
  known.push_back(name.str());
  return values.get(name);
}

static std::string spell(Attribute value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// The value of a float or an integer.
static std::optional<double> toNumber(Attribute value) {
  if (auto number = dyn_cast_or_null<FloatAttr>(value))
    return number.getValueAsDouble();
  auto integer = dyn_cast_or_null<IntegerAttr>(value);
  if (!integer || isa<BoolAttr>(value))
    return std::nullopt;
  return static_cast<double>(integer.getValue().getSExtValue());
}

double NumberReader::number(llvm::StringRef name,
                            std::optional<double> fallback,
                            const NumberRange &range) {
  Attribute given = find(name);
  if (!given && fallback)
    return *fallback;
  const double safe = fallback.value_or(1);
  if (!given) {
    missing.push_back(name.str());
    fail(fmt::format("'{}' is missing; give {}", std::string_view(name),
                     range.describe()));
    return safe;
  }
  std::optional<double> number = toNumber(given);
  if (!number) {
    fail(fmt::format("'{}' expects {}, found {}", std::string_view(name),
                     range.describe(), spell(given)));
    return safe;
  }
  if (Status valid = checkNumber(name, *number, range); !valid.isOk()) {
    fail(std::string(valid.message()));
    return safe;
  }
  return *number;
}

bool NumberReader::truth(llvm::StringRef name, bool fallback) {
  Attribute given = find(name);
  if (!given)
    return fallback;
  if (auto value = dyn_cast<BoolAttr>(given))
    return value.getValue();
  fail(fmt::format("'{}' expects true or false, found {}",
                   std::string_view(name), spell(given)));
  return fallback;
}

std::vector<int64_t> NumberReader::increasing(llvm::StringRef name) {
  auto list = dyn_cast_or_null<ArrayAttr>(find(name));
  std::vector<int64_t> numbers;
  bool isValid = list && !list.empty();
  for (Attribute each : list ? list.getValue() : ArrayRef<Attribute>()) {
    std::optional<double> number = toNumber(each);
    isValid =
        isValid && number && aCount.contains(*number) &&
        (numbers.empty() || *number > static_cast<double>(numbers.back()));
    if (isValid)
      numbers.push_back(static_cast<int64_t>(*number));
  }
  if (!isValid)
    fail(fmt::format("'{}' expects a list of integers from 1 on that increase, "
                     "found {}",
                     std::string_view(name),
                     has(name) ? spell(values.get(name)) : "none"));
  return numbers;
}

std::vector<std::string> NumberReader::texts(llvm::StringRef name) {
  auto list = dyn_cast_or_null<ArrayAttr>(find(name));
  std::vector<std::string> texts;
  for (Attribute each : list ? list.getValue() : ArrayRef<Attribute>())
    if (auto text = dyn_cast<StringAttr>(each))
      texts.push_back(text.str());
  if (!list || list.empty() || texts.size() != list.size())
    fail(fmt::format("'{}' expects a list of texts, found {}{}",
                     std::string_view(name),
                     has(name) ? spell(values.get(name)) : "none",
                     isa_and_nonnull<StringAttr>(values.get(name))
                         ? fmt::format("; write [{}]", spell(values.get(name)))
                         : ""));
  return texts;
}

/// The suggestion for a list `name` whose numbers have separate names, as in
/// 'beta1' and 'beta2' for 'betas'; empty if there are none.
static std::string offerNumbered(StringRef name, ArrayRef<std::string> known) {
  std::string offered;
  for (const std::string &each : known)
    if (StringRef(each).drop_back() == name.drop_back() &&
        llvm::isDigit(each.back()))
      offered += (offered.empty() ? "" : ", ") + ("'" + each + "'");
  return offered;
}

DictionaryAttr NumberReader::complete(DictionaryAttr defaults) {
  NamedAttrList all(defaults);
  Builder builder(defaults.getContext());
  for (NamedAttribute named : defaults) {
    StringRef name = named.getName();
    if (auto truth = dyn_cast<BoolAttr>(named.getValue()))
      all.set(name, builder.getBoolAttr(this->truth(name, truth.getValue())));
    else if (auto number = dyn_cast<FloatAttr>(named.getValue()))
      all.set(name, builder.getF64FloatAttr(this->number(
                        name, number.getValueAsDouble(), anyNumber)));
  }
  return all.getDictionary(defaults.getContext());
}

Status NumberReader::finish() {
  for (NamedAttribute named : values) {
    const std::string name = named.getName().str();
    if (llvm::is_contained(known, name) || llvm::is_contained(taken, name))
      continue;
    const std::string numbered =
        isa<ArrayAttr>(named.getValue()) ? offerNumbered(name, known) : "";
    // The unknown name may be a misspelling of the missing one.
    status = Status::ok();
    fail(fmt::format("has no '{}'; {}{}", name,
                     numbered.empty() ? offerNames(name, known)
                                      : "give its numbers as " + numbered,
                     missing.empty()
                         ? ""
                         : fmt::format("; '{}' is missing", missing.front())));
    break;
  }
  return status;
}
