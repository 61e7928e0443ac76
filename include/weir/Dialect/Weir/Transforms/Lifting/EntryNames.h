//===- EntryNames.h - Names of things in the entries of a module ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_LIFTING_ENTRYNAMES_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_LIFTING_ENTRYNAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>

namespace weir {

/// What a flag names: a thing of some entries, by a name or pattern. In a flag,
/// a bare NAME means that of every entry which has it, and ENTRY/NAME that of
/// one entry. Names may have a '/' themselves. So a text that is a name as a
/// whole is never divided.
struct NamedInEntries {
  /// The entries that have it; empty if none has.
  llvm::SmallVector<mlir::func::FuncOp> entries;
  /// The name without the entry.
  llvm::StringRef name;
  /// Whether the text has the entry's name in front.
  bool isQualified = false;
};

/// Finds what `text` names. `has` tells whether an entry has something of this
/// name.
NamedInEntries findInEntries(
    llvm::ArrayRef<mlir::func::FuncOp> entries, llvm::StringRef text,
    llvm::function_ref<bool(mlir::func::FuncOp, llvm::StringRef)> has);

/// The input of `entry` called `name`, or null.
mlir::BlockArgument findInput(mlir::func::FuncOp entry, llvm::StringRef name);

/// The name of output `number` of `entry`, as callers see it.
llvm::StringRef getOutputName(mlir::func::FuncOp entry, unsigned number);

/// The output or the op of `entry` called `name`; null if there is none.
mlir::Value findOutputOrOp(mlir::func::FuncOp entry, llvm::StringRef name);

/// The positions of the inputs of entries, by name.
class InputNumbers {
public:
  explicit InputNumbers(llvm::ArrayRef<mlir::func::FuncOp> entries);

  /// The position of the input of `entry` called `name`, if there is one.
  std::optional<unsigned> find(mlir::func::FuncOp entry,
                               llvm::StringRef name) const;

private:
  llvm::DenseMap<mlir::func::FuncOp, llvm::StringMap<unsigned>> numbersOf;
};

/// Adds names of `entry`.
using ListNamesFn = llvm::function_ref<void(
    mlir::func::FuncOp entry, llvm::SmallVectorImpl<std::string> &names)>;

/// What an error offers in place of `name`, as `offerNames` says it: the names
/// that `list` gives for each entry. If there are several entries, their names
/// stand in front. Only the first plan of an entry counts.
std::string offerInEntries(llvm::ArrayRef<mlir::func::FuncOp> entries,
                           llvm::StringRef name, llvm::StringRef kind,
                           ListNamesFn list);
std::string offerInputs(llvm::ArrayRef<mlir::func::FuncOp> entries,
                        llvm::StringRef name);
std::string offerOutputs(llvm::ArrayRef<mlir::func::FuncOp> entries,
                         llvm::StringRef name);
/// The inputs and outputs that callers bind, after parameters were lifted.
std::string offerPorts(llvm::ArrayRef<mlir::func::FuncOp> entries,
                       llvm::StringRef name);

/// The name of `entry` in reports: that by which callers run it, followed by
/// its shapes if it is one of several plans.
llvm::StringRef getReportName(mlir::Operation *entry);

/// Begins an error about a flag, which concerns no place of the text. The
/// message begins with `flag` if that is given.
mlir::InFlightDiagnostic
emitFlagError(llvm::ArrayRef<mlir::func::FuncOp> entries,
              llvm::StringRef flag = {});

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_LIFTING_ENTRYNAMES_H
