//===- Training.cpp - What weir.minimize asks for ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/Training.h"

#include "NumberReader.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/NearNames.h"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

using namespace mlir;
using namespace weir;

//===----------------------------------------------------------------------===//
// Optimisers
//===----------------------------------------------------------------------===//

Status weir::checkUpdateNumbers(const AttrMap &attrs) {
  constexpr std::pair<StringLiteral, NumberRange> ranges[] = {
      {"beta1", fraction},   {"beta2", fraction},       {"epsilon", aboveZero},
      {"initial", fromZero}, {"l1_decay", fromZero},    {"momentum", fraction},
      {"rho", fraction},     {"weight_decay", fromZero}};
  for (const auto &[name, range] : ranges)
    if (attrs.has(std::string_view(name)))
      WEIR_RETURN_IF_ERROR(
          checkNumber(name, attrs.floatOr(std::string_view(name), 0), range));
  const bool needsMomentum =
      attrs.intOr("nesterov", 0) || attrs.intOr("rate_inside", 0);
  if (needsMomentum && attrs.floatOr("momentum", 0) == 0)
    return invalidArgument("'nesterov' and 'rate_inside' say how 'momentum' "
                           "is used, which is 0; give it, or leave them out");
  return Status::ok();
}

SmallVector<UpdateState> Optimizer::listState() const {
  return methods().listState(toAttrMap(numbers));
}

bool TrainedGroup::fits(StringRef parameter) const {
  return llvm::any_of(
      globs, [&](const Glob &glob) { return glob.matches(parameter); });
}

/// The names of all optimisers.
static std::vector<std::string> listOptimizers(MLIRContext *context) {
  std::vector<std::string> names;
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.hasInterface<UpdateOpInterface>()) {
      StringRef name = op.stripDialect();
      name.consume_back("_update");
      names.push_back(name.str());
    }
  llvm::sort(names);
  return names;
}

/// The optimiser called `name`.
static StatusOr<OperationName> findOptimizer(StringRef name,
                                             MLIRContext *context) {
  auto op = RegisteredOperationName::lookup(("weir." + name + "_update").str(),
                                            context);
  if (op && op->hasInterface<UpdateOpInterface>())
    return *op;
  return invalidArgument(
      fmt::format("there is no optimiser '{}'; {}", std::string_view(name),
                  offerNames(std::string_view(name), listOptimizers(context))));
}

/// The text called `name` in `options`, or an error if there is none.
static StatusOr<StringRef> readName(DictionaryAttr options, StringRef of) {
  auto name = options.getAs<StringAttr>("name");
  if (name && !name.empty())
    return name.getValue();
  return invalidArgument(fmt::format("{} expects its name, as in {{name = "
                                     "\"...\"}}",
                                     std::string_view(of)));
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

namespace {
/// A schedule of the rate. `write` reads the numbers of the schedule and
/// returns the expression of its factor. `time` is the expression of the number
/// of earlier updates.
struct Schedule {
  StringLiteral name;
  std::string (*write)(NumberReader &numbers, const std::string &time);
};
} // namespace

/// The expression of a number that is 1 first and is multiplied by `factor` at
/// each of the times `at`.
static std::string writeMultistep(NumberReader &numbers,
                                  const std::string &time) {
  const double factor = numbers.number("factor", 0.1, aboveZero);
  const std::vector<int64_t> at = numbers.increasing("at");
  std::string text = fmt::format("{}", std::pow(factor, at.size()));
  for (size_t i = at.size(); i > 0; --i)
    text = fmt::format("select({} < {}, {}, {})", time, at[i - 1],
                       std::pow(factor, i - 1), text);
  return text;
}

/// The expression of the fraction of `steps` that has passed, from 0 to 1.
static std::string writeProgress(NumberReader &numbers,
                                 const std::string &time) {
  const double steps = numbers.number("steps", std::nullopt, aCount);
  return fmt::format("(min({}, {}) / {})", time, steps, steps);
}

static std::string writePolynomial(NumberReader &numbers,
                                   const std::string &time) {
  const std::string progress = writeProgress(numbers, time);
  const double last = numbers.number("final", 0, fromZero);
  return fmt::format("{} + {} * pow(1 - {}, {})", last, 1 - last, progress,
                     numbers.number("power", 1, aboveZero));
}

static std::string writeCosine(NumberReader &numbers, const std::string &time) {
  const std::string progress = writeProgress(numbers, time);
  const double last = numbers.number("final", 0, fromZero);
  return fmt::format("{} + {} * (1 + cos({} * {}))", last, (1 - last) / 2,
                     std::numbers::pi, progress);
}

static std::string writeFixed(NumberReader &, const std::string &) {
  return "1";
}

static std::string writeStep(NumberReader &numbers, const std::string &time) {
  return fmt::format("pow({}, floor({} / {}))",
                     numbers.number("factor", 0.1, aboveZero), time,
                     numbers.number("every", std::nullopt, aCount));
}

static std::string writeExponential(NumberReader &numbers,
                                    const std::string &time) {
  return fmt::format("pow({}, {} / {})",
                     numbers.number("factor", std::nullopt, aboveZero), time,
                     numbers.number("every", 1, aCount));
}

static std::string writeInverse(NumberReader &numbers,
                                const std::string &time) {
  const double gamma = numbers.number("gamma", std::nullopt, aboveZero);
  return fmt::format("pow(1 + {} * {}, -{})", gamma, time,
                     numbers.number("power", 1, aboveZero));
}

static std::string writeSigmoid(NumberReader &numbers,
                                const std::string &time) {
  const double gamma = numbers.number("gamma", std::nullopt, aboveZero);
  return fmt::format("1 / (1 + exp({} * ({} - {})))", gamma, time,
                     numbers.number("steps", std::nullopt, aCount));
}

static constexpr Schedule schedules[] = {
    {"cosine", writeCosine},       {"exponential", writeExponential},
    {"fixed", writeFixed},         {"inverse", writeInverse},
    {"multistep", writeMultistep}, {"polynomial", writePolynomial},
    {"sigmoid", writeSigmoid},     {"step", writeStep}};

/// The expression of the schedule `options`. A warm-up comes first. The
/// schedule itself counts from the end of the warm-up.
static StatusOr<std::string> readSchedule(DictionaryAttr options) {
  if (!options)
    return std::string();
  WEIR_ASSIGN_OR_RETURN(StringRef name, readName(options, "'schedule'"));
  const auto *found = llvm::find_if(
      schedules, [&](const Schedule &each) { return each.name == name; });
  if (found == std::end(schedules)) {
    std::vector<std::string> names;
    for (const Schedule &each : schedules)
      names.push_back(each.name.str());
    return invalidArgument(
        fmt::format("there is no schedule '{}'; {}", std::string_view(name),
                    offerNames(std::string_view(name), names)));
  }
  NumberReader numbers(options,
                       fmt::format("schedule '{}'", std::string_view(name)));
  numbers.take("name");
  const double warmup = numbers.number("warmup", 0, aNumberOfSteps);
  std::string text = found->write(
      numbers, warmup == 0 ? "a" : fmt::format("max(a - {}, 0)", warmup));
  WEIR_RETURN_IF_ERROR(numbers.finish());
  if (warmup == 0)
    return text;
  return fmt::format("select(a < {}, (a + 1) / {}, {})", warmup, warmup, text);
}

//===----------------------------------------------------------------------===//
// Training plans
//===----------------------------------------------------------------------===//

namespace {
class TrainingPlanReader {
public:
  explicit TrainingPlanReader(MinimizeOp op) : op(op) {}

  StatusOr<TrainingPlan> read();

private:
  Status readOptimizer(TrainingPlan &plan);
  Status readGroups(TrainingPlan &plan);
  Status readNumbers(TrainingPlan &plan);

  MinimizeOp op;
};
} // namespace

static StatusOr<std::vector<Glob>>
parseGlobs(const std::vector<std::string> &patterns) {
  std::vector<Glob> globs;
  for (const std::string &pattern : patterns) {
    StatusOr<Glob> glob = Glob::parse(pattern);
    if (!glob.isOk())
      return std::move(glob).status().withContext(
          fmt::format("parameters '{}'", pattern));
    globs.push_back(*std::move(glob));
  }
  return globs;
}

/// The numbers of an optimiser, completed by `defaults` and checked.
static StatusOr<DictionaryAttr> checkNumbers(NumberReader &numbers,
                                             DictionaryAttr defaults,
                                             const std::string &what) {
  DictionaryAttr all = numbers.complete(defaults);
  WEIR_RETURN_IF_ERROR(numbers.finish());
  if (Status status = checkUpdateNumbers(toAttrMap(all)); !status.isOk())
    return std::move(status).withContext(what);
  return all;
}

Status TrainingPlanReader::readOptimizer(TrainingPlan &plan) {
  DictionaryAttr options = op.getOptimizer();
  WEIR_ASSIGN_OR_RETURN(StringRef name, readName(options, "'optimizer'"));
  WEIR_ASSIGN_OR_RETURN(plan.optimizer.update,
                        findOptimizer(name, op.getContext()));
  const std::string what =
      fmt::format("optimiser '{}'", std::string_view(name));
  NumberReader numbers(options, what);
  numbers.take("name");
  if (op.getRate() && numbers.has("rate"))
    return invalidArgument(what + " has a 'rate', and so has the op as an "
                                  "operand; give one of them");
  if (!op.getRate())
    plan.rate = numbers.number("rate", std::nullopt, aboveZero);
  WEIR_ASSIGN_OR_RETURN(
      plan.optimizer.numbers,
      checkNumbers(numbers,
                   plan.optimizer.methods().getDefaults(op.getContext()),
                   what));
  return Status::ok();
}

Status TrainingPlanReader::readGroups(TrainingPlan &plan) {
  ArrayAttr groups = op.getGroupsAttr();
  for (Attribute each : groups ? groups.getValue() : ArrayRef<Attribute>()) {
    const std::string what =
        fmt::format("group {} (counted from 0)", plan.groups.size());
    NumberReader numbers(cast<DictionaryAttr>(each), what);
    TrainedGroup group;
    const std::vector<std::string> patterns = numbers.texts("parameters");
    group.rateFactor = numbers.number("rate_factor", 1, fromZero);
    group.isFrozen = numbers.truth("frozen", false);
    WEIR_ASSIGN_OR_RETURN(group.numbers,
                          checkNumbers(numbers, plan.optimizer.numbers, what));
    WEIR_ASSIGN_OR_RETURN(group.globs, parseGlobs(patterns));
    plan.groups.push_back(std::move(group));
  }
  return Status::ok();
}

Status TrainingPlanReader::readNumbers(TrainingPlan &plan) {
  NamedAttrList given;
  for (StringRef name : {"clip_value", "clip_norm", "accumulate"})
    if (Attribute value = op->getAttr(name))
      given.set(name, value);
  NumberReader numbers(given.getDictionary(op.getContext()), "");
  plan.clipValue = numbers.number("clip_value", 0, aboveZero);
  plan.clipNorm = numbers.number("clip_norm", 0, aboveZero);
  plan.accumulate =
      static_cast<int64_t>(numbers.number("accumulate", 1, aCount));
  return numbers.finish();
}

StatusOr<TrainingPlan> TrainingPlanReader::read() {
  TrainingPlan plan{
      {OperationName(MinimizeOp::getOperationName(), op.getContext()), {}},
      {},
      {},
      {},
      {}};
  WEIR_RETURN_IF_ERROR(readOptimizer(plan));
  WEIR_ASSIGN_OR_RETURN(plan.schedule, readSchedule(op.getScheduleAttr()));
  WEIR_RETURN_IF_ERROR(readGroups(plan));
  WEIR_RETURN_IF_ERROR(readNumbers(plan));
  std::vector<std::string> patterns;
  if (ArrayAttr parameters = op.getParametersAttr())
    for (auto pattern : parameters.getAsRange<StringAttr>())
      patterns.push_back(pattern.str());
  WEIR_ASSIGN_OR_RETURN(plan.globs, parseGlobs(patterns));
  return plan;
}

/// Checks that the loss and the rate are scalars of a float type.
static LogicalResult verifyScalars(MinimizeOp op) {
  for (Value value : op->getOperands()) {
    const bool isLoss = value == op.getLoss();
    auto type = getTensorType(value);
    const bool isOne =
        isLoss ? !type.hasStaticShape() || type.getNumElements() == 1
               : type.getRank() == 0;
    if (isOne && isa<FloatType>(type.getElementType()))
      continue;
    const StringRef name = getName(value.getLoc());
    return op.emitOpError("expects ")
           << (isLoss ? "a loss with one element of floats"
                      : "a scalar of floats as the rate")
           << ", found " << (name.empty() ? "" : ("'" + name + "' of ").str())
           << type << (isLoss ? "; sum it or take its mean first" : "");
  }
  return success();
}

FailureOr<TrainingPlan> weir::readTraining(MinimizeOp op) {
  if (failed(verifyScalars(op)))
    return failure();
  StatusOr<TrainingPlan> plan = TrainingPlanReader(op).read();
  if (!plan.isOk())
    return op.emitOpError() << plan.status().message();
  return *std::move(plan);
}
