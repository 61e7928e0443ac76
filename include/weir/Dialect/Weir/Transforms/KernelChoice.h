//===- KernelChoice.h - Which kernel runs an op on a device -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Placement asks whether a device can run an op, lowering which kernel does it:
// one answer for both.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_KERNELCHOICE_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_KERNELCHOICE_H

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Support/Topology.h"

namespace weir {

class LaunchOp;

/// The kernel name of the reference evaluator.
inline constexpr llvm::StringLiteral referenceKernel = "reference";
/// The kernel name of code that is generated for the cluster it stands for.
inline constexpr llvm::StringLiteral generatedKernel = "generated";

/// The name under which a topology file takes one algorithm away from the
/// kernel `conv`, which then computes directly.
inline constexpr llvm::StringLiteral winogradKernel = "winograd";

/// All names that mean something in a topology file, in order.
std::vector<std::string> listKernelNames(mlir::MLIRContext *context);

struct KernelChoice {
  enum class Kind {
    /// No kernel: the result is the operand's bytes under another type.
    View,
    /// The library kernel `row`.
    Library,
    /// Code generated from the op's linalg body, for it and its neighbours.
    Generated,
    /// A composite without a kernel: its body's ops are chosen in turn.
    Expand,
    /// The slow reference kernel.
    Reference,
    /// Nothing runs the op there; `reason` says why.
    None,
  };
  Kind kind = Kind::None;
  const KernelRow *row = nullptr;
  std::string reason;
};

/// The device kind whose kernels `device` runs: a null device takes the place
/// of a CPU.
llvm::StringRef getKernelKind(const DeviceDesc &device);

/// The kernel that runs `op` on `device`.
KernelChoice chooseKernel(WeirOpInterface op, const DeviceDesc &device,
                          bool allowReference);

/// Why the kernel of `launch` would refuse it when it is loaded; empty if it
/// would not. Kernels are those of CPU devices.
std::string whyKernelRefuses(LaunchOp launch);

/// Whether `op` combines elements at many more points than it has elements, as
/// convolutions and matrix products do: what libraries are best at.
bool isContraction(WeirOpInterface op);

/// Whether code generated for `op`, which is no view, and its neighbours is
/// preferred to a library kernel for it alone: for all but contractions of some
/// size, windows, and what passes insert. Does not depend on devices.
bool joinsClusters(WeirOpInterface op);

/// Whether `op` is, or has in its body, a reduction.
bool combinesElements(WeirOpInterface op);
/// Whether `op` is, or has in its body, an op of which a result element is
/// found elsewhere in the operand: a transpose, a slice, a reshape.
bool placesElementsAnew(WeirOpInterface op);

/// How many parts operand `number` and the results of `op` have in common: each
/// part of the results, of equal leading indices, depends on the operand's
/// part of the same leading indices only.
int64_t getSharedRows(WeirOpInterface op, unsigned number);

/// Whether the op's result is operand 0's bytes unchanged.
bool isView(WeirOpInterface op);

/// A pointwise op that a kernel applies to its result as it goes.
struct Epilogue {
  const KernelRow *row;
  /// The operand of the op that is the running value.
  unsigned running;
  /// The operand that is read beside it, or -1.
  int other;
};

/// `op` as an epilogue of a kernel whose result is `running`, on any device
/// kind or, if given, on `kind`.
std::optional<Epilogue> asEpilogue(WeirOpInterface op, mlir::Value running,
                                   llvm::StringRef kind = {});

/// Whether `op` converts the result of `anchor`, or of an epilogue behind it,
/// to a type that the kernel of `anchor` can write instead: what it computes
/// with, f32, or what it reads.
bool isCastEpilogue(WeirOpInterface op, WeirOpInterface anchor);

/// Whether some kernel of `op` (of device kind `kind`, if given) takes
/// epilogues along.
bool acceptsEpilogues(WeirOpInterface op, llvm::StringRef kind = {});

/// What the kernel of `row` is prepared from: the op's attributes, without
/// placement, and the row's parameters.
mlir::DictionaryAttr makeConfig(WeirOpInterface op, const KernelRow &row);

/// What the reference kernel of `op` is prepared from: the op's attributes,
/// without placement, and its record.
mlir::DictionaryAttr makeReferenceConfig(WeirOpInterface op);

/// The value of parameter `name` of `row` for `op`, or `fallback`.
double getParameter(WeirOpInterface op, const KernelRow &row,
                    llvm::StringRef name, double fallback);
/// The text of parameter `name` of `row`, or "".
llvm::StringRef getParameterText(const KernelRow &row, llvm::StringRef name);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_KERNELCHOICE_H
