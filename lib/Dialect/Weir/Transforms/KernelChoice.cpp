//===- KernelChoice.cpp - Which kernel runs an op on a device ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/KernelChoice.h"

#include "Layouts/ChangedDims.h"
#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Runtime/KernelTable.h"

#include <fmt/format.h>

#include <set>

using namespace mlir;
using namespace weir;

static std::string getDTypeName(Value value) {
  return std::string(toString(*toDType(getTensorType(value).getElementType())));
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::vector<std::string> weir::listKernelNames(MLIRContext *context,
                                               const Topology &topology) {
  std::set<std::string> names = {generatedKernel.str(), referenceKernel.str(),
                                 winogradKernel.str()};
  for (const DeviceDesc &device : topology.devices)
    for (const OpKernelRow &brought : device.name.kind->rows)
      names.insert(brought.row.kernel);
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (const auto *op = name.getInterface<WeirOpInterface>())
      for (const KernelRow &row : op->getRecord().getKernels())
        names.insert(row.kernel);
  return {names.begin(), names.end()};
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The row that `kind` itself brings for `op` and `type`, or null.
static const KernelRow *findBroughtRow(StringRef op, DeviceKind kind,
                                       StringRef type) {
  for (const OpKernelRow &brought : kind->rows)
    if (op == StringRef(brought.op) &&
        llvm::is_contained(brought.row.types, type))
      return &brought.row;
  return nullptr;
}

const KernelRow *weir::findAttentionRow(WeirOpInterface product,
                                        const DeviceDesc &device) {
  const KernelRow *row = findBroughtRow(attentionPattern, device.name.kind,
                                        getDTypeName(product->getOperand(0)));
  return row && device.allowsKernel(row->kernel) ? row : nullptr;
}

/// The row of `record` for devices of `kind` and for element type `type` of
/// operand 0, or null. Rows of the kind take precedence over rows of the
/// record.
static const KernelRow *findRow(const OpRecord &record, DeviceKind kind,
                                StringRef type) {
  if (const KernelRow *row = findBroughtRow(record.getMnemonic(), kind, type))
    return row;
  for (const KernelRow &row : record.getKernels())
    if (row.device == kind->kernels && llvm::is_contained(row.types, type))
      return &row;
  return nullptr;
}

/// The first row of `record`, for any device, whose kernel accepts post-ops. A
/// row for bf16 counts for f16 as well: records do not list the kernels for
/// f16, which support the same post-ops.
static const KernelRow *findFusingRow(const OpRecord &record, StringRef type) {
  StringRef known = type == "f16" ? "bf16" : type;
  auto row = llvm::find_if(record.getKernels(), [&](const KernelRow &row) {
    return row.acceptsPostOps && llvm::is_contained(row.types, known);
  });
  return row == record.getKernels().end() ? nullptr : &*row;
}

bool weir::computesIn(const DeviceDesc &device, StringRef type) {
  return llvm::any_of(device.name.kind->rows, [&](const OpKernelRow &brought) {
    return llvm::is_contained(brought.row.types, type);
  });
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Whether `copy` keeps each byte of the operand in place. Strides of dims of
/// size 1 do not matter.
static bool copiesInPlace(const ElementCopy &copy) {
  if (copy.fromOffset != 0 || copy.toOffset != 0)
    return false;
  for (auto [dim, from, to] :
       llvm::zip(copy.dims, copy.fromStrides, copy.toStrides))
    if (dim != 1 && from != to)
      return false;
  return true;
}

/// Whether the result of `op`, a reshape, can be a view of its operand.
static bool isViewedAnew(WeirOpInterface op) {
  auto from = getTensorType(op->getOperand(0));
  auto to = getTensorType(op->getResult(0));
  if (toTensorDesc(from).isRowMajor() && toTensorDesc(to).isRowMajor())
    return true;
  std::optional<SmallVector<int64_t>> order = getReshapedOrder(
      from.getShape(), getMemoryOrder(op->getOperand(0)), to.getShape());
  if (!order)
    return false;
  TensorDesc actual = toTensorDesc(to);
  TensorDesc kept = toTensorDesc(
      to.cloneWithEncoding(LayoutAttr::get(op->getContext(), *order)));
  return llvm::all_of(
      llvm::zip(actual.dims, actual.strides, kept.strides), [](auto dim) {
        return std::get<0>(dim) == 1 || std::get<1>(dim) == std::get<2>(dim);
      });
}

bool weir::isView(WeirOpInterface op) {
  if (op.isReinterpretation())
    return isViewedAnew(op);
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  auto from = getTensorType(op->getOperand(0));
  auto to = getTensorType(op->getResult(0));
  if (from.getElementType() != to.getElementType() ||
      from.getNumElements() != to.getNumElements())
    return false;
  SmallVector<ElementCopy> copies = getElementCopies(op);
  return copies.size() == 1 && copiesInPlace(copies.front());
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

KernelSpec weir::makeSpec(StringRef kernel, DictionaryAttr config,
                          ArrayAttr postOps, TypeRange operands,
                          TypeRange results) {
  KernelSpec spec;
  spec.name = kernel.str();
  spec.attrs = toAttrMap(config);
  for (Type type : operands)
    spec.operands.push_back(toTensorDesc(cast<RankedTensorType>(type)));
  for (Type type : results)
    spec.results.push_back(toTensorDesc(cast<RankedTensorType>(type)));
  for (auto postOp : postOps.getAsRange<PostOpAttr>())
    spec.postOps.push_back({postOp.getAlgorithm().str(),
                            postOp.getAlpha().getValueAsDouble(),
                            postOp.getBeta().getValueAsDouble(),
                            static_cast<int>(postOp.getOperand())});
  return spec;
}

/// The spec, without post-ops, from which the kernel `name` is prepared to
/// compute `op`.
static KernelSpec describe(Operation *op, StringRef name,
                           DictionaryAttr config) {
  return makeSpec(name, config, Builder(op).getArrayAttr({}),
                  op->getOperandTypes(), op->getResultTypes());
}

/// The reason why the kernel of devices of `kind` would refuse `spec` at load;
/// empty if the kernel would accept it.
static std::string whyKernelRefuses(const KernelSpec &spec, DeviceKind kind) {
  const KernelTableEntry *kernel = findKernel(kernelTable(kind), spec.name);
  if (!kernel)
    return fmt::format("the table of {} devices has no kernel '{}'",
                       toString(kind), spec.name);
  Status status = kernel->check ? kernel->check(spec) : Status::ok();
  return status.isOk()
             ? std::string()
             : fmt::format("kernel '{}': {}", spec.name, status.message());
}

std::string weir::whyKernelRefuses(LaunchOp launch, DeviceKind kind) {
  // A kernel made of copies supports all copies.
  if (!launch.getCopies().empty())
    return {};
  return ::whyKernelRefuses(
      makeSpec(launch.getKernel(), launch.getConfig(), launch.getPostOps(),
               launch->getOperandTypes(), launch->getResultTypes()),
      kind);
}

/// How the topology file excludes `kernel` on `device`, as text.
static std::string describeExclusion(const DeviceDesc &device,
                                     std::string_view kernel) {
  if (!device.kernels)
    return fmt::format("the topology file excludes kernel '{}'", kernel);
  return fmt::format("the topology file lists \"kernels\" of {} without '{}'",
                     device.name.toString(), kernel);
}

static std::string whyExcluded(WeirOpInterface, const KernelRow &row,
                               const DeviceDesc &device) {
  return device.allowsKernel(row.kernel)
             ? std::string()
             : describeExclusion(device, row.kernel);
}

/// Refuses sums over empty tensors. Copies skip empty parts.
static std::string whyNoElements(WeirOpInterface op, const KernelRow &row,
                                 const DeviceDesc &) {
  auto isEmpty = [](Value value) {
    return getTensorType(value).getNumElements() == 0;
  };
  const bool isSum = getElementCopies(op).empty() &&
                     llvm::any_of(op->getOperands(), isEmpty) &&
                     !llvm::all_of(op->getResults(), isEmpty);
  return isSum ? fmt::format("kernel '{}' does not support operands without "
                             "elements",
                             row.kernel)
               : std::string();
}

static std::string whyTypeNotWritten(WeirOpInterface op, const KernelRow &row,
                                     const DeviceDesc &) {
  std::string result = getDTypeName(op->getResult(0));
  const bool convertsType = result != getDTypeName(op->getOperand(0)) &&
                            op.getOpRecord().movesElements();
  return convertsType && !llvm::is_contained(row.types, result)
             ? fmt::format("kernel '{}' does not write {}", row.kernel, result)
             : std::string();
}

/// Refuses copies that step backward. Other copies have no limits. So the
/// kernel is asked only about an op that is not made of copies.
static std::string whyRefused(WeirOpInterface op, const KernelRow &row,
                              const DeviceDesc &device) {
  SmallVector<ElementCopy> copies = getElementCopies(op);
  if (copies.empty())
    return ::whyKernelRefuses(describe(op, row.kernel, makeConfig(op, row)),
                              device.name.kind);
  return llvm::any_of(copies,
                      [](const ElementCopy &copy) {
                        return llvm::any_of(
                            copy.fromStrides,
                            [](int64_t stride) { return stride < 0; });
                      })
             ? "its kernel does not support negative steps"
             : std::string();
}

/// Why `row` cannot run `op` on `device`; empty if it can.
static std::string whyNot(WeirOpInterface op, const KernelRow &row,
                          const DeviceDesc &device) {
  for (auto *check :
       {whyExcluded, whyNoElements, whyTypeNotWritten, whyRefused})
    if (std::string reason = check(op, row, device); !reason.empty())
      return reason;
  return {};
}

/// Why `device` has no kernel for `op`, if its kind lists none.
static std::string whyNotListed(WeirOpInterface op, const DeviceDesc &device) {
  std::string reason = fmt::format(
      "no {} kernel for {} of {}", toString(device.name.kind),
      op->getName().getStringRef().str(), getDTypeName(op->getOperand(0)));
  if (!device.name.kind->codeGenerator.empty() &&
      !device.allowsKernel(generatedKernel))
    reason += ", and " + describeExclusion(device, generatedKernel);
  return reason;
}

/// Whether the reference kernel computes `op`, or each of its copies.
static bool hasReference(WeirOpInterface op, const DeviceDesc &device) {
  return device.name.kind->codeGenerator == cpuCodeGenerator &&
         (op.getOpRecord().isLeaf() || !getElementCopies(op).empty());
}

/// Why the reference kernel cannot run `op`; empty if it can. Copies have no
/// limits.
static std::string whyNoReference(WeirOpInterface op,
                                  const DeviceDesc &device) {
  return op.getOpRecord().isLeaf()
             ? ::whyKernelRefuses(
                   describe(op, referenceKernel, makeReferenceConfig(op)),
                   device.name.kind)
             : std::string();
}

/// Why an op of the body has no kernel; empty if all have one.
static std::string whyNoBody(WeirOpInterface op, const DeviceDesc &device,
                             bool allowReference) {
  std::string reason;
  visitBody(op, [&](WeirOpInterface part) {
    if (!reason.empty())
      return;
    KernelChoice choice = chooseKernel(part, device, allowReference);
    if (choice.kind == KernelChoice::Kind::None)
      reason = fmt::format("its part {}: {}",
                           part->getName().getStringRef().str(), choice.reason);
  });
  return reason;
}

/// Whether a library kernel should compute some part of the composite `op`.
static bool hasLibraryAnchor(WeirOpInterface op, const DeviceDesc &device) {
  bool found = false;
  visitBody(op, [&](WeirOpInterface part) {
    if (found)
      return;
    bool isAnchor = part.getOpRecord().isComposite()
                        ? hasLibraryAnchor(part, device)
                        : isContraction(part);
    found = isAnchor && chooseKernel(part, device, false).kind ==
                            KernelChoice::Kind::Library;
  });
  return found;
}

/// Whether code is generated for `op` if no library kernel serves it.
static bool isGenerated(WeirOpInterface op, const DeviceDesc &device) {
  if (device.name.kind->codeGenerator.empty() ||
      !device.allowsKernel(generatedKernel))
    return false;
  const OpRecord &record = op.getOpRecord();
  if (record.isComposite())
    return !hasLibraryAnchor(op, device);
  return record.isLeaf() || !getElementCopies(op).empty();
}

KernelChoice weir::chooseKernel(WeirOpInterface op, const DeviceDesc &device,
                                bool allowReference) {
  using Kind = KernelChoice::Kind;
  if (isView(op))
    return {Kind::View, nullptr, {}};
  if (!op.getPlaces().empty())
    return {Kind::Join, nullptr, {}};
  const OpRecord &record = op.getOpRecord();
  const bool canGenerate = isGenerated(op, device);
  if (canGenerate && joinsClusters(op))
    return {Kind::Generated, nullptr, {}};
  const KernelRow *row =
      findRow(record, device.name.kind, getDTypeName(op->getOperand(0)));
  std::string reason =
      row ? whyNot(op, *row, device) : whyNotListed(op, device);
  if (reason.empty())
    return {Kind::Library, row, {}};
  if (canGenerate)
    return {Kind::Generated, nullptr, {}};
  if (record.isComposite()) {
    std::string bodyReason = whyNoBody(op, device, allowReference);
    if (bodyReason.empty())
      return {Kind::Expand, nullptr, {}};
    return {Kind::None, nullptr, reason + "; " + bodyReason};
  }
  if (allowReference && hasReference(op, device)) {
    reason = whyNoReference(op, device);
    if (reason.empty())
      return {Kind::Reference, nullptr, {}};
  }
  return {Kind::None, nullptr, reason};
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

bool weir::acceptsEpilogues(WeirOpInterface op) {
  return findFusingRow(op.getOpRecord(), getDTypeName(op->getOperand(0)));
}

/// Whether a post-op can read `other` together with a value of type `running`.
/// This is so if `other` has the same shape or one element, or is a vector
/// along the channels or the last dim.
static bool isReadablePostOperand(RankedTensorType other,
                                  RankedTensorType running) {
  if (other.getElementType() != running.getElementType())
    return false;
  if (other.getNumElements() == 1 || other == running)
    return true;
  if (other.getShape() == running.getShape())
    return false;
  int64_t missing = running.getRank() - other.getRank();
  int64_t varying = -1;
  for (int64_t d = 0; d < other.getRank(); ++d) {
    if (other.getDimSize(d) == 1)
      continue;
    if (varying >= 0 || missing + d < 0)
      return false;
    varying = missing + d;
  }
  return varying == 1 || varying == running.getRank() - 1;
}

std::optional<Epilogue> weir::asEpilogue(WeirOpInterface op, Value running) {
  const OpRecord &record = op.getOpRecord();
  const KernelRow *row = findFusingRow(record, getDTypeName(op->getOperand(0)));
  if (!row || !record.isPointwise() || op->getNumOperands() > 2 ||
      getParameterText(*row, "algorithm").empty() ||
      op->getResult(0).getType() != running.getType())
    return std::nullopt;
  if (op->getNumOperands() == 1)
    return Epilogue{row, 0, -1};
  bool isRight = op->getOperand(0) != running;
  if (isRight && !op->hasTrait<OpTrait::IsCommutative>())
    return std::nullopt;
  Value other = op->getOperand(isRight ? 0 : 1);
  if (other == running ||
      !isReadablePostOperand(getTensorType(other), getTensorType(running)))
    return std::nullopt;
  return Epilogue{row, isRight ? 1u : 0u, isRight ? 0 : 1};
}

bool weir::isCastEpilogue(WeirOpInterface op, WeirOpInterface anchor) {
  const OpRecord &record = op.getOpRecord();
  // Libraries can cast the results of sums, but of few other ops.
  if (!record.movesElements() || !record.isPointwise() ||
      anchor.getOpRecord().getPrecisionRole() != PrecisionRole::Narrow)
    return false;
  auto from = getTensorType(op->getOperand(0));
  auto to = getTensorType(op->getResult(0));
  Type type = to.getElementType();
  Type read = getTensorType(anchor->getOperand(0)).getElementType();
  return from.getElementType() != type &&
         from.getEncoding() == to.getEncoding() &&
         (read.isBF16() || read.isF16()) && (type.isF32() || type == read);
}

//===----------------------------------------------------------------------===//
// Configuration
//===----------------------------------------------------------------------===//

StringRef weir::getParameterText(const KernelRow &row, StringRef name) {
  for (StringRef param : row.params) {
    auto [key, value] = param.split('=');
    if (key == name)
      return value;
  }
  return {};
}

double weir::getParameter(WeirOpInterface op, const KernelRow &row,
                          StringRef name, double fallback) {
  StringRef text = getParameterText(row, name);
  double number;
  if (text.empty())
    return fallback;
  if (!text.getAsDouble(number))
    return number;
  return toAttrMap(op->getAttrDictionary())
      .floatOr(std::string_view(text), fallback);
}

DictionaryAttr weir::makeConfig(WeirOpInterface op, const KernelRow &row) {
  Builder builder(op);
  NamedAttrList config;
  for (NamedAttribute named : op->getAttrDictionary())
    if (!isPlacementAttr(named.getName()))
      config.append(named);
  for (StringRef param : row.params) {
    auto [key, text] = param.split('=');
    if (key == "algorithm")
      config.set(key, builder.getStringAttr(text));
    else
      config.set(key, builder.getF64FloatAttr(getParameter(op, row, key, 0)));
  }
  return config.getDictionary(op->getContext());
}

DictionaryAttr weir::makeReferenceConfig(WeirOpInterface op) {
  const OpRecord &record = op.getOpRecord();
  Builder builder(op);
  NamedAttrList config(makeConfig(op, KernelRow{}));
  auto text = [&](StringRef name, StringRef value) {
    config.set(name, builder.getStringAttr(value));
  };
  // An op that is not a leaf moves parts without changing elements.
  text("spec", record.isLeaf() ? StringRef(record.getIndexSpec().text())
                               : StringRef("...->..."));
  text("expression", record.isLeaf() ? record.getExpressionText() : "a");
  text("combiner", toString(record.getCombiner()));
  if (!record.getFill().empty())
    text("fill", record.getFill());
  return config.getDictionary(op->getContext());
}
