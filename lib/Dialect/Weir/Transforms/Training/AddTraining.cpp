//===- AddTraining.cpp - Adds entries that train ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../Gradients/LeafForm.h"
#include "TrainingMode.h"

#include "weir/Dialect/Weir/IR/Training.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
#include "weir/Dialect/Weir/Transforms/Training/Passes.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/OptionText.h"
#include "weir/Support/ScalarAlgebra.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

namespace weir {
#define GEN_PASS_DEF_ADDTRAINING
#include "weir/Dialect/Weir/Transforms/Training/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

static constexpr StringLiteral trainName = "train";
static constexpr StringLiteral evaluateName = "validate";

/// Whether `record` is the record of a loss of rows. The name of its second
/// operand shows this.
static bool comparesRows(const OpRecord &record) {
  // If there is no second operand, `second` is the name of the first one.
  StringRef second = record.getOperandName(1);
  return (second == "target" || second == "labels") &&
         second != record.getOperandName(0);
}

namespace {
class AddTraining : public weir::impl::AddTrainingBase<AddTraining> {
public:
  using AddTrainingBase::AddTrainingBase;

  void runOnOperation() override {
    if (failed(add()))
      signalPassFailure();
  }

private:
  LogicalResult add();
  FailureOr<SmallVector<func::FuncOp>> findEntries();
  std::string repairLoss(ArrayRef<func::FuncOp> entries);
  FailureOr<func::FuncOp> copy(func::FuncOp entry, StringRef name);
  LogicalResult addTo(func::FuncOp entry, bool trains);
  FailureOr<Value> findLoss(func::FuncOp entry, SmallVector<Value> &metrics);
  Value makeOp(OpBuilder &builder, OperationName name, StringRef called,
               ValueRange operands, ArrayRef<NamedAttribute> attributes);
  bool reachesScores(OperationName name);
  FailureOr<OperationName> findLossOp();
  InFlightDiagnostic refuseIntegers(Value scores);
  LogicalResult checkScores(Value scores, const OpRecord &record);
  void warnOfScores(Value scores);
  FailureOr<Value> addInput(func::FuncOp entry, StringRef name,
                            RankedTensorType type);
  InFlightDiagnostic emitError();
  InFlightDiagnostic refuseName(StringRef name);
  LogicalResult verifyAdded(Operation *op);

  TrainOption option;
};
} // namespace

InFlightDiagnostic AddTraining::emitError() {
  return mlir::emitError(UnknownLoc::get(&getContext())) << "--train: ";
}

/// Verifies an op that the option has added. Errors about the op become errors
/// of the option.
LogicalResult AddTraining::verifyAdded(Operation *op) {
  std::string why;
  {
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
      why = diagnostic.str();
      return success();
    });
    if (succeeded(mlir::verify(op)))
      return success();
  }
  StringRef text = why;
  text.consume_front(("'" + op->getName().getStringRef() + "' op ").str());
  return emitError() << text;
}

/// The repair for a loss that names no output.
std::string AddTraining::repairLoss(ArrayRef<func::FuncOp> entries) {
  StringRef loss = option.loss;
  if (!option.lossOp.empty() && loss.contains(','))
    return ("a loss takes one output, as in loss=" +
            llvm::Twine(option.lossOp) + "(" + loss.split(',').first +
            "), and what it is compared with becomes an input")
        .str();
  auto op =
      RegisteredOperationName::lookup(("weir." + loss).str(), &getContext());
  auto *interface = op ? op->getInterface<WeirOpInterface>() : nullptr;
  if (interface && comparesRows(interface->getRecord()))
    return ("it is a loss of an output, loss=" + loss + "(NAME); " +
            offerOutputs(entries, ""))
        .str();
  return offerOutputs(entries, loss);
}

/// The functions in which a loss is looked for. The ops of private functions
/// are also in their callers.
static SmallVector<func::FuncOp> listTrainable(ModuleOp module,
                                               bool withPrivate) {
  SmallVector<func::FuncOp> all;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && (withPrivate || function.isPublic()))
      all.push_back(function);
  return all.empty() && !withPrivate ? listTrainable(module, true) : all;
}

/// The error that the graph already has a function with the name of a new
/// function.
InFlightDiagnostic AddTraining::refuseName(StringRef name) {
  return emitError() << "the graph has a '" << name
                     << "' already; leave --train out if it trains, or rename "
                        "it";
}

/// The functions that the option refers to: the plans of one entry.
FailureOr<SmallVector<func::FuncOp>> AddTraining::findEntries() {
  SmallVector<func::FuncOp> found;
  const SmallVector<func::FuncOp> all =
      listTrainable(getOperation(), /*withPrivate=*/!option.entry.empty());
  SmallVector<std::string> names;
  for (func::FuncOp function : all) {
    std::string name = getEntryName(function).str();
    if (!llvm::is_contained(names, name))
      names.push_back(name);
    if (option.entry.empty() ? bool(findOutputOrOp(function, option.loss))
                             : name == option.entry)
      found.push_back(function);
  }
  if (found.empty() && all.empty())
    return emitError() << "the graph has no function";
  if (found.empty() && !option.entry.empty())
    return emitError() << "there is no entry '" << option.entry << "'; "
                       << offerNames(option.entry, names);
  for (func::FuncOp function : found)
    if (!findOutputOrOp(function, option.loss))
      found.clear();
  if (found.empty())
    return emitError() << "there is no output or op '" << option.loss << "'; "
                       << repairLoss(all);
  for (func::FuncOp function : found)
    if (getEntryName(function) == trainName)
      return refuseName(trainName);
  for (func::FuncOp function : found)
    if (getEntryName(function) != getEntryName(found.front()))
      return emitError() << "'" << option.loss << "' is in several entries, '"
                         << getEntryName(found.front()) << "' and '"
                         << getEntryName(function)
                         << "'; choose one with entry=NAME";
  return found;
}

/// Makes a copy of `entry`, or of one of its plans, called `name`.
FailureOr<func::FuncOp> AddTraining::copy(func::FuncOp entry, StringRef name) {
  StringRef symbol = entry.getName();
  symbol.consume_front(getEntryName(entry));
  const std::string own = (name + symbol).str();
  if (getOperation().lookupSymbol(own))
    return refuseName(own);
  OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
  auto made = cast<func::FuncOp>(builder.clone(*entry));
  made.setName(own);
  made.setPublic();
  if (own != name)
    made->setAttr(attrs::entry, builder.getStringAttr(name));
  else
    made->removeAttr(attrs::entry);
  return made;
}

FailureOr<Value> AddTraining::addInput(func::FuncOp entry, StringRef name,
                                       RankedTensorType type) {
  if (findInput(entry, name))
    return emitError() << "the entry has an input '" << name
                       << "' already; rename that one";
  const unsigned number = entry.getNumArguments();
  if (failed(entry.insertArgument(
          number, type, DictionaryAttr(),
          NameLoc::get(StringAttr::get(&getContext(), name)))))
    return failure();
  return Value(entry.getArgument(number));
}

/// Makes an op `name` called `called` and returns its first result; null after
/// an error.
Value AddTraining::makeOp(OpBuilder &builder, OperationName name,
                          StringRef called, ValueRange operands,
                          ArrayRef<NamedAttribute> attributes) {
  OperationState state(NameLoc::get(builder.getStringAttr(called)), name,
                       operands, TypeRange(), attributes);
  if (failed(name.getInterface<InferTypeOpInterface>()->inferReturnTypes(
          &getContext(), state.location, operands,
          builder.getDictionaryAttr(attributes), nullptr, {}, state.types)))
    return {};
  Operation *made = builder.create(state);
  return succeeded(mlir::verify(made)) ? made->getResult(0) : Value();
}

/// The type of the second operand of a loss with `record` for scores of `type`:
/// a label for each row, or a target for each score.
static RankedTensorType getTargetType(const OpRecord &record,
                                      RankedTensorType type) {
  if (!record.getOperandType(1).starts_with("I"))
    return type;
  return RankedTensorType::get(type.getShape().drop_back(),
                               IntegerType::get(type.getContext(), 64));
}

/// Whether the gradient of the loss `name` reaches the scores.
bool AddTraining::reachesScores(OperationName name) {
  OpBuilder builder(&getContext());
  auto type = RankedTensorType::get({2, 3}, builder.getF32Type());
  const OpRecord &record = name.getInterface<WeirOpInterface>()->getRecord();
  Block scratch;
  const Location location = builder.getUnknownLoc();
  Value scores = scratch.addArgument(type, location);
  Value target = scratch.addArgument(getTargetType(record, type), location);
  builder.setInsertionPointToEnd(&scratch);
  Value rows = makeOp(builder, name, "rows", {scores, target}, {});
  const bool passes =
      rows && passesGradient(rows.getDefiningOp<WeirOpInterface>(), scores);
  // An op can be erased only after its users.
  while (!scratch.empty())
    scratch.back().erase();
  return passes;
}

/// The op that makes a loss for each row.
FailureOr<OperationName> AddTraining::findLossOp() {
  std::vector<std::string> names;
  bool isKnown = false;
  for (RegisteredOperationName op : getContext().getRegisteredOperations()) {
    auto *interface = op.getInterface<WeirOpInterface>();
    if (!interface || !comparesRows(interface->getRecord()))
      continue;
    const bool isWanted = op.stripDialect() == option.lossOp;
    isKnown |= isWanted;
    if (!reachesScores(op))
      continue;
    if (isWanted)
      return OperationName(op);
    names.push_back(op.stripDialect().str());
  }
  llvm::sort(names);
  if (isKnown)
    return emitError() << "'" << option.lossOp
                       << "' trains nothing, since its gradient is 0; losses "
                          "that train are "
                       << llvm::join(names, ", ");
  return emitError() << "there is no loss '" << option.lossOp << "'; "
                     << offerNames(option.lossOp, names);
}

/// An error about scores that are integers.
InFlightDiagnostic AddTraining::refuseIntegers(Value scores) {
  Operation *maker = scores.getDefiningOp();
  Value made =
      maker && maker->getNumOperands() > 0 ? maker->getOperand(0) : Value();
  StringRef before;
  if (made && isa<FloatType>(getTensorType(made).getElementType()))
    before = getValueName(made);
  const std::string call =
      (option.lossOp.empty() ? "OP" : option.lossOp) + "(" + before.str() + ")";
  // A node of ONNX may have become several ops of one name.
  const bool isFound =
      !before.empty() &&
      findOutputOrOp(maker->getParentOfType<func::FuncOp>(), before) == made;
  return emitError() << "'" << option.loss << "' is "
                     << withoutLayout(getTensorType(scores))
                     << ", and integers, such as those of an ArgMax, have the "
                        "gradient 0; give the scores that they are made of"
                     << (isFound ? ", as in loss=" + call
                                 : ", as an output of the model");
}

/// Checks that the loss with `record` can use `scores`.
LogicalResult AddTraining::checkScores(Value scores, const OpRecord &record) {
  const RankedTensorType type = withoutLayout(getTensorType(scores));
  // Pointwise losses compare element by element and know no classes.
  const bool hasClasses = !record.isPointwise();
  if (hasClasses && type.getRank() == 0)
    return emitError() << "'" << option.loss
                       << "' is a scalar; expected scores of classes";
  if (hasClasses && type.getShape().back() == 1)
    return emitError() << "'" << option.loss << "' has one score for each "
                       << "example, " << shapeToString(toDims(type)) << ", and "
                       << option.lossOp
                       << " expects one for each class; for two classes by "
                          "one score, give loss=sigmoid_cross_entropy("
                       << option.loss
                       << "), or binary_cross_entropy if it is a probability";
  return success();
}

/// Whether `maker` computes sums, of products or of two operands. Sums may be
/// below 0 or above 1.
static bool givesSums(Operation *maker) {
  auto op = dyn_cast_or_null<WeirOpInterface>(maker);
  if (!op || !op.getOpRecord().isLeaf() || op->getNumOperands() < 2)
    return false;
  const OpRecord &record = op.getOpRecord();
  return record.getCombiner() == Combiner::Sum ||
         (record.isPointwise() && isFormula(*record.getExpression(), "a + b"));
}

/// Warns of scores for a loss that expects probabilities.
void AddTraining::warnOfScores(Value scores) {
  Operation *maker = scores.getDefiningOp();
  if (!givesSums(maker) ||
      "weir." + option.lossOp != BinaryCrossEntropyOp::getOperationName())
    return;
  emitWarning(UnknownLoc::get(&getContext()))
      << "--train: " << option.lossOp << " expects probabilities, and '"
      << option.loss << "' is the result of " << maker->getName()
      << ", which may be any number; for scores, give "
         "loss=sigmoid_cross_entropy("
      << option.loss << ")";
}

/// Finds the loss of `entry`, and adds metrics to `metrics`.
FailureOr<Value> AddTraining::findLoss(func::FuncOp entry,
                                       SmallVector<Value> &metrics) {
  Value found = findOutputOrOp(entry, option.loss);
  auto type = withoutLayout(getTensorType(found));
  if (!isa<FloatType>(type.getElementType()))
    return refuseIntegers(found);
  if (option.lossOp.empty())
    return found;
  FailureOr<OperationName> op = findLossOp();
  if (failed(op))
    return failure();
  const OpRecord &record = op->getInterface<WeirOpInterface>()->getRecord();
  if (failed(checkScores(found, record)))
    return failure();
  const bool hasLabels = record.getOperandType(1).starts_with("I");
  FailureOr<Value> target = addInput(entry, hasLabels ? "labels" : "targets",
                                     getTargetType(record, type));
  if (failed(target))
    return failure();
  entry.setArgAttr(cast<BlockArgument>(*target).getArgNumber(), attrs::compared,
                   UnitAttr::get(&getContext()));
  OpBuilder builder(entry.getBody().front().getTerminator());
  Value rows = makeOp(builder, *op, "loss.rows", {found, *target}, {});
  if (!rows)
    return failure();
  if (hasLabels)
    if (Value accuracy =
            makeOp(builder,
                   OperationName(AccuracyOp::getOperationName(), &getContext()),
                   "accuracy", {found, *target}, {}))
      metrics.push_back(accuracy);
  if (getTensorType(rows).getRank() == 0)
    return rows;
  Value mean = makeOp(
      builder, OperationName(ReduceMeanOp::getOperationName(), &getContext()),
      "loss", rows,
      builder.getNamedAttr("keepdims", builder.getBoolAttr(false)));
  if (!mean)
    return failure();
  return mean;
}

/// Makes `entry`, a copy, return the loss. If `trains`, the copy also trains.
LogicalResult AddTraining::addTo(func::FuncOp entry, bool trains) {
  if (trains && failed(setTrainingMode(entry)))
    return failure();
  SmallVector<Value> metrics;
  FailureOr<Value> loss = findLoss(entry, metrics);
  if (failed(loss))
    return failure();
  if (trains)
    warnOfScores(findOutputOrOp(entry, option.loss));
  // An unknown dim may be 1.
  if (auto type = getTensorType(*loss);
      trains && llvm::any_of(toDims(type), [](int64_t size) {
        return size != 1 && size != unknownDim;
      }))
    return emitError() << "the loss '" << option.loss << "' is "
                       << shapeToString(toDims(type))
                       << ", expected one element; give loss=OP(" << option.loss
                       << "), where OP compares it with a target, such as "
                          "squared_error";
  Operation *end = entry.getBody().front().getTerminator();
  OpBuilder builder(end);
  SmallVector<Value> outputs = {*loss};
  llvm::append_range(outputs, metrics);
  if (trains) {
    SmallVector<Value> operands = {*loss};
    if (!option.rate.empty()) {
      FailureOr<Value> rate = addInput(
          entry, option.rate, RankedTensorType::get({}, builder.getF32Type()));
      if (failed(rate))
        return failure();
      operands.push_back(*rate);
    }
    // Errors about the op name the flag, because the user's graph does not
    // contain the op.
    OperationState state(
        NameLoc::get(builder.getStringAttr("minimize"),
                     NameLoc::get(builder.getStringAttr("--train"))),
        MinimizeOp::getOperationName(), operands, TypeRange(),
        toDictionary(option.minimize, &getContext()).getValue());
    if (failed(verifyAdded(builder.create(state))))
      return failure();
  }
  end->setOperands(outputs);
  SmallVector<Type> types(ValueRange(outputs).getTypes());
  entry.setFunctionType(
      builder.getFunctionType(entry.getArgumentTypes(), types));
  SmallVector<DictionaryAttr> names;
  for (StringRef name : {"loss", "accuracy"})
    if (names.size() < outputs.size())
      names.push_back(builder.getDictionaryAttr(
          builder.getNamedAttr(attrs::name, builder.getStringAttr(name))));
  entry.setAllResultAttrs(names);
  return success();
}

LogicalResult AddTraining::add() {
  StatusOr<TrainOption> parsed = parseTrainOption(train);
  if (!parsed.isOk())
    return emitError() << parsed.status().message();
  option = *std::move(parsed);
  const bool isAdded = option.entry == trainName ||
                       (option.entry == evaluateName && !option.lossOp.empty());
  if (isAdded)
    return emitError() << "entry=" << option.entry
                       << " names an entry that is added; 'entry' is the one "
                          "that has the loss, so name that one, or leave it "
                          "out";
  FailureOr<SmallVector<func::FuncOp>> entries = findEntries();
  if (failed(entries))
    return failure();
  for (func::FuncOp entry : *entries) {
    FailureOr<func::FuncOp> made = copy(entry, trainName);
    removeDropout(entry);
    if (failed(made) || failed(addTo(*made, /*trains=*/true)))
      return failure();
    // An entry that returns the loss already evaluates.
    if (option.lossOp.empty())
      continue;
    made = copy(entry, evaluateName);
    if (failed(made) || failed(addTo(*made, /*trains=*/false)))
      return failure();
  }
  return success();
}
