//===- GradientCheck.cpp - Compares gradients with differences --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//   weir-gradient-check OP.mlir...
//   weir-gradient-check --random=COUNT [--seed=N] [--twice] [--print]
//
// The first takes the cases of tests of ops (test/Ops) with all floats as f64.
// The loss of a case is a sum of its results' elements, each with a random
// weight. The gradients that weir-differentiate builds are compared with
// central differences of the loss, both by the reference kernels. Prints a line
// per op: how many cases were compared, or why the op has no gradient.
//
// The second does the same with random graphs. With --twice, what is
// differentiated is itself the gradient of a random graph. With --print, it
// prints the graphs with their losses and gradients and compares nothing.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "RandomGraph.h"

#include "weir/Compiler/Registration.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Training/Passes.h"
#include "weir/Import/Text.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <random>

using namespace mlir;
using namespace weir;
using namespace weir::opcheck;
namespace cl = llvm::cl;

static cl::list<std::string> inputFiles(cl::Positional,
                                        cl::desc("<tests of ops>"));
static cl::opt<unsigned> numRandom("random", cl::init(0),
                                   cl::desc("The number of random graphs"));
static cl::opt<unsigned> firstSeed("seed", cl::init(1),
                                   cl::desc("The seed of the first of them"));
static cl::opt<bool> isTwice("twice",
                             cl::desc("Differentiate gradients of graphs"));
static cl::opt<bool> isPrinted("print", cl::desc("Print the random graphs"));

namespace {
/// What became of one case.
struct Outcome {
  enum class Kind { Compared, Failed, NoFloats, NotFinite, NoGradient };
  Kind kind;
  std::string text;
};

/// Maps inputs into the domain of an op.
using InputMap = double (*)(double);
constexpr InputMap inputMaps[] = {
    [](double x) { return x; },
    [](double x) { return std::abs(x) + 0.1; },
    [](double x) { return std::abs(x) + 1.1; },
    [](double x) { return 0.9 * x / (1 + std::abs(x)); },
};
} // namespace

//===----------------------------------------------------------------------===//
// The function of a case
//===----------------------------------------------------------------------===//

static Type widen(Type type) {
  if (isa<FloatType>(type))
    return Float64Type::get(type.getContext());
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(),
                                 widen(tensor.getElementType()));
  return type;
}

static DenseElementsAttr widen(ElementsAttr elements) {
  SmallVector<Attribute> values;
  Type f64 = Float64Type::get(elements.getContext());
  for (APFloat value : elements.getValues<APFloat>()) {
    bool losesInfo = false;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    values.push_back(FloatAttr::get(f64, value));
  }
  return DenseElementsAttr::get(
      cast<RankedTensorType>(widen(elements.getType())), values);
}

/// Makes all floats of `op` f64. Fails if the op does not take them.
static LogicalResult widenOp(Operation &op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    if (isa<FloatType>(constant.getValue().getElementType())) {
      constant.setValueAttr(widen(constant.getValue()));
      constant.getResult().setType(
          cast<RankedTensorType>(widen(constant.getType())));
    }
    return success();
  }
  for (NamedAttribute named : llvm::to_vector(op.getAttrs()))
    if (auto type = dyn_cast<TypeAttr>(named.getValue()))
      op.setAttr(named.getName(), TypeAttr::get(widen(type.getValue())));
  auto interface = dyn_cast<InferTypeOpInterface>(op);
  if (!interface)
    return success();
  SmallVector<Type> types;
  if (failed(interface.inferReturnTypes(
          op.getContext(), std::nullopt, op.getOperands(),
          op.getAttrDictionary(), nullptr, {}, types)))
    return failure();
  for (auto [result, type] : llvm::zip_equal(op.getResults(), types))
    result.setType(type);
  return success();
}

static bool isFloat(Value value) {
  return isa<FloatType>(getTensorType(value).getElementType());
}

/// Replaces the results of `function` by the loss and, with `gradients`, by the
/// gradients of all inputs of floats. Returns false if there is none.
static bool addLoss(func::FuncOp function, bool gradients,
                    std::mt19937_64 &random) {
  Block &block = function.getBody().front();
  Operation *end = block.getTerminator();
  OpBuilder builder(end);
  Location location = function.getLoc();
  std::uniform_real_distribution<double> weights(0.5, 1.5);
  Value loss;
  for (Value result : llvm::to_vector(end->getOperands())) {
    if (!isFloat(result) || getTensorType(result).getNumElements() == 0)
      continue;
    SmallVector<Attribute> values;
    for (int64_t i = 0; i < getTensorType(result).getNumElements(); ++i)
      values.push_back(builder.getF64FloatAttr(i % 3 == 0 ? -weights(random)
                                                          : weights(random)));
    Value weight = ConstantOp::create(
        builder, location,
        DenseElementsAttr::get(withoutLayout(getTensorType(result)), values));
    Value product = MulOp::create(builder, location, ValueRange{result, weight})
                        ->getResult(0);
    Value sum = ReduceSumOp::create(builder, location, ValueRange{product},
                                    builder.getNamedAttr(
                                        "keepdims", builder.getBoolAttr(false)))
                    ->getResult(0);
    loss = loss ? AddOp::create(builder, location, ValueRange{loss, sum})
                      ->getResult(0)
                : sum;
  }
  SmallVector<Value> of;
  llvm::copy_if(block.getArguments(), std::back_inserter(of),
                [](Value argument) { return isFloat(argument); });
  if (!loss || of.empty())
    return false;
  SmallVector<Value> results = {loss};
  if (gradients)
    llvm::append_range(
        results, GradientOp::create(builder, location, loss, of).getResults());
  end->setOperands(results);
  function.setType(builder.getFunctionType(function.getArgumentTypes(),
                                           ValueRange(results).getTypes()));
  return true;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

namespace {
class CaseCheck {
public:
  CaseCheck(func::FuncOp original, unsigned seed)
      : original(original), random(seed) {}

  Outcome run();
  /// The function with its loss and gradients as results. Only after `run`.
  func::FuncOp getBackward();
  /// The function with its loss and, with `gradients`, those of all inputs.
  StatusOr<OwningOpRef<ModuleOp>> makeModule(bool gradients);

private:
  StatusOr<std::vector<HostTensor>> makeInputs(InputMap map);
  StatusOr<double> lossAt(const std::vector<HostTensor> &inputs, size_t number,
                          ArrayRef<double> direction, double step);
  Outcome compare(const std::vector<HostTensor> &inputs,
                  const std::vector<HostTensor> &gradients);
  std::vector<std::vector<double>> makeDirections(int64_t size);

  func::FuncOp original;
  std::mt19937_64 random;
  OwningOpRef<ModuleOp> forward, backward;
};
} // namespace

static func::FuncOp getFunction(ModuleOp module) {
  return *module.getOps<func::FuncOp>().begin();
}

StatusOr<OwningOpRef<ModuleOp>> CaseCheck::makeModule(bool gradients) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(original.getLoc());
  func::FuncOp function = original.clone();
  module->push_back(function);
  Block &block = function.getBody().front();
  SmallVector<Type> inputs;
  for (BlockArgument argument : block.getArguments()) {
    argument.setType(widen(argument.getType()));
    inputs.push_back(argument.getType());
  }
  for (Operation &op : block.without_terminator())
    if (failed(widenOp(op)))
      return invalidArgument("takes no f64");
  function.setType(FunctionType::get(function.getContext(), inputs,
                                     block.getTerminator()->getOperandTypes()));
  // Both modules get the same weights.
  std::mt19937_64 weights(7);
  if (!addLoss(function, gradients, weights))
    return notFound("has no floats to differentiate");
  return module;
}

/// Random inputs; integers are as large as the smallest dim allows.
StatusOr<std::vector<HostTensor>> CaseCheck::makeInputs(InputMap map) {
  std::normal_distribution<double> normal;
  int64_t least = 4;
  for (Type type : getFunction(*forward).getArgumentTypes())
    for (int64_t dim : cast<RankedTensorType>(type).getShape())
      if (dim > 0)
        least = std::min(least, dim);
  std::vector<HostTensor> inputs;
  for (Type type : getFunction(*forward).getArgumentTypes()) {
    auto tensorType = cast<RankedTensorType>(type);
    DType element = *toDType(tensorType.getElementType());
    WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                          HostTensor::zeros(element, toDims(tensorType)));
    for (int64_t i = 0; i < tensorType.getNumElements(); ++i)
      if (weir::isFloat(element))
        storeFloat(element, tensor.data(), i, map(normal(random)));
      else
        storeInt(element, tensor.data(), i,
                 static_cast<int64_t>(
                     random() %
                     static_cast<uint64_t>(element == DType::I1 ? 2 : least)));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

StatusOr<double> CaseCheck::lossAt(const std::vector<HostTensor> &inputs,
                                   size_t number, ArrayRef<double> direction,
                                   double step) {
  Case moved;
  moved.function = getFunction(*forward);
  for (const HostTensor &input : inputs) {
    WEIR_ASSIGN_OR_RETURN(
        HostTensor copy,
        HostTensor::copyOf(input.type(), input.dims(), input.bytes()));
    moved.inputs.push_back(std::move(copy));
  }
  auto *values = static_cast<double *>(moved.inputs[number].data());
  for (auto [i, along] : llvm::enumerate(direction))
    values[i] += step * along;
  WEIR_ASSIGN_OR_RETURN(std::vector<HostTensor> results,
                        evaluate(moved, Engine::Reference));
  return *static_cast<const double *>(results[0].data());
}

/// Some single elements, and two directions in all elements.
std::vector<std::vector<double>> CaseCheck::makeDirections(int64_t size) {
  constexpr int64_t most = 6;
  std::vector<std::vector<double>> directions;
  for (int64_t i = 0; i < std::min(size, most); ++i) {
    std::vector<double> direction(static_cast<size_t>(size), 0.0);
    direction[size <= most ? i : random() % size] = 1;
    directions.push_back(std::move(direction));
  }
  std::normal_distribution<double> normal;
  for (int i = 0; i < 2; ++i) {
    std::vector<double> direction(static_cast<size_t>(size));
    for (double &along : direction)
      along = normal(random);
    directions.push_back(std::move(direction));
  }
  return directions;
}

Outcome CaseCheck::compare(const std::vector<HostTensor> &inputs,
                           const std::vector<HostTensor> &gradients) {
  constexpr double step = 1e-5, tolerance = 1e-6;
  size_t next = 1, numCompared = 0, numKinks = 0;
  for (auto [number, input] : llvm::enumerate(inputs)) {
    if (!weir::isFloat(input.type()))
      continue;
    const auto *gradient =
        static_cast<const double *>(gradients[next++].data());
    int64_t size = static_cast<int64_t>(input.bytes().size() / sizeof(double));
    for (const std::vector<double> &direction : makeDirections(size)) {
      double found = 0;
      for (int64_t i = 0; i < size; ++i)
        found += direction[i] * gradient[i];
      double differences[2], noise = 0;
      for (auto [which, h] : {std::pair{0, step}, std::pair{1, step / 4}}) {
        auto above = lossAt(inputs, number, direction, h);
        auto below = lossAt(inputs, number, direction, -h);
        if (!above || !below)
          return {Outcome::Kind::Failed,
                  std::string(above ? below.status().message()
                                    : above.status().message())};
        differences[which] = (*above - *below) / (2 * h);
        noise = std::abs(*above) * std::numeric_limits<double>::epsilon() / h;
      }
      double scale = std::max(1.0, std::abs(differences[1]));
      // At a kink, the difference depends on the step. The difference of large
      // losses is lost in their rounding.
      if (std::abs(differences[0] - differences[1]) > tolerance * scale ||
          noise > tolerance * scale) {
        ++numKinks;
        continue;
      }
      ++numCompared;
      if (!(std::abs(found - differences[1]) <= tolerance * scale))
        return {Outcome::Kind::Failed,
                fmt::format("input {}: the gradient is {}, the difference {}",
                            number, found, differences[1])};
    }
  }
  if (numKinks > numCompared)
    return {Outcome::Kind::NotFinite, "more kinks than smooth points"};
  return {Outcome::Kind::Compared, ""};
}

func::FuncOp CaseCheck::getBackward() { return getFunction(*backward); }

Outcome CaseCheck::run() {
  auto made = makeModule(/*gradients=*/false);
  if (!made)
    return {Outcome::Kind::NoFloats, std::string(made.status().message())};
  forward = *std::move(made);
  backward = *makeModule(/*gradients=*/true);
  std::string problem;
  ScopedDiagnosticHandler handler(original.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    problem = diagnostic.str();
                                    return success();
                                  });
  PassManager manager(original.getContext());
  manager.addPass(createDifferentiate());
  if (failed(manager.run(*backward)))
    return {Outcome::Kind::NoGradient, problem};
  Outcome last = {Outcome::Kind::NotFinite, "no input with finite results"};
  for (InputMap map : inputMaps) {
    Case testCase;
    testCase.function = getBackward();
    auto inputs = makeInputs(map);
    if (!inputs)
      return {Outcome::Kind::Failed, std::string(inputs.status().message())};
    testCase.inputs = *std::move(inputs);
    auto results = evaluate(testCase, Engine::Reference);
    if (!results)
      return {Outcome::Kind::Failed, std::string(results.status().message())};
    if (!std::isfinite(*static_cast<const double *>((*results)[0].data())))
      continue;
    last = compare(testCase.inputs, *results);
    if (last.kind != Outcome::Kind::NotFinite)
      return last;
  }
  return last;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// The part of a test that has the cases.
static StringRef findCases(StringRef text) {
  StringRef begin = "//--- cases.mlir\n";
  size_t at = text.find(begin);
  if (at == StringRef::npos)
    return text;
  return text.substr(at + begin.size()).split("//--- ").first;
}

static bool checkFile(const std::string &path, MLIRContext &context) {
  std::string op = llvm::sys::path::stem(path).str();
  auto file = openInputFile(path);
  if (!file)
    return false;
  auto module =
      parseSourceString<ModuleOp>(findCases(file->getBuffer()), &context);
  if (!module) {
    llvm::outs() << op << ": does not parse\n";
    return false;
  }
  size_t numCompared = 0, numRefused = 0;
  std::string why;
  unsigned seed = 1;
  for (auto function : module->getOps<func::FuncOp>()) {
    Outcome outcome = CaseCheck(function, ++seed).run();
    if (outcome.kind == Outcome::Kind::Failed) {
      llvm::outs() << op << ": case '" << function.getSymName()
                   << "': " << outcome.text << "\n";
      return false;
    }
    numRefused += outcome.kind == Outcome::Kind::NoGradient;
    if (outcome.kind == Outcome::Kind::Compared)
      ++numCompared;
    else if (why.empty() || outcome.kind == Outcome::Kind::NoGradient)
      why = outcome.text;
  }
  if (numCompared)
    llvm::outs() << op << ": " << numCompared << " compared"
                 << (numRefused ? fmt::format(", {} without gradient: {}",
                                              numRefused, why)
                                : std::string())
                 << "\n";
  else
    llvm::outs() << op << ": none compared: " << why << "\n";
  return true;
}

/// Checks a random graph. Graphs whose results are not finite do not count.
static bool checkRandom(unsigned seed, MLIRContext &context,
                        unsigned &numCompared) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  func::FuncOp function =
      addRandomGraph(*module, seed, {Float64Type::get(&context)});
  CaseCheck check(function, seed);
  if (isPrinted) {
    if (auto printed = check.makeModule(/*gradients=*/true))
      llvm::outs() << getFunction(**printed) << "\n";
    return true;
  }
  Outcome outcome = check.run();
  if (isTwice && outcome.kind == Outcome::Kind::Compared)
    outcome = CaseCheck(check.getBackward(), seed).run();
  numCompared += outcome.kind == Outcome::Kind::Compared;
  if (outcome.kind == Outcome::Kind::Compared ||
      outcome.kind == Outcome::Kind::NotFinite)
    return true;
  llvm::outs() << "seed " << seed << ": " << outcome.text << "\n" << *module;
  return false;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv,
                              "Compares gradients with central "
                              "differences\n");
  DialectRegistry registry;
  registerWeirDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  bool isGood = true;
  for (const std::string &path : inputFiles)
    isGood &= checkFile(path, context);
  unsigned numCompared = 0;
  for (unsigned i = 0; i < numRandom; ++i)
    isGood &= checkRandom(firstSeed + i, context, numCompared);
  if (numRandom && !isPrinted)
    llvm::outs() << numCompared << " of " << numRandom
                 << " random graphs compared\n";
  return isGood ? 0 : 1;
}
