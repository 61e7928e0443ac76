//===- KernelChoice.h - Which kernel runs an op on a device -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Placement asks whether a device can run an op, and lowering asks which kernel
// runs it. Both get the answer here.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_KERNELCHOICE_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_KERNELCHOICE_H

#include "weir/Dialect/Weir/IR/KernelNames.h"
#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Support/Topology.h"

namespace weir {

class LaunchOp;
struct KernelSpec;

/// The name by which a topology file excludes the Winograd algorithm of the
/// kernel `conv`. Convolutions are then computed directly.
inline constexpr llvm::StringLiteral winogradKernel = "winograd";

/// All kernel names that a topology file may use, in order. They are the names
/// in the records of ops, and the names of the kernels of the device kinds in
/// the file.
std::vector<std::string> listKernelNames(mlir::MLIRContext *context,
                                         const Topology &topology);

/// Whether `device` has library kernels of its own for `type`, so that it
/// computes fast in this type.
bool computesIn(const DeviceDesc &device, llvm::StringRef type);

/// The name that a row for the ops of attention has in place of an op's name.
/// These ops are a product of queries and keys, a factor, a mask, a softmax and
/// a product with values. The types of such a row are the types of the queries.
inline constexpr llvm::StringLiteral attentionPattern = "attention";

struct KernelChoice {
  enum class Kind {
    /// No kernel: the result has the operand's bytes under another type.
    View,
    /// No kernel: the operands are computed directly in their places in the
    /// result.
    Join,
    /// The library kernel `row`.
    Library,
    /// Code generated from the op's linalg body, together with its neighbours.
    Generated,
    /// A composite without a kernel: kernels are chosen for the ops of its
    /// body.
    Expand,
    /// The slow reference kernel.
    Reference,
    /// The op cannot run on the device; `reason` says why.
    None,
  };
  Kind kind = Kind::None;
  const KernelRow *row = nullptr;
  std::string reason;
};

/// The kernel that runs `op` on `device`.
KernelChoice chooseKernel(WeirOpInterface op, const DeviceDesc &device,
                          bool allowReference);

/// The description from which the kernel `kernel` of a launch is prepared.
/// `postOps` are PostOpAttr.
KernelSpec makeSpec(llvm::StringRef kernel, mlir::DictionaryAttr config,
                    mlir::ArrayAttr postOps, mlir::TypeRange operands,
                    mlir::TypeRange results);

/// Why the kernel of `launch` would refuse the launch at load on devices of
/// `kind`. Empty if the kernel would accept it.
std::string whyKernelRefuses(LaunchOp launch, DeviceKind kind);

/// The kernel of `device` for attention whose last product is `product`, or
/// null.
const KernelRow *findAttentionRow(WeirOpInterface product,
                                  const DeviceDesc &device);

/// Whether `op` combines elements at many more points than it has elements, as
/// convolutions and matrix products do. Libraries are best at these.
bool isContraction(WeirOpInterface op);

/// Whether generated code for `op` and its neighbours is preferred to a library
/// kernel for the op alone. `op` must not be a view. This holds for all ops
/// except large contractions, windows, and ops that passes insert. It does not
/// depend on devices.
bool joinsClusters(WeirOpInterface op);

/// Whether `op` is a reduction or has one in its body.
bool combinesElements(WeirOpInterface op);
/// Whether `op`, or an op in its body, moves elements to other positions, like
/// a transpose, a slice or a reshape.
bool placesElementsAnew(WeirOpInterface op);

/// For each operand of `op`, the number of rows into which the operand and the
/// results can be divided. A row consists of consecutive elements, and each row
/// of the results depends only on the same row of the operand.
llvm::SmallVector<int64_t> countSharedRows(WeirOpInterface op);

/// Whether the result has the unchanged bytes of operand 0.
bool isView(WeirOpInterface op);

/// A pointwise op that a kernel can apply to its result (a post-op).
struct Epilogue {
  /// The row in the op's record that names the post-op.
  const KernelRow *row;
  /// The number of the operand that is the kernel's result.
  unsigned running;
  /// The number of the other operand, or -1.
  int other;
};

/// `op` as an epilogue of a kernel whose result is `running`. This does not
/// depend on devices: a post-op has the name that the op's record gives it.
/// `whyKernelRefuses` says whether a kernel computes it.
std::optional<Epilogue> asEpilogue(WeirOpInterface op, mlir::Value running);

/// Whether `op` casts the result of `anchor`, or of an epilogue after it, to a
/// type that the kernel of `anchor` can write directly. The kernel can write
/// f32, in which it computes, and the type that it reads.
bool isCastEpilogue(WeirOpInterface op, WeirOpInterface anchor);

/// Whether the kernel of some row in the record of `op` supports epilogues.
bool acceptsEpilogues(WeirOpInterface op);

/// The attributes from which the kernel of `row` is prepared: the op's
/// attributes without placement, and the row's parameters.
mlir::DictionaryAttr makeConfig(WeirOpInterface op, const KernelRow &row);

/// The attributes from which the reference kernel of `op` is prepared: the op's
/// attributes without placement, and its record.
mlir::DictionaryAttr makeReferenceConfig(WeirOpInterface op);

/// The value of parameter `name` of `row` for `op`, or `fallback`.
double getParameter(WeirOpInterface op, const KernelRow &row,
                    llvm::StringRef name, double fallback);
/// The text of parameter `name` of `row`, or "".
llvm::StringRef getParameterText(const KernelRow &row, llvm::StringRef name);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_KERNELCHOICE_H
