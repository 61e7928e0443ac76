//===- NumberReader.h - Reads numbers that have names -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_IR_NUMBERREADER_H
#define WEIR_LIB_DIALECT_WEIR_IR_NUMBERREADER_H

#include "mlir/IR/BuiltinAttributes.h"

#include "weir/Support/Status.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace weir {

/// The range of a number. Infinities and NaN are never allowed.
struct NumberRange {
  double least = -std::numeric_limits<double>::infinity();
  /// Whether `least` itself is allowed.
  bool hasLeast = true;
  /// The exclusive upper bound.
  double end = std::numeric_limits<double>::infinity();
  bool isInteger = false;

  bool contains(double number) const;
  /// The range as text: "a number from 0 to below 1".
  std::string describe() const;
};

inline constexpr NumberRange anyNumber;
inline constexpr NumberRange aboveZero = {.least = 0, .hasLeast = false};
inline constexpr NumberRange fromZero = {.least = 0};
inline constexpr NumberRange fraction = {.least = 0, .end = 1};
inline constexpr NumberRange aCount = {
    .least = 1, .end = 0x1p53, .isInteger = true};
inline constexpr NumberRange aNumberOfSteps = {
    .least = 0, .end = 0x1p53, .isInteger = true};

/// Ok if `number`, called `name`, is in `range`.
Status checkNumber(llvm::StringRef name, double number,
                   const NumberRange &range);

/// Reads the numbers of a dictionary by name. The reader keeps one error: about
/// an unknown name, or else about the first number that is missing or out of
/// range.
class NumberReader {
public:
  /// `what` names the owner of the numbers in errors, for example "optimiser
  /// 'adam'". It may be empty.
  NumberReader(mlir::DictionaryAttr values, std::string what)
      : values(values), what(std::move(what)) {}

  bool has(llvm::StringRef name) const { return values.contains(name); }
  double number(llvm::StringRef name, std::optional<double> fallback,
                const NumberRange &range);
  bool truth(llvm::StringRef name, bool fallback);
  /// Reads integers from 1 on, in strictly increasing order.
  std::vector<int64_t> increasing(llvm::StringRef name);
  /// A list of texts.
  std::vector<std::string> texts(llvm::StringRef name);

  /// The numbers that `defaults` lists, with the default of each number that is
  /// not given.
  mlir::DictionaryAttr complete(mlir::DictionaryAttr defaults);
  /// Notes that `name` is a known name. Its value is no number and is read
  /// elsewhere.
  void take(llvm::StringRef name) { taken.push_back(name.str()); }

  /// Returns the error that was kept, or an error if a name was not read.
  Status finish();

private:
  void fail(std::string message);
  mlir::Attribute find(llvm::StringRef name);

  mlir::DictionaryAttr values;
  std::string what;
  std::vector<std::string> known, taken, missing;
  Status status = Status::ok();
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_IR_NUMBERREADER_H
