//===- LowerGroups.cpp - Chooses the kernels of placed groups ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ClusterOutliner.h"
#include "GroupBodies.h"
#include "LaunchIndices.h"
#include "LaunchRecorder.h"
#include "MoveChecks.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/MeaningMap.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/TensorNames.h"
#include "weir/Support/DeviceKind.h"
#include "weir/Support/ShapeLimits.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <map>

namespace weir {
#define GEN_PASS_DEF_LOWERGROUPS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
/// Lowers the ops of groups on one device.
class GroupLowering {
public:
  /// Without a `recorder`, the ops of library launches are not recorded.
  GroupLowering(const DeviceDesc &device, KernelChooser &kernels,
                ClusterOutliner &outliner, LaunchRecorder *recorder)
      : device(device), kernels(kernels), outliner(outliner),
        recorder(recorder) {}

  /// Moves ops that a library kernel refuses into the group that reads their
  /// result, if code is generated for that group. The ops then need no launch
  /// of their own.
  void moveRefused(GroupOp group);
  LogicalResult lower(Block &block);

private:
  std::string moveRefusedBy(const KernelRow &row, GroupOp group,
                            ArrayRef<WeirOpInterface> ops);
  LogicalResult lowerOp(WeirOpInterface op);
  void lowerView(WeirOpInterface op);
  void lowerJoin(WeirOpInterface op);
  SmallVector<WeirOpInterface> findChain(WeirOpInterface anchor,
                                         bool takesEpilogues);
  LaunchOp launchChain(ArrayRef<WeirOpInterface> chain, const KernelRow &row);
  LaunchOp launchAccepted(SmallVectorImpl<WeirOpInterface> &chain,
                          const KernelRow &row, std::string &refusal);
  void lowerToLibrary(WeirOpInterface anchor, const KernelRow &row);
  void lowerToReference(WeirOpInterface op);
  void lowerToGenerated(WeirOpInterface op);
  LogicalResult expand(WeirOpInterface op);
  void checkIndices(WeirOpInterface op);
  LaunchOp launch(Operation *op, TypeRange results, StringRef kernel,
                  ValueRange inputs, DictionaryAttr config,
                  ArrayRef<Attribute> postOps, ArrayRef<Attribute> copies);

  const DeviceDesc &device;
  KernelChooser &kernels;
  ClusterOutliner &outliner;
  LaunchRecorder *recorder;
  /// The reason why the ops that the next library kernel refuses stay in its
  /// group; empty if there is none.
  std::string whyNotMoved;
};

class LowerGroups : public weir::impl::LowerGroupsBase<LowerGroups> {
public:
  using LowerGroupsBase::LowerGroupsBase;

  void runOnOperation() override {
    FailureOr<Topology> devices = getDevices(getOperation());
    if (failed(devices))
      return signalPassFailure();
    // Entries share equal clusters.
    ClusterOutliner outliner(getOperation());
    KernelChooser kernels(allowReference);
    std::optional<LaunchRecorder> recorder;
    if (keepOps)
      recorder.emplace(getOperation());
    DevicesByName byName;
    for (const DeviceDesc &device : devices->devices)
      byName[device.name.toString()] = &device;
    auto lower = [&](func::FuncOp entry) {
      return lowerEntry(entry, byName, kernels, outliner,
                        recorder ? &*recorder : nullptr);
    };
    if (failed(forEachEntry(getOperation(), lower)))
      signalPassFailure();
  }

private:
  using DevicesByName = std::map<std::string, const DeviceDesc *, std::less<>>;

  LogicalResult lowerEntry(func::FuncOp entry, const DevicesByName &byName,
                           KernelChooser &kernels, ClusterOutliner &outliner,
                           LaunchRecorder *recorder) {
    constants.clear();
    for (auto group : entry.getOps<GroupOp>()) {
      auto it = byName.find(std::string_view(group.getDevice().value_or("")));
      if (it == byName.end())
        return group.emitOpError("is not placed; run weir-place-groups first");
      const DeviceDesc &device = *it->second;
      const bool isCpu = device.name.kind == DeviceKind::CPU;
      GroupLowering lowering(device, kernels, outliner,
                             isCpu ? recorder : nullptr);
      lowering.moveRefused(group);
      noteTensors(group);
      if (failed(lowering.lower(group.getBlock())))
        return failure();
      hoistConstants(entry, group);
      dropInlinedConstants(group);
    }
    for (auto constant : llvm::make_early_inc_range(entry.getOps<ConstantOp>()))
      if (constant->use_empty())
        constant.erase();
    return success();
  }

  void hoistConstants(func::FuncOp entry, GroupOp group);
  static void dropInlinedConstants(GroupOp group);

  /// The constants that were moved out of bodies.
  llvm::DenseMap<Attribute, Operation *> constants;
};
} // namespace

/// Makes the constants in the body of `group` operands, because launches read
/// buffers. Equal constants become one operand.
void LowerGroups::hoistConstants(func::FuncOp entry, GroupOp group) {
  Block &block = group.getBlock();
  llvm::DenseMap<Attribute, Value> arguments;
  for (auto constant : llvm::make_early_inc_range(block.getOps<ConstantOp>())) {
    Value &argument = arguments[constant.getValueAttr()];
    if (!argument) {
      Operation *&outside = constants[constant.getValueAttr()];
      if (!outside) {
        outside = constant->clone();
        entry.getBody().front().push_front(outside);
      }
      group.getInputsMutable().append(outside->getResult(0));
      argument = block.addArgument(constant.getType(), constant.getLoc());
    }
    constant.replaceAllUsesWith(argument);
    constant.erase();
  }
}

/// Removes the operands of `group` for constants that became part of generated
/// code.
void LowerGroups::dropInlinedConstants(GroupOp group) {
  Block &block = group.getBlock();
  for (unsigned i = block.getNumArguments(); i-- > 0;) {
    bool isConstant =
        group.getInputs()[i].getDefiningOp<ConstantOp>() != nullptr;
    if (!isConstant || !block.getArgument(i).use_empty())
      continue;
    block.eraseArgument(i);
    group.getInputsMutable().erase(i);
  }
}

static Attribute toAttribute(const ElementCopy &copy, MLIRContext *context) {
  auto array = [&](ArrayRef<int64_t> list) {
    return DenseI64ArrayAttr::get(context, list);
  };
  return ElementCopyAttr::get(
      context, copy.operand, copy.result, array(copy.dims), copy.fromOffset,
      array(copy.fromStrides), copy.toOffset, array(copy.toStrides));
}

/// A post-op `alpha` * x + `beta` for `op`, if the other operand of `epilogue`
/// is a known number; else null.
static Attribute toLinearPostOp(WeirOpInterface op, const Epilogue &epilogue) {
  std::optional<double> known =
      epilogue.other < 0 ? std::nullopt
                         : getOnlyNumber(op->getOperand(epilogue.other));
  if (!known)
    return {};
  double number = *known;
  auto [alpha, beta] = llvm::StringSwitch<std::pair<double, double>>(
                           getParameterText(*epilogue.row, "algorithm"))
                           .Case("binary_add", {1, number})
                           .Case("binary_sub", {1, -number})
                           .Case("binary_mul", {number, 0})
                           .Case("binary_div", {1 / number, 0})
                           .Default({0, 0});
  auto isFinite = [](double value) {
    return std::isfinite(static_cast<float>(value));
  };
  if (alpha == 0 || !isFinite(alpha) || !isFinite(beta))
    return {};
  Builder builder(op);
  return PostOpAttr::get(op->getContext(), "eltwise_linear",
                         builder.getF64FloatAttr(alpha),
                         builder.getF64FloatAttr(beta), /*operand=*/-1);
}

/// A post-op for `op`. If `op` has another operand, this operand is added to
/// `inputs`.
static Attribute toPostOp(WeirOpInterface op, const Epilogue &epilogue,
                          SmallVectorImpl<Value> &inputs) {
  Builder builder(op);
  int64_t operand = -1;
  if (epilogue.other >= 0) {
    operand = static_cast<int64_t>(inputs.size());
    inputs.push_back(op->getOperand(epilogue.other));
  }
  const KernelRow &row = *epilogue.row;
  auto number = [&](StringRef name) {
    return builder.getF64FloatAttr(getParameter(op, row, name, 0));
  };
  return PostOpAttr::get(op->getContext(), getParameterText(row, "algorithm"),
                         number("alpha"), number("beta"), operand);
}

LogicalResult GroupLowering::lower(Block &block) {
  // Each step replaces an op and the epilogues behind it, or replaces an op by
  // its body. So the next op is always the first one that is left. The ops
  // before it do not change any more.
  Operation *done = nullptr;
  while (true) {
    Operation *next = done ? done->getNextNode() : &block.front();
    while (next && !isa<WeirOpInterface>(next)) {
      done = next;
      next = next->getNextNode();
    }
    if (!next)
      return success();
    if (failed(lowerOp(cast<WeirOpInterface>(next))))
      return failure();
  }
}

LogicalResult GroupLowering::lowerOp(WeirOpInterface op) {
  const KernelChoice &choice = kernels.choose(op, device);
  switch (choice.kind) {
  case KernelChoice::Kind::View:
    lowerView(op);
    return success();
  case KernelChoice::Kind::Join:
    lowerJoin(op);
    return success();
  case KernelChoice::Kind::Library:
    lowerToLibrary(op, *choice.row);
    return success();
  case KernelChoice::Kind::Generated:
    lowerToGenerated(op);
    return success();
  case KernelChoice::Kind::Reference:
    lowerToReference(op);
    return success();
  case KernelChoice::Kind::Expand:
    return expand(op);
  case KernelChoice::Kind::None:
    break;
  }
  return op.emitOpError("'") << getOpName(op) << "': " << choice.reason;
}

LaunchOp GroupLowering::launch(Operation *op, TypeRange results,
                               StringRef kernel, ValueRange inputs,
                               DictionaryAttr config,
                               ArrayRef<Attribute> postOps,
                               ArrayRef<Attribute> copies) {
  OpBuilder builder(op);
  // Copies move elements and compute nothing.
  int64_t flops = copies.empty() ? getCost(cast<WeirOpInterface>(op)).flops : 0;
  return LaunchOp::create(
      builder, op->getLoc(), results, builder.getStringAttr(kernel), inputs,
      config, builder.getArrayAttr(postOps), builder.getArrayAttr(copies),
      builder.getI64IntegerAttr(flops),
      /*overwritten_by=*/nullptr);
}

void GroupLowering::lowerView(WeirOpInterface op) {
  OpBuilder builder(op);
  auto view = ViewOp::create(builder, op->getLoc(), op->getResult(0).getType(),
                             op->getOperand(0));
  op->replaceAllUsesWith(view);
  op->erase();
}

void GroupLowering::lowerJoin(WeirOpInterface op) {
  OpBuilder builder(op);
  auto join = JoinOp::create(builder, op->getLoc(), op->getResult(0).getType(),
                             op->getOperands(), op.getPlaces());
  op->replaceAllUsesWith(join);
  op->erase();
}

/// The ops that one launch may compute: `anchor`, and the chain of epilogues
/// behind it if the kernel of `anchor` takes epilogues.
SmallVector<WeirOpInterface> GroupLowering::findChain(WeirOpInterface anchor,
                                                      bool takesEpilogues) {
  SmallVector<WeirOpInterface> chain = {anchor};
  while (takesEpilogues && chain.back()->getResult(0).hasOneUse()) {
    Value running = chain.back()->getResult(0);
    auto next = dyn_cast<WeirOpInterface>(*running.getUsers().begin());
    if (!next)
      break;
    // A cast is part of the chain if the kernel can write its type.
    bool isCast = isCastEpilogue(next, anchor);
    std::optional<Epilogue> epilogue;
    if (!isCast)
      epilogue = asEpilogue(next, running);
    if (!isCast && (!epilogue || !device.allowsKernel(epilogue->row->kernel)))
      break;
    chain.push_back(next);
  }
  return chain;
}

/// A launch of the kernel of `row` that computes `chain`. The launch is
/// inserted at the last op, where all its operands exist.
LaunchOp GroupLowering::launchChain(ArrayRef<WeirOpInterface> chain,
                                    const KernelRow &row) {
  WeirOpInterface anchor = chain.front();
  Builder builder(anchor);
  SmallVector<Value> inputs = llvm::to_vector(anchor->getOperands());
  SmallVector<Attribute> postOps, copies;
  for (const ElementCopy &copy : getElementCopies(anchor))
    copies.push_back(toAttribute(copy, anchor->getContext()));
  for (auto [before, op] : llvm::zip(chain, chain.drop_front())) {
    if (isCastEpilogue(op, anchor))
      continue;
    Epilogue epilogue = *asEpilogue(op, before->getResult(0));
    // The kernels of CPU devices read the number as an operand at run time, so
    // only other kinds get a linear post-op.
    Attribute linear = device.name.kind->rows.empty()
                           ? Attribute()
                           : toLinearPostOp(op, epilogue);
    postOps.push_back(linear ? linear : toPostOp(op, epilogue, inputs));
  }
  NamedAttrList config;
  if (copies.empty())
    config.append(makeConfig(anchor, row));
  // Kernels choose the algorithm at load, so the exclusion must be an
  // attribute.
  if (llvm::is_contained(device.excludedKernels, winogradKernel))
    config.set(winogradKernel, BoolAttr::get(anchor->getContext(), false));
  // Epilogues change the first result.
  SmallVector<Type> results(anchor->getResultTypes());
  results.front() = chain.back()->getResult(0).getType();
  LaunchOp made =
      launch(chain.back(), results, row.kernel, inputs,
             config.getDictionary(anchor->getContext()), postOps, copies);
  // The launch has the anchor's name.
  made->setLoc(anchor->getLoc());
  for (WeirOpInterface op : chain.drop_back())
    made.setFlops(saturatingAdd(made.getFlops(), getCost(op).flops));
  return made;
}

/// A launch of the kernel of `row` that computes as much of `chain` as it can.
/// The other ops are removed from `chain`, and `refusal` says why.
LaunchOp GroupLowering::launchAccepted(SmallVectorImpl<WeirOpInterface> &chain,
                                       const KernelRow &row,
                                       std::string &refusal) {
  LaunchOp made = launchChain(chain, row);
  // The anchor alone is always accepted, because the kernel was chosen for it.
  while (chain.size() > 1) {
    std::string reason = whyKernelRefuses(made, device.name.kind);
    if (reason.empty())
      break;
    refusal = std::move(reason);
    chain.pop_back();
    made.erase();
    made = launchChain(chain, row);
  }
  return made;
}

void GroupLowering::moveRefused(GroupOp group) {
  auto ops = llvm::to_vector(group.getBlock().getOps<WeirOpInterface>());
  if (ops.size() < 2 || device.name.kind->codeGenerator.empty())
    return;
  const KernelChoice &choice = kernels.choose(ops.front(), device);
  if (choice.kind == KernelChoice::Kind::Library && choice.row->acceptsPostOps)
    whyNotMoved = moveRefusedBy(*choice.row, group, ops);
}

/// Moves the ops that the kernel of `row` refuses to the group that reads their
/// result. `ops` are all ops of `group`. Returns the reason why refused ops
/// stay; empty if they move, or if none is refused.
std::string GroupLowering::moveRefusedBy(const KernelRow &row, GroupOp group,
                                         ArrayRef<WeirOpInterface> ops) {
  auto isCode = [&](Operation *op) {
    auto weirOp = dyn_cast<WeirOpInterface>(op);
    KernelChoice::Kind kind =
        weirOp ? kernels.choose(weirOp, device).kind : KernelChoice::Kind::None;
    return kind == KernelChoice::Kind::Generated ||
           kind == KernelChoice::Kind::View;
  };
  if (std::string reason = whyNoReader(group, isCode); !reason.empty())
    return reason;
  SmallVector<WeirOpInterface> chain =
      findChain(ops.front(), /*takesEpilogues=*/true);
  if (chain.size() < ops.size())
    return "its group ends with a view";
  // The kernel is asked last, since that takes longest.
  std::string refusal;
  launchAccepted(chain, row, refusal).erase();
  auto refused = ops.drop_front(chain.size());
  if (refused.empty())
    return {};
  if (!llvm::all_of(refused, isCode))
    return "not all that is behind the kernel is generated code";
  if (isForGpus(device.name.kind->codeGenerator))
    if (std::string reason = whyTooFewBlocks(group, refused); !reason.empty())
      return reason;
  moveToReader(refused, chain.back()->getResult(0));
  for (WeirOpInterface op : refused)
    noteMoved(op, refusal);
  return {};
}

/// Replaces `anchor` and the epilogues that its kernel takes by one launch. The
/// other epilogues stay where they are, and are lowered afterwards.
void GroupLowering::lowerToLibrary(WeirOpInterface anchor,
                                   const KernelRow &row) {
  SmallVector<WeirOpInterface> chain = findChain(anchor, row.acceptsPostOps);
  const SmallVector<WeirOpInterface> whole = chain;
  std::string refusal;
  LaunchOp made = launchAccepted(chain, row, refusal);
  // The reason does not apply to other kernels of the group.
  const std::string whyNot = std::exchange(whyNotMoved, "");
  if (chain.size() < whole.size())
    noteApart(whole[chain.size()],
              whyNot.empty() ? refusal : refusal + "; " + whyNot);
  if (recorder)
    recorder->record(chain, made);
  chain.back()->getResult(0).replaceAllUsesWith(made.getResult(0));
  for (auto [result, value] : llvm::zip(anchor->getResults().drop_front(),
                                        made.getResults().drop_front()))
    result.replaceAllUsesWith(value);
  for (WeirOpInterface op : llvm::reverse(chain))
    op->erase();
}

void GroupLowering::lowerToReference(WeirOpInterface op) {
  SmallVector<Attribute> copies;
  if (!op.getOpRecord().isLeaf())
    for (const ElementCopy &copy : getElementCopies(op))
      copies.push_back(toAttribute(copy, op->getContext()));
  NamedAttrList config(makeReferenceConfig(op));
  // The kernel checks only indices by which it reads elements. It reads no
  // element by a label, so the launch checks labels. Constant labels were
  // checked at compile time.
  LaunchIndices labels;
  for (const IndexOperand &indices : op.getIndexOperands())
    if (indices.ignored && !getConstant(op->getOperand(indices.number)))
      labels.add(op, indices, indices.number);
  labels.addTo(config, op->getContext());
  LaunchOp made =
      launch(op, op->getResultTypes(), referenceKernel, op->getOperands(),
             config.getDictionary(op->getContext()), /*postOps=*/{}, copies);
  if (recorder)
    recorder->record(op, made);
  op->replaceAllUsesWith(made);
  op->erase();
}

/// Whether `op` reads indices that one of `ops` computes. Indices are checked
/// before a kernel runs, so the indices must be in memory by then.
static bool readsIndicesOf(WeirOpInterface op,
                           const llvm::DenseSet<Operation *> &ops) {
  return llvm::any_of(op.getIndexOperands(), [&](const IndexOperand &indices) {
    return ops.contains(op->getOperand(indices.number).getDefiningOp());
  });
}

/// Fuses `first` and the generated ops directly behind it into one kernel,
/// including views between them.
void GroupLowering::lowerToGenerated(WeirOpInterface first) {
  SmallVector<Operation *> ops;
  llvm::DenseSet<Operation *> members;
  size_t numComputing = 0;
  for (Operation *op = first; op; op = op->getNextNode()) {
    auto weirOp = dyn_cast<WeirOpInterface>(op);
    if (!weirOp)
      continue;
    const KernelChoice &choice = kernels.choose(weirOp, device);
    bool isView = choice.kind == KernelChoice::Kind::View;
    if (isView && !members.contains(op->getOperand(0).getDefiningOp()))
      continue;
    if (!isView && (choice.kind != KernelChoice::Kind::Generated ||
                    readsIndicesOf(weirOp, members)))
      break;
    ops.push_back(op);
    members.insert(op);
    if (!isView)
      numComputing = ops.size();
  }
  ops.truncate(numComputing);
  outliner.outline(ops);
}

/// Makes `op` read copies of its indices, because the ops of its body ignore or
/// clamp indices out of range. The reference kernel checks the indices and then
/// makes the copy.
void GroupLowering::checkIndices(WeirOpInterface op) {
  OpBuilder builder(op);
  for (const IndexOperand &indices : op.getIndexOperands()) {
    Value operand = op->getOperand(indices.number);
    if (getConstant(operand))
      continue;
    LaunchIndices checks;
    checks.add(op, indices, 0);
    NamedAttrList config;
    config.append("spec", builder.getStringAttr("[x]->[x]"));
    config.append("expression", builder.getStringAttr("a"));
    config.append("combiner", builder.getStringAttr(toString(Combiner::None)));
    checks.addTo(config, op->getContext());
    auto copy = LaunchOp::create(
        builder, op->getLoc(), operand.getType(),
        builder.getStringAttr(referenceKernel), operand,
        config.getDictionary(op->getContext()), builder.getArrayAttr({}),
        builder.getArrayAttr({}), builder.getI64IntegerAttr(0),
        /*overwritten_by=*/nullptr);
    op->setOperand(indices.number, copy.getResult(0));
  }
}

LogicalResult GroupLowering::expand(WeirOpInterface op) {
  checkIndices(op);
  OpBuilder builder(op);
  SmallVector<Value> values = op.expandBody(builder);
  // The values of a body are row-major, while the results that they replace may
  // have a layout.
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    if (result.getType() != value.getType())
      value =
          RelayoutOp::create(builder, op->getLoc(), TypeRange(result.getType()),
                             ValueRange(value));
  op->replaceAllUsesWith(values);
  op->erase();
  return success();
}
