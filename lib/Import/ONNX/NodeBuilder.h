//===- NodeBuilder.h - Turns one ONNX node into weir ops --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The interface for handlers of op types. It gives checked access to the node's
// inputs and attributes, and has functions that build weir ops with the node's
// name. An op whose operands are all constants is evaluated immediately. So
// shapes that a model computes are known when a Reshape needs them.
//
// Only the first error is kept. Functions that are called after an error return
// missing tensors.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_NODEBUILDER_H
#define WEIR_LIB_IMPORT_ONNX_NODEBUILDER_H

#include "GraphTensor.h"
#include "Model.h"
#include "Weights.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>
#include <map>
#include <set>

namespace weir::onnx {

using Ints = llvm::SmallVector<int64_t>;
using Results = llvm::SmallVector<Tensor, 1>;
using Tensors = llvm::SmallVector<Tensor>;

/// Whether `value` is a list of tensors, which only exists during the import.
bool isSequence(mlir::Value value);

class NodeBuilder {
public:
  /// The node's attributes. References to attributes of an enclosing function
  /// are resolved.
  using Attributes = std::map<std::string_view, const Attribute *>;

  /// `weights` has the variables of the model. `numListed` counts the tensors
  /// in all lists that nodes of the model make.
  NodeBuilder(mlir::OpBuilder &builder, Weights &weights, size_t &numListed,
              const Node &node, llvm::StringRef name, int64_t opset,
              std::vector<mlir::Value> inputs, Attributes attributes);

  //===--- The node -------------------------------------------------------===//

  int64_t opset() const { return version; }
  size_t numInputs() const { return inputs.size(); }
  size_t numOutputs() const { return node.outputs.size(); }
  /// Whether input `i` is given.
  bool has(size_t i) const { return i < inputs.size() && inputs[i]; }
  /// Input `i`, which must be given.
  Tensor in(size_t i);
  /// Input `i`, or a missing tensor.
  Tensor optional(size_t i);
  /// Whether input `i` is given and a sequence.
  bool hasSequence(size_t i) const;
  /// The tensors of input `i`, which must be a sequence.
  Tensors sequence(size_t i);
  /// The text for input `i` in errors: "input 1 ('w')".
  std::string inputName(size_t i) const;
  /// The text for input `i` and its shape in errors. The input must be given.
  std::string describeInput(size_t i);
  /// All inputs. None may be left out.
  llvm::SmallVector<Tensor> allInputs();
  /// Whether the result `i` is used.
  bool wants(size_t i) const {
    return i < node.outputs.size() && !node.outputs[i].empty();
  }

  bool hasAttr(std::string_view name) const { return attributes.count(name); }
  int64_t intAttr(std::string_view name, int64_t otherwise);
  double floatAttr(std::string_view name, double otherwise);
  std::string_view textAttr(std::string_view name, std::string_view otherwise);
  /// The elements of a list attribute; empty if there is none.
  Ints intsAttr(std::string_view name);
  std::vector<float> floatsAttr(std::string_view name);
  std::vector<std::string_view> textsAttr(std::string_view name);
  /// The tensor in an attribute; a missing tensor if there is none.
  Tensor tensorAttr(std::string_view name);
  /// The tensor in an attribute. If no initialiser of the model is a weight,
  /// the tensor becomes a weight with the name of the node's first output.
  Tensor weightAttr(std::string_view name);
  /// Marks input `i` as read. Needed if the input was read without this
  /// builder.
  void ignoreInput(size_t i) { readInputs.insert(i); }
  /// Accepts an attribute that has no effect in inference.
  void ignoreAttr(std::string_view name) { ignoredAttrs.insert(name); }

  /// The elements of input `i`, which must be known at compile time.
  Ints knownInts(size_t i);
  std::vector<double> knownFloats(size_t i);
  /// The elements of `value` if they are known.
  std::optional<Ints> tryInts(Tensor value);

  /// Converts `axis` of a tensor of `rank` to an axis counted from the front.
  int64_t axis(int64_t axis, int64_t rank);
  /// Converts each of `axes`. An axis may occur only once.
  Ints axes(llvm::ArrayRef<int64_t> axes, int64_t rank,
            std::string_view name = "axes");

  //===--- Errors ---------------------------------------------------------===//

  template <typename... Args>
  void fail(fmt::format_string<Args...> format, Args &&...args) {
    failWith(invalidArgument(fmt::format(format, std::forward<Args>(args)...)));
  }
  void failWith(Status error) {
    if (failure.isOk())
      failure = std::move(error);
  }
  bool isOk() const { return failure.isOk(); }
  template <typename... Args>
  void warn(fmt::format_string<Args...> format, Args &&...args) {
    warnWith(fmt::format(format, std::forward<Args>(args)...));
  }
  /// Returns the first error. To be called after the handler. It is an error,
  /// too, if the handler has not read all attributes and inputs.
  Status finish(size_t numResults);

  //===--- Ops ------------------------------------------------------------===//

  template <typename OpTy>
  Tensor make(llvm::ArrayRef<Tensor> operands,
              llvm::ArrayRef<mlir::NamedAttribute> attrs = {}) {
    return makeOp(OpTy::getOperationName(), operands, attrs).front();
  }
  template <typename OpTy>
  llvm::SmallVector<Tensor>
  makeMany(llvm::ArrayRef<Tensor> operands,
           llvm::ArrayRef<mlir::NamedAttribute> attrs = {}) {
    return makeOp(OpTy::getOperationName(), operands, attrs);
  }

  mlir::NamedAttribute attr(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute attr(llvm::StringRef name, double value);
  mlir::NamedAttribute attr(llvm::StringRef name, bool value);
  mlir::NamedAttribute attr(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> values);

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Type f32() { return builder.getF32Type(); }
  mlir::Type i32() { return builder.getI32Type(); }
  mlir::Type i64() { return builder.getI64Type(); }
  mlir::Type i1() { return builder.getI1Type(); }
  /// The element type with the number `type` in ONNX.
  mlir::Type elementType(int64_t type);

  Tensor wrap(mlir::Value value) { return {value, this}; }
  /// A value that stands for the list of `parts`.
  Tensor makeSequence(llvm::ArrayRef<Tensor> parts);
  Tensor constant(const HostTensor &tensor);
  Tensor ints(llvm::ArrayRef<int64_t> values);
  /// The numbers 0, 1, ... along dim `axis`. The tensor has `rank` dims, and
  /// all others have size 1.
  Tensor iota(int64_t size, int64_t axis, int64_t rank);
  Tensor scalar(double value, mlir::Type type);
  /// The number of runs before this one, as a scalar.
  Tensor numRuns() { return wrap(weights.getNumRuns(builder)); }
  /// Whether a copy of the graph will be trained.
  bool isTrained() const { return weights.areTrained(); }
  /// A tensor of `shape` with every element `value`.
  Tensor full(llvm::ArrayRef<int64_t> shape, double value, mlir::Type type);

  Tensor cast(Tensor x, mlir::Type type);
  /// The type f32 if `x` is in f16 or bf16, and otherwise the type of `x`.
  mlir::Type wideType(Tensor x);
  /// Casts `x` to f32 if it is in f16 or bf16. Nodes of several steps need
  /// this, so that no step rounds or overflows in the small type.
  Tensor widened(Tensor x);
  /// The root of degree `p` of a sum of powers of that degree. Its derivative
  /// at 0 is 0 and not infinite, so that the gradient of a norm at 0 is 0.
  Tensor normRoot(Tensor sum, double p = 2);
  Tensor reshape(Tensor x, llvm::ArrayRef<int64_t> shape);
  Tensor transpose(Tensor x, llvm::ArrayRef<int64_t> perm);
  Tensor expand(Tensor x, llvm::ArrayRef<int64_t> shape);
  Tensor concat(llvm::ArrayRef<Tensor> parts, int64_t axis);
  /// `size` elements of dim `axis`, beginning at `start`. Neighbours are `step`
  /// apart.
  Tensor slice(Tensor x, int64_t axis, int64_t start, int64_t size,
               int64_t step = 1);
  /// The integers `index`. Checks that each is in [0, size). If `index` is
  /// known, the compilation reports an error, and otherwise the run does.
  Tensor checkedIndex(Tensor index, int64_t size);
  /// Reshapes [C] to [C, 1, ...], which broadcasts along the channels of a
  /// tensor of `rank`.
  Tensor alongChannels(Tensor perChannel, int64_t rank);
  template <typename OpTy>
  Tensor reduce(Tensor x, llvm::ArrayRef<int64_t> axes, bool keep = true) {
    if (axes.empty())
      return x;
    return make<OpTy>({x}, {attr("axes", axes), attr("keepdims", keep)});
  }

private:
  const Attribute *find(std::string_view name, int64_t type);
  Status checkKnown(size_t i);
  Status checkMoved() const;
  std::vector<std::string> listKnownAttrs() const;
  std::string repairUnknown(std::string_view name) const;
  std::string repairInput() const;
  bool checkTensor(size_t i);
  void warnWith(const std::string &text);
  llvm::SmallVector<Tensor> makeOp(llvm::StringRef opName,
                                   llvm::ArrayRef<Tensor> operands,
                                   llvm::ArrayRef<mlir::NamedAttribute> attrs);
  mlir::Operation *createOp(mlir::OperationState &state);
  std::string inWordsOfNode(std::string message,
                            llvm::ArrayRef<Tensor> operands) const;

  mlir::OpBuilder &builder;
  Weights &weights;
  size_t &numListed;
  const Node &node;
  mlir::Location location;
  int64_t version;
  std::vector<mlir::Value> inputs;
  Attributes attributes;
  std::set<std::string_view> readAttrs, ignoredAttrs;
  std::set<size_t> readInputs;
  Status failure;
};

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_NODEBUILDER_H
