//===- Evaluate.cpp - Runs the ops of a function one by one ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "weir/Conversion/WeirToLinalg.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Runtime/KernelTable.h"
#include "weir/Runtime/Reference.h"

#include <fmt/format.h>

#include <map>

using namespace mlir;
using namespace weir;
using namespace weir::opcheck;

namespace {

/// A device with one thread. All operands but the first may be known at load,
/// like weights.
class OneThread final : public PrepareContext {
public:
  OneThread(ArrayRef<void *> buffers, bool areConstant)
      : buffers(buffers), areConstant(areConstant) {}

  int numThreads() const override { return 1; }
  bool isConstant(int index) const override { return areConstant && index > 0; }
  StatusOr<const void *> packedOperand(int index, std::string_view,
                                       size_t bytes,
                                       const PackFunction &pack) override {
    WEIR_ASSIGN_OR_RETURN(
        HostTensor memory,
        HostTensor::zeros(DType::I8, {static_cast<int64_t>(bytes)}));
    MemoryReader reader(buffers[index]);
    WEIR_RETURN_IF_ERROR(pack(reader, memory.data()));
    packed.push_back(std::move(memory));
    return packed.back().data();
  }

private:
  ArrayRef<void *> buffers;
  bool areConstant;
  std::vector<HostTensor> packed;
};

class Evaluator {
public:
  explicit Evaluator(Engine engine) : engine(engine) {}

  StatusOr<std::vector<HostTensor>> run(const Case &testCase);

private:
  Status runOp(Operation &op);
  Status runWeirOp(WeirOpInterface op);
  Status copyElements(WeirOpInterface op, const KernelTableEntry &kernel);
  Status compute(WeirOpInterface op, ArrayRef<void *> buffers);
  Status launch(KernelSpec spec, const KernelTableEntry &kernel,
                ArrayRef<void *> buffers);
  KernelSpec makeSpec(WeirOpInterface op, const KernelRow *row) const;
  HostTensor &at(Value value) { return values.at(value.getAsOpaquePointer()); }

  Engine engine;
  std::map<const void *, HostTensor> values;
};

constexpr KernelTableEntry referenceEntry = {"reference", prepareReference};

} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static TensorDesc getDesc(Value value) {
  return toTensorDesc(cast<RankedTensorType>(value.getType()));
}

void opcheck::rearrange(const TensorDesc &from, const void *source,
                        const TensorDesc &to, void *target) {
  auto offsetIn = [](const TensorDesc &desc, int64_t element) {
    int64_t offset = 0;
    for (size_t d = desc.dims.size(); d-- > 0; element /= desc.dims[d])
      offset += element % desc.dims[d] * desc.strides[d];
    return offset;
  };
  size_t size = byteSize(from.type);
  for (int64_t i = 0; i < from.numElements(); ++i)
    std::memcpy(static_cast<std::byte *>(target) + offsetIn(to, i) * size,
                static_cast<const std::byte *>(source) +
                    offsetIn(from, i) * size,
                size);
}

/// The kernel that the compiler would choose for `op` on a CPU device.
static KernelChoice choose(WeirOpInterface op) {
  DeviceDesc device;
  device.name.kind = DeviceKind::CPU;
  device.excludedKernels = {generatedKernel.str()};
  return chooseKernel(op, device, /*allowReference=*/false);
}

KernelSpec Evaluator::makeSpec(WeirOpInterface op, const KernelRow *row) const {
  KernelSpec spec;
  const OpRecord &record = op.getOpRecord();
  spec.attrs = toAttrMap(row ? makeConfig(op, *row) : op->getAttrDictionary());
  if (!row) {
    spec.attrs.set("spec", record.getIndexSpec().text());
    spec.attrs.set("expression", record.getExpressionText().str());
    spec.attrs.set("combiner", toString(record.getCombiner()).str());
    if (!record.getFill().empty())
      spec.attrs.set("fill", record.getFill().str());
  }
  for (Value operand : op->getOperands())
    spec.operands.push_back(getDesc(operand));
  for (Value result : op->getResults())
    spec.results.push_back(getDesc(result));
  return spec;
}

Status Evaluator::launch(KernelSpec spec, const KernelTableEntry &entry,
                         ArrayRef<void *> buffers) {
  OneThread context(buffers, engine == Engine::LibraryAtLoad);
  spec.name = entry.name;
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel,
                        entry.prepare(spec, context));
  WEIR_ASSIGN_OR_RETURN(
      HostTensor workspace,
      HostTensor::zeros(DType::I8,
                        {static_cast<int64_t>(kernel->workspaceBytes()) + 1}));
  return kernel->run({buffers.data(), workspace.data()});
}

/// Launches a copy kernel for each part that the op moves.
Status Evaluator::copyElements(WeirOpInterface op,
                               const KernelTableEntry &kernel) {
  for (const ElementCopy &copy : getElementCopies(op)) {
    Value from = op->getOperand(copy.operand), to = op->getResult(copy.result);
    KernelSpec spec;
    TensorDesc read = getDesc(from), written = getDesc(to);
    read.dims.assign(copy.dims.begin(), copy.dims.end());
    written.dims = read.dims;
    read.strides.assign(copy.fromStrides.begin(), copy.fromStrides.end());
    written.strides.assign(copy.toStrides.begin(), copy.toStrides.end());
    spec.operands = {read};
    spec.results = {written};
    auto *source = static_cast<std::byte *>(at(from).data()) +
                   copy.fromOffset * static_cast<int64_t>(byteSize(read.type));
    auto *target = static_cast<std::byte *>(at(to).data()) +
                   copy.toOffset * static_cast<int64_t>(byteSize(written.type));
    spec.attrs.set("spec", "...->...");
    spec.attrs.set("expression", "a");
    spec.attrs.set("combiner", "none");
    void *buffers[] = {source, target};
    WEIR_RETURN_IF_ERROR(launch(std::move(spec), kernel, buffers));
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Status Evaluator::compute(WeirOpInterface op, ArrayRef<void *> buffers) {
  bool moves = !getElementCopies(op).empty();
  if (engine == Engine::Reference) {
    if (!op.getOpRecord().isLeaf())
      return copyElements(op, referenceEntry);
    return launch(makeSpec(op, nullptr), referenceEntry, buffers);
  }
  KernelChoice choice = choose(op);
  if (choice.kind == KernelChoice::Kind::None)
    return unimplemented(choice.reason);
  const KernelTableEntry *kernel = findKernel(cpuKernels(), choice.row->kernel);
  if (!kernel)
    return internalError("the kernel table lacks '" + choice.row->kernel + "'");
  if (moves)
    return copyElements(op, *kernel);
  return launch(makeSpec(op, choice.row), *kernel, buffers);
}

Status Evaluator::runWeirOp(WeirOpInterface op) {
  SmallVector<void *> buffers;
  for (Value operand : op->getOperands())
    buffers.push_back(at(operand).data());
  for (Value result : op->getResults()) {
    TensorDesc desc = getDesc(result);
    WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                          HostTensor::zeros(desc.type, desc.dims));
    auto it = values.emplace(result.getAsOpaquePointer(), std::move(tensor));
    buffers.push_back(it.first->second.data());
  }
  if (op.isReinterpretation() ||
      (engine != Engine::Reference &&
       choose(op).kind == KernelChoice::Kind::View)) {
    std::memcpy(buffers[1], buffers[0], at(op->getOperand(0)).bytes().size());
    return Status::ok();
  }
  return compute(op, buffers);
}

/// Copies `elements` to `tensor`.
static void storeElements(ElementsAttr elements, HostTensor &tensor) {
  int64_t index = 0;
  if (!isFloat(tensor.type())) {
    for (const APInt &number : elements.getValues<APInt>())
      storeInt(tensor.type(), tensor.data(), index++, number.getSExtValue());
    return;
  }
  for (APFloat number : elements.getValues<APFloat>()) {
    bool losesInfo = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    storeFloat(tensor.type(), tensor.data(), index++, number.convertToDouble());
  }
}

Status Evaluator::runOp(Operation &op) {
  if (auto weirOp = dyn_cast<WeirOpInterface>(op))
    return runWeirOp(weirOp);
  auto constant = dyn_cast<ConstantOp>(op);
  if (!constant)
    return Status::ok();
  TensorDesc desc = getDesc(constant);
  WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                        HostTensor::zeros(desc.type, desc.dims));
  storeElements(constant.getValue(), tensor);
  values.emplace(constant.getResult().getAsOpaquePointer(), std::move(tensor));
  return Status::ok();
}

/// Expands the composites that `engine` does not run as a whole.
static void expandFor(Engine engine, Operation *root) {
  if (engine == Engine::Reference)
    return expandComposites(root);
  SmallVector<WeirOpInterface> open;
  root->walk([&](WeirOpInterface op) {
    if (op.getOpRecord().isComposite() &&
        choose(op).kind != KernelChoice::Kind::Library)
      open.push_back(op);
  });
  for (WeirOpInterface op : open) {
    OpBuilder builder(op);
    op->replaceAllUsesWith(op.expandBody(builder));
    op->erase();
  }
  if (!open.empty())
    expandFor(engine, root);
}

StatusOr<std::vector<HostTensor>> Evaluator::run(const Case &testCase) {
  OwningOpRef<func::FuncOp> function(func::FuncOp(testCase.function).clone());
  expandFor(engine, *function);
  Block &block = function->getBody().front();
  for (auto [argument, input] :
       llvm::zip(block.getArguments(), testCase.inputs)) {
    WEIR_ASSIGN_OR_RETURN(HostTensor copy,
                          HostTensor::zeros(input.type(), input.dims()));
    rearrange(input.desc(), input.data(), getDesc(argument), copy.data());
    values.emplace(argument.getAsOpaquePointer(), std::move(copy));
  }
  for (Operation &op : block)
    WEIR_RETURN_IF_ERROR(runOp(op));
  std::vector<HostTensor> results;
  for (Value result : block.getTerminator()->getOperands()) {
    const HostTensor &tensor = at(result);
    WEIR_ASSIGN_OR_RETURN(HostTensor rowMajor,
                          HostTensor::zeros(tensor.type(), tensor.dims()));
    rearrange(getDesc(result), tensor.data(), rowMajor.desc(), rowMajor.data());
    results.push_back(std::move(rowMajor));
  }
  return results;
}

StatusOr<std::vector<HostTensor>> opcheck::evaluate(const Case &testCase,
                                                    Engine engine) {
  return Evaluator(engine).run(testCase);
}
