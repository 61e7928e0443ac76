//===- TrainedParameters.cpp - Which parameters a step updates --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TrainedParameters.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Support/NearNames.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weir;

namespace {
/// Chooses among the float parameters that an entry reads.
class Chooser {
public:
  Chooser(MinimizeOp op, const TrainingPlan &plan, llvm::StringSet<> &taken)
      : op(op), plan(plan), taken(taken) {}

  FailureOr<SmallVector<TrainedParameter>> run();

private:
  struct Candidate {
    SmallVector<ReadOp> reads;
    bool isReached = false;
    bool isAssigned = false;
  };

  void collect();
  void findReached();
  LogicalResult checkGlob(const Glob &glob);
  std::string describeUntrained(const Glob &glob) const;
  LogicalResult checkGroup(size_t number, const llvm::StringSet<> &trained);
  LogicalResult checkGroups(const llvm::StringSet<> &trained);
  size_t findGroup(StringRef name) const;
  TrainedParameter makeTrained(StringRef name, ArrayRef<ReadOp> reads);
  std::string offerParameters(StringRef name) const;
  void report();
  LogicalResult refuseNone();

  MinimizeOp op;
  const TrainingPlan &plan;
  llvm::StringSet<> &taken;
  /// The candidates by name, in the order of the text.
  llvm::MapVector<StringRef, Candidate> candidates;
};
} // namespace

static bool hasFloats(Value value) {
  return isa<FloatType>(getTensorType(value).getElementType());
}

void Chooser::collect() {
  Block &block = *op->getBlock();
  for (auto read : block.getOps<ReadOp>())
    if (hasFloats(read.getResult()))
      candidates[read.getParameter()].reads.push_back(read);
  for (auto assign : block.getOps<AssignOp>())
    if (auto found = candidates.find(assign.getParameter());
        found != candidates.end())
      found->second.isAssigned = true;
  for (auto &[name, candidate] : candidates)
    candidate.isAssigned |= taken.contains(name);
}

/// Finds the parameters on which the loss depends through float values.
void Chooser::findReached() {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Operation *> open;
  auto visit = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    if (maker && hasFloats(value) && !isa<StopGradientOp>(maker) &&
        seen.insert(maker).second)
      open.push_back(maker);
  };
  visit(op.getLoss());
  while (!open.empty()) {
    Operation *maker = open.pop_back_val();
    if (auto read = dyn_cast<ReadOp>(maker))
      candidates[read.getParameter()].isReached = true;
    for (Value operand : maker->getOperands())
      visit(operand);
  }
}

std::string Chooser::offerParameters(StringRef name) const {
  std::vector<std::string> names;
  for (const auto &[known, candidate] : candidates)
    names.push_back(known.str());
  return offerNames(std::string_view(name), names);
}

/// Checks that a glob fits a parameter that can be trained. If the glob is the
/// name of a parameter, that parameter must be trainable.
LogicalResult Chooser::checkGlob(const Glob &glob) {
  StringRef pattern = glob.pattern();
  bool fitsAny = false, fitsReached = false;
  for (const auto &[name, candidate] : candidates) {
    if (!glob.matches(std::string_view(name)))
      continue;
    fitsAny = true;
    fitsReached |= candidate.isReached;
    if (candidate.isAssigned && name == pattern)
      return op.emitOpError("trains parameter '")
             << name
             << "', which something else in the entry assigns or trains; leave "
                "one of them out";
  }
  if (!fitsAny)
    return op.emitOpError("finds no parameter of floats for '")
           << pattern << "' that the entry reads; " << offerParameters(pattern);
  if (!fitsReached)
    return op.emitOpError("finds no path from '")
           << pattern << "' to the loss '" << getValueName(op.getLoss())
           << "'; leave the parameter out, or remove what stops its gradient: "
              "an op that does so, or one with an integer result";
  return success();
}

size_t Chooser::findGroup(StringRef name) const {
  size_t number = 0;
  while (number < plan.groups.size() && !plan.groups[number].fits(name))
    ++number;
  return number;
}

/// Why no trained parameter fits `glob` of a group.
std::string Chooser::describeUntrained(const Glob &glob) const {
  for (const auto &[name, candidate] : candidates) {
    if (!glob.matches(std::string_view(name)))
      continue;
    const char *why =
        candidate.isAssigned  ? "assigned or trained by something else in the "
                                "entry; "
        : candidate.isReached ? "not among 'parameters'; add it there, or "
                              : "nothing on which the loss depends; ";
    return ("'" + name + "' is " + why + "leave the group out").str();
  }
  return offerParameters(glob.pattern());
}

/// Checks that a group has a parameter that is in no earlier group.
LogicalResult Chooser::checkGroup(size_t number,
                                  const llvm::StringSet<> &trained) {
  auto error = [&] {
    return op.emitOpError("group ") << number << " (counted from 0) ";
  };
  std::string fits;
  bool isFirst = false;
  for (const Glob &glob : plan.groups[number].globs) {
    bool fitsGlob = false;
    for (const auto &[name, candidate] : candidates) {
      if (!trained.contains(name) || !glob.matches(std::string_view(name)))
        continue;
      fitsGlob = true;
      fits = name.str();
      isFirst |= findGroup(name) == number;
    }
    if (!fitsGlob)
      return error() << "finds no trained parameter for '" << glob.pattern()
                     << "'; " << describeUntrained(glob);
  }
  if (isFirst || fits.empty())
    return success();
  return error() << "has no parameter of its own: '" << fits << "' is in group "
                 << findGroup(fits)
                 << " already, since the first group that fits counts; write "
                    "group "
                 << number << " in front of it";
}

LogicalResult Chooser::checkGroups(const llvm::StringSet<> &trained) {
  for (size_t number = 0; number < plan.groups.size(); ++number)
    if (failed(checkGroup(number, trained)))
      return failure();
  return success();
}

/// Reads the parameter once, where the entry begins, so that one value has the
/// whole gradient.
TrainedParameter Chooser::makeTrained(StringRef name, ArrayRef<ReadOp> reads) {
  ReadOp first = reads.front();
  first->moveBefore(&op->getBlock()->front());
  for (ReadOp other : reads.drop_front()) {
    other.getResult().replaceAllUsesWith(first.getResult());
    other.erase();
  }
  TrainedParameter trained{name, first, nullptr, findGroup(name)};
  // A `weir.minimize` may read the parameter as its rate. But it does not count
  // as a reader, because it is replaced.
  for (Operation *reader : first->getUsers())
    if (!isa<MinimizeOp>(reader) &&
        (!trained.firstReader || reader->isBeforeInBlock(trained.firstReader)))
      trained.firstReader = reader;
  if (!trained.firstReader)
    trained.firstReader = first;
  return trained;
}

/// Names the parameters that are not trained although no option excludes them.
void Chooser::report() {
  SmallVector<StringRef> names;
  for (const auto &[name, candidate] : candidates)
    if (!candidate.isReached && !candidate.isAssigned)
      names.push_back(name);
  if (!names.empty())
    op.emitRemark("does not train '")
        << llvm::join(names, "', '") << "', on which the loss does not depend";
}

/// The error that there is nothing to train.
LogicalResult Chooser::refuseNone() {
  SmallVector<StringRef> elsewhere;
  for (const auto &[name, candidate] : candidates)
    if (candidate.isReached && taken.contains(name))
      elsewhere.push_back(name);
  if (!elsewhere.empty())
    return op.emitOpError("has no parameter to train: a 'weir.minimize' above "
                          "trains '")
           << llvm::join(elsewhere, "', '")
           << "' already; leave one of the two out, or give each its own with "
              "'parameters'";
  return op.emitOpError("has no parameter to train: the loss depends on no "
                        "parameter of floats that is neither frozen nor "
                        "assigned by the entry");
}

FailureOr<SmallVector<TrainedParameter>> Chooser::run() {
  collect();
  findReached();
  for (const Glob &glob : plan.globs)
    if (failed(checkGlob(glob)))
      return failure();
  if (plan.globs.empty())
    report();
  llvm::StringSet<> names;
  for (const auto &[name, candidate] : candidates)
    if (candidate.isReached && !candidate.isAssigned &&
        (plan.globs.empty() || llvm::any_of(plan.globs, [&](const Glob &glob) {
           return glob.matches(std::string_view(name));
         })))
      names.insert(name);
  if (failed(checkGroups(names)))
    return failure();
  SmallVector<TrainedParameter> trained;
  for (const auto &[name, candidate] : candidates)
    if (names.contains(name) && (findGroup(name) == plan.groups.size() ||
                                 !plan.groups[findGroup(name)].isFrozen))
      trained.push_back(makeTrained(name, candidate.reads));
  if (trained.empty())
    return refuseNone();
  if (llvm::all_of(trained, [&](const TrainedParameter &each) {
        return each.group < plan.groups.size() &&
               plan.groups[each.group].rateFactor == 0;
      }))
    return op.emitOpError("trains nothing: 'rate_factor' is 0 for all "
                          "parameters that it trains; give some a factor "
                          "above 0");
  for (const TrainedParameter &each : trained)
    taken.insert(each.name);
  llvm::stable_sort(trained, [](const auto &left, const auto &right) {
    return right.firstReader->isBeforeInBlock(left.firstReader);
  });
  return trained;
}

FailureOr<SmallVector<TrainedParameter>>
weir::chooseTrained(MinimizeOp op, const TrainingPlan &plan,
                    llvm::StringSet<> &taken) {
  return Chooser(op, plan, taken).run();
}
