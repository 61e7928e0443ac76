//===- Evaluation.cpp - What the reference kernel does for one launch -----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"

#include "weir/Support/ShapeLimits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

using namespace weir;
using namespace weir::reference;
using Op = ScalarExpr::Op;

namespace {

/// The most elements of a tensor. Larger buffers cannot exist, and the size of
/// their copies would overflow.
constexpr auto elementLimit = static_cast<int64_t>(maxTensorBytes);

std::vector<int64_t> denseStrides(const std::vector<int64_t> &dims) {
  return TensorDesc::rowMajor(DType::F64, dims).strides;
}

Status checkDesc(const TensorDesc &desc, std::string_view what) {
  if (desc.strides.size() != desc.dims.size())
    return invalidArgument(fmt::format("the {} has {} strides, expected {}",
                                       what, desc.strides.size(),
                                       desc.dims.size()));
  for (int64_t dim : desc.dims)
    if (dim < 0)
      return invalidArgument(fmt::format(
          "the {} has a dim of {}, expected known sizes", what, dim));
  return Status::ok();
}

Status checkTensors(const KernelSpec &spec) {
  if (!spec.postOps.empty())
    return unimplemented(fmt::format(
        "the reference kernel takes no post-ops, found '{}'; lower the op "
        "without fusing it",
        spec.postOps.front().algorithm));
  if (spec.results.size() != 1)
    return invalidArgument(
        fmt::format("the reference kernel expects one result, found {}",
                    spec.results.size()));
  for (size_t i = 0; i < spec.operands.size(); ++i)
    WEIR_RETURN_IF_ERROR(
        checkDesc(spec.operands[i], fmt::format("operand {}", i)));
  return checkDesc(spec.results[0], "result");
}

StatusOr<std::string_view> textAttribute(const AttrMap &attrs,
                                         std::string_view name) {
  std::string_view text = attrs.textOr(name, {});
  if (!text.data())
    return invalidArgument(fmt::format(
        "the reference kernel expects a text attribute '{}'", name));
  return text;
}

StatusOr<Combiner> parseCombiner(std::string_view name) {
  constexpr std::pair<std::string_view, Combiner> names[] = {
      {"none", Combiner::None},       {"sum", Combiner::Sum},
      {"product", Combiner::Product}, {"maximum", Combiner::Maximum},
      {"minimum", Combiner::Minimum},
  };
  for (const auto &[spelling, combiner] : names)
    if (name == spelling)
      return combiner;
  return invalidArgument(
      fmt::format("attribute 'combiner' is '{}', expected 'none', 'sum', "
                  "'product', 'maximum' or 'minimum'",
                  name));
}

StatusOr<BoundSpec> bindSpec(const KernelSpec &kernel) {
  WEIR_ASSIGN_OR_RETURN(std::string_view text,
                        textAttribute(kernel.attrs, "spec"));
  WEIR_ASSIGN_OR_RETURN(IndexSpec spec, IndexSpec::parse(text));
  std::vector<std::vector<int64_t>> shapes;
  for (const TensorDesc &desc : kernel.operands)
    shapes.push_back(desc.dims);
  WEIR_ASSIGN_OR_RETURN(BoundSpec bound, spec.bind(shapes, kernel.attrs));
  const std::vector<int64_t> &dims = kernel.results[0].dims;
  if (bound.resultDims != dims)
    return invalidArgument(fmt::format(
        "the result is {}, expected {} by index spec '{}'", shapeToString(dims),
        shapeToString(bound.resultDims), text));
  shapes.push_back(dims);
  for (const std::vector<int64_t> &shape : shapes) {
    __int128 count = 1;
    for (int64_t dim : shape)
      count *= std::max<int64_t>(dim, 1);
    if (count > elementLimit)
      return resourceExhausted(fmt::format(
          "a tensor of {} does not fit into memory", shapeToString(shape)));
  }
  return bound;
}

Status checkExpression(const ScalarExpr &expression, const KernelSpec &spec,
                       const BoundSpec &bound) {
  for (const ScalarExpr::Node &node : expression.nodes()) {
    if (node.op == Op::Index && findLoop(bound, node.name, spec.attrs) < 0)
      return invalidArgument(fmt::format(
          "the expression reads index '{}', expected a dim of the index spec",
          node.name));
    bool isNumber = !spec.attrs.ints(node.name).empty() ||
                    !spec.attrs.floats(node.name).empty();
    if (node.op == Op::Attribute && !isNumber)
      return invalidArgument(fmt::format(
          "the expression reads '{}', expected a numeric attribute of that "
          "name",
          node.name));
    if (node.op != Op::Operand)
      continue;
    if (node.operand >= static_cast<int>(spec.operands.size()) ||
        node.operand == bound.initOperand)
      return invalidArgument(fmt::format(
          "the expression reads operand {}, expected one of {} operands that "
          "is no initial value",
          node.operand, spec.operands.size()));
  }
  return Status::ok();
}

/// Checks that no reduction loop writes an element twice without a combiner.
Status checkCombiner(Combiner combiner, const BoundSpec &bound) {
  if (combiner != Combiner::None)
    return Status::ok();
  for (const Loop &loop : bound.loops)
    if (loop.isReduction && loop.size > 1)
      return invalidArgument(fmt::format(
          "dim '{}' is reduced, expected a combiner other than 'none'",
          loop.name));
  if (bound.runningLoop >= 0)
    return invalidArgument(fmt::format(
        "values run along dim '{}', expected a combiner other than 'none'",
        bound.loops[bound.runningLoop].name));
  return Status::ok();
}

/// Adds to `walk` the offset at `indices` in a tensor with these strides.
int addOffset(Walk &walk, const std::vector<AffineIndex> &indices,
              const std::vector<int64_t> &strides, size_t numLoops) {
  std::vector<int64_t> coefficients(numLoops);
  int64_t start = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    start += indices[d].offset * strides[d];
    for (const AffineIndex::Term &term : indices[d].terms)
      coefficients[term.loop] += term.coefficient * strides[d];
  }
  return walk.add(start, coefficients);
}

void addBounds(Evaluation &evaluation, const std::vector<AffineIndex> &indices,
               const std::vector<int64_t> &dims, size_t numLoops) {
  for (size_t d = 0; d < dims.size(); ++d) {
    if (!indices[d].mayLeave)
      continue;
    std::vector<int64_t> coefficients(numLoops);
    for (const AffineIndex::Term &term : indices[d].terms)
      coefficients[term.loop] += term.coefficient;
    evaluation.bounds.push_back(
        {evaluation.points.add(indices[d].offset, coefficients), dims[d]});
  }
}

/// Whether the loops of `index` count the `size` elements of its dim, each
/// once and in order.
bool coversExactly(const AffineIndex &index, const BoundSpec &bound,
                   int64_t size) {
  int64_t count = 1;
  for (size_t t = index.terms.size(); t-- > 0;) {
    if (index.terms[t].coefficient != count)
      return false;
    count *= bound.loops[index.terms[t].loop].size;
  }
  return index.offset == 0 && count == size;
}

/// Plans the copy of initial values. A dim of the result that loops count
/// exactly has the counters of these loops. Any other dim of the result, such
/// as one that a window fills, gets a loop of its own, along which the initial
/// value stays the same.
Status addInit(Evaluation &evaluation, const BoundSpec &bound,
               const std::vector<int64_t> &initDims) {
  std::vector<int64_t> sizes, strides = denseStrides(bound.resultDims);
  std::vector<int64_t> resultSteps, initSteps;
  std::vector<int> positions(bound.loops.size(), -1);
  for (size_t d = 0; d < bound.resultDims.size(); ++d) {
    if (!coversExactly(bound.result[d], bound, bound.resultDims[d])) {
      sizes.push_back(bound.resultDims[d]);
      resultSteps.push_back(strides[d]);
      continue;
    }
    for (const AffineIndex::Term &term : bound.result[d].terms) {
      if (positions[term.loop] < 0) {
        positions[term.loop] = static_cast<int>(sizes.size());
        sizes.push_back(bound.loops[term.loop].size);
        resultSteps.push_back(0);
      }
      resultSteps[positions[term.loop]] += term.coefficient * strides[d];
    }
  }
  initSteps.resize(sizes.size());
  std::vector<int64_t> initStrides = denseStrides(initDims);
  const auto &indices = bound.operands[bound.initOperand];
  for (size_t d = 0; d < initDims.size(); ++d)
    for (const AffineIndex::Term &term : indices[d].terms) {
      if (positions[term.loop] < 0)
        return unimplemented(fmt::format(
            "dim '{}' of the initial value is scaled in the result, expected a "
            "dim of its own",
            bound.loops[term.loop].name));
      initSteps[positions[term.loop]] += term.coefficient * initStrides[d];
    }
  evaluation.init.emplace(sizes);
  evaluation.init->add(0, resultSteps);
  evaluation.init->add(0, initSteps);
  return Status::ok();
}

/// The arithmetic of a launch.
struct Arithmetic {
  WorkType type;
  /// Whether u64 operands are compared with positions only. Values beyond the
  /// largest int64_t match no position, so they are loaded as the largest
  /// int64_t.
  bool clampsUnsigned = false;
};

/// Chooses the arithmetic by the first operand that is no truth value. A u64 is
/// computed as signed in two cases: if the result is signed, or if the
/// expression only selects elements by positions, whose differences may be
/// negative.
Arithmetic chooseArithmetic(const KernelSpec &spec,
                            const ScalarExpr &expression, Combiner combiner) {
  auto first = std::find_if(
      spec.operands.begin(), spec.operands.end(),
      [](const TensorDesc &desc) { return desc.type != DType::I1; });
  if (first == spec.operands.end())
    return {WorkType::Signed};
  if (isFloat(first->type))
    return {WorkType::Float};
  if (first->type != DType::U64)
    return {WorkType::Signed};
  const DType result = spec.results[0].type;
  const bool isSignedResult = !isFloat(result) && !isUnsigned(result);
  const bool hasPositions =
      std::any_of(expression.nodes().begin(), expression.nodes().end(),
                  [](const auto &node) { return node.op == Op::Index; });
  const bool isSelected = hasPositions && combiner == Combiner::None;
  if (!isSignedResult && !isSelected)
    return {WorkType::Unsigned};
  return {WorkType::Signed, hasPositions && !isSelected};
}

Walk walkOver(const BoundSpec &bound) {
  std::vector<int64_t> sizes;
  for (const Loop &loop : bound.loops)
    sizes.push_back(loop.size);
  return Walk(std::move(sizes));
}

bool holdsIndices(const BoundSpec &bound, int operand) {
  for (const std::vector<AffineIndex> &indices : bound.operands)
    for (const AffineIndex &index : indices)
      if (index.indirect == operand)
        return true;
  return false;
}

int sourceOf(const Evaluation &evaluation, int operand) {
  for (size_t i = 0; i < evaluation.sources.size(); ++i)
    if (evaluation.sources[i].operand == operand)
      return static_cast<int>(i);
  return -1;
}

/// Notes which sources are read at indices that are the values of other
/// sources.
void addIndirectDims(Evaluation &evaluation, const KernelSpec &spec,
                     const BoundSpec &bound) {
  for (size_t s = 0; s < evaluation.sources.size(); ++s) {
    int operand = evaluation.sources[s].operand;
    const std::vector<int64_t> &dims = spec.operands[operand].dims;
    std::vector<int64_t> strides = denseStrides(dims);
    for (size_t d = 0; d < dims.size(); ++d)
      if (int index = bound.operands[operand][d].indirect; index >= 0)
        evaluation.indirectDims.push_back(
            {sourceOf(evaluation, index), static_cast<int>(s),
             static_cast<int64_t>(d), dims[d], strides[d],
             isUnsigned(spec.operands[index].type)});
  }
}

/// Adds the counters of the loops that the expression reads.
void addIndices(Evaluation &evaluation, const KernelSpec &spec,
                const BoundSpec &bound) {
  for (const ScalarExpr::Node &node : evaluation.expression.nodes()) {
    if (node.op != Op::Index)
      continue;
    std::vector<int64_t> coefficients(bound.loops.size());
    coefficients[findLoop(bound, node.name, spec.attrs)] = 1;
    evaluation.indexFunctions.push_back(evaluation.points.add(0, coefficients));
  }
}

void addRunning(Evaluation &evaluation, const BoundSpec &bound) {
  if (bound.runningLoop < 0)
    return;
  std::vector<int64_t> strides = denseStrides(bound.resultDims);
  for (size_t d = 0; d < bound.result.size(); ++d)
    for (const AffineIndex::Term &term : bound.result[d].terms)
      if (term.loop == bound.runningLoop)
        evaluation.running = {bound.resultDims[d], strides[d],
                              term.coefficient < 0, bound.isExclusive};
}

/// Adds the operands that are read. Adds the bounds of all operands but the
/// initial values: an operand may serve by its shape alone.
Status addSources(Evaluation &evaluation, const KernelSpec &spec,
                  const BoundSpec &bound) {
  size_t numLoops = bound.loops.size();
  const auto &nodes = evaluation.expression.nodes();
  for (size_t i = 0; i < spec.operands.size(); ++i) {
    const TensorDesc &desc = spec.operands[i];
    int operand = static_cast<int>(i);
    bool isInit = operand == bound.initOperand;
    bool isRead =
        holdsIndices(bound, operand) ||
        std::any_of(nodes.begin(), nodes.end(),
                    [&](const ScalarExpr::Node &node) {
                      return node.op == Op::Operand && node.operand == operand;
                    });
    if (isInit) {
      evaluation.initSource = static_cast<int>(evaluation.sources.size());
      WEIR_RETURN_IF_ERROR(addInit(evaluation, bound, desc.dims));
    }
    if (isInit || isRead) {
      evaluation.sources.push_back({operand, Transfer(desc)});
      addOffset(evaluation.points, bound.operands[i], denseStrides(desc.dims),
                numLoops);
    }
  }
  for (size_t i = 0; i < spec.operands.size(); ++i)
    if (static_cast<int>(i) != bound.initOperand)
      addBounds(evaluation, bound.operands[i], spec.operands[i].dims, numLoops);
  addIndirectDims(evaluation, spec, bound);
  return Status::ok();
}

/// Plans the walk over the tensors themselves, if every point takes part and
/// writes an element of its own.
void addDirect(Evaluation &evaluation, const KernelSpec &spec,
               const BoundSpec &bound) {
  if (evaluation.combiner != Combiner::None || evaluation.fill ||
      evaluation.initSource >= 0 || !evaluation.bounds.empty() ||
      !evaluation.indirectDims.empty() || !evaluation.indexFunctions.empty())
    return;
  evaluation.direct = walkOver(bound);
  size_t numLoops = bound.loops.size();
  addOffset(*evaluation.direct, bound.result, spec.results[0].strides,
            numLoops);
  for (const Source &source : evaluation.sources)
    addOffset(*evaluation.direct, bound.operands[source.operand],
              spec.operands[source.operand].strides, numLoops);
}

void recogniseExpression(Evaluation &evaluation) {
  const auto &nodes = evaluation.expression.nodes();
  if (!evaluation.indirectDims.empty())
    return;
  auto isOperand = [&](int node) { return nodes[node].op == Op::Operand; };
  if (nodes.size() == 1 && isOperand(0))
    evaluation.bareOperand = sourceOf(evaluation, nodes[0].operand);
  evaluation.isProduct = nodes.size() == 3 && nodes[2].op == Op::Mul &&
                         isOperand(nodes[2].args[0]) &&
                         isOperand(nodes[2].args[1]);
  if (evaluation.isProduct)
    for (int i = 0; i < 2; ++i)
      evaluation.factors[i] =
          sourceOf(evaluation, nodes[nodes[2].args[i]].operand);
}

} // namespace

Transfer::Transfer(const TensorDesc &desc)
    : type(desc.type), numElements(desc.numElements()), walk(desc.dims) {
  walk.addStrided(desc.strides);
  walk.addStrided(denseStrides(desc.dims));
}

StatusOr<Evaluation> reference::makeEvaluation(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(checkTensors(spec));
  WEIR_ASSIGN_OR_RETURN(BoundSpec bound, bindSpec(spec));
  WEIR_ASSIGN_OR_RETURN(std::string_view expressionText,
                        textAttribute(spec.attrs, "expression"));
  WEIR_ASSIGN_OR_RETURN(ScalarExpr expression,
                        ScalarExpr::parse(expressionText));
  WEIR_RETURN_IF_ERROR(checkExpression(expression, spec, bound));
  WEIR_ASSIGN_OR_RETURN(std::string_view combinerName,
                        textAttribute(spec.attrs, "combiner"));
  WEIR_ASSIGN_OR_RETURN(Combiner combiner, parseCombiner(combinerName));
  WEIR_RETURN_IF_ERROR(checkCombiner(combiner, bound));

  std::vector<double> attributes = bindAttributes(expression, spec.attrs);
  const Arithmetic arithmetic = chooseArithmetic(spec, expression, combiner);
  Evaluation evaluation{.expression = std::move(expression),
                        .attributes = std::move(attributes),
                        .combiner = combiner,
                        .fill = std::nullopt,
                        .workType = arithmetic.type,
                        .numOperands = spec.operands.size(),
                        .sources = {},
                        .result = Transfer(spec.results[0]),
                        .points = walkOver(bound),
                        .bounds = {},
                        .indirectDims = {},
                        .indexFunctions = {},
                        .init = std::nullopt,
                        .running = std::nullopt,
                        .direct = std::nullopt};
  if (std::string_view fill = spec.attrs.textOr("fill", {}); !fill.empty()) {
    if (spec.attrs.ints(fill).empty() && spec.attrs.floats(fill).empty())
      return invalidArgument(fmt::format(
          "attribute 'fill' names '{}', expected a numeric attribute", fill));
    evaluation.fill = fill;
  }
  addOffset(evaluation.points, bound.result, denseStrides(bound.resultDims),
            bound.loops.size());
  WEIR_RETURN_IF_ERROR(addSources(evaluation, spec, bound));
  for (Source &source : evaluation.sources)
    source.transfer.isClamped =
        arithmetic.clampsUnsigned && source.transfer.type == DType::U64;
  addBounds(evaluation, bound.result, bound.resultDims, bound.loops.size());
  addIndices(evaluation, spec, bound);
  addRunning(evaluation, bound);
  recogniseExpression(evaluation);
  addDirect(evaluation, spec, bound);
  return evaluation;
}
