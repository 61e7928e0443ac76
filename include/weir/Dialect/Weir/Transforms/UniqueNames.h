//===- UniqueNames.h - Names of which each is there once --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_UNIQUENAMES_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_UNIQUENAMES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace weir {

/// Makes names unique by numbers. Each base continues from its last number, so
/// that many equal names take no more time than others.
class UniqueNames {
public:
  /// Takes `name`. Returns whether it was free.
  bool take(llvm::StringRef name) { return taken.insert(name).second; }

  /// `base`, or the first of base_1, base_2, ... that is free.
  std::string add(llvm::StringRef base) {
    std::string name = base.str();
    if (take(name))
      return name;
    unsigned &number = numbers[base];
    do
      name = (base + "_" + llvm::Twine(++number)).str();
    while (!take(name));
    return name;
  }

private:
  llvm::StringSet<> taken;
  llvm::StringMap<unsigned> numbers;
};

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_UNIQUENAMES_H
