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

/// The things that a name or pattern in a flag refers to. A bare NAME refers to
/// every entry that has something of this name, and ENTRY/NAME to one entry.
/// Names may contain a '/' themselves. So a text that is a name as a whole is
/// never divided.
struct NamedInEntries {
  /// The entries that have the name; empty if none has it.
  llvm::SmallVector<mlir::func::FuncOp> entries;
  /// The name without the entry.
  llvm::StringRef name;
  /// Whether the text begins with the name of an entry.
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

/// The suggestion of an error in place of `name`, as `offerNames` words it.
/// `list` gives the possible names for each entry. If there are several
/// entries, names get the prefix of their entry. Only the first plan of an
/// entry counts.
std::string offerInEntries(llvm::ArrayRef<mlir::func::FuncOp> entries,
                           llvm::StringRef name, llvm::StringRef kind,
                           ListNamesFn list);
std::string offerInputs(llvm::ArrayRef<mlir::func::FuncOp> entries,
                        llvm::StringRef name);
std::string offerOutputs(llvm::ArrayRef<mlir::func::FuncOp> entries,
                         llvm::StringRef name);
/// The suggestion of inputs and outputs that callers bind, after parameters
/// were lifted.
std::string offerPorts(llvm::ArrayRef<mlir::func::FuncOp> entries,
                       llvm::StringRef name);

/// The name of `entry` in reports. It is the name by which callers run the
/// entry, followed by the shapes of the entry if it is one of several plans.
llvm::StringRef getReportName(mlir::Operation *entry);

/// Begins an error about a flag. It has no location in the text. The message
/// begins with `flag` if that is given.
mlir::InFlightDiagnostic
emitFlagError(llvm::ArrayRef<mlir::func::FuncOp> entries,
              llvm::StringRef flag = {});

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_LIFTING_ENTRYNAMES_H
