//===- Reference.cpp - Leaf ops computed from their records -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Operands are converted into dense copies of the working type in the
// workspace. The result is accumulated in another such copy, and then stored.
// So the loops know neither element types nor layouts.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Reference.h"

#include "Evaluation.h"

#include "weir/Support/Arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>

using namespace weir;
using namespace weir::reference;
using Op = ScalarExpr::Op;

namespace {

template <typename T> T load(DType type, const void *data, int64_t index) {
  if constexpr (std::is_floating_point_v<T>)
    return loadFloat(type, data, index);
  else
    return static_cast<T>(loadInt(type, data, index));
}

template <typename T>
void store(DType type, void *data, int64_t index, T value) {
  if constexpr (std::is_floating_point_v<T>)
    storeFloat(type, data, index, value);
  else if constexpr (std::is_unsigned_v<T>)
    storeUnsigned(type, data, index, value);
  else
    storeInt(type, data, index, value);
}

/// The value of a result element before any point is combined into it. For a
/// maximum or minimum of integers, this is an extreme of the result's type.
template <typename T> T identity(Combiner combiner, DType resultType) {
  switch (combiner) {
  case Combiner::None:
  case Combiner::Sum:
    return 0;
  case Combiner::Product:
    return 1;
  case Combiner::Maximum:
  case Combiner::Minimum:
    break;
  }
  bool isLowest = combiner == Combiner::Maximum;
  if (resultType == DType::I1)
    return isLowest ? 0 : 1;
  double infinity = std::numeric_limits<double>::infinity();
  int64_t slot = 0;
  storeFloat(resultType, &slot, 0, isLowest ? -infinity : infinity);
  return load<T>(resultType, &slot, 0);
}

template <typename T>
T initialValue(const Evaluation &evaluation, const AttrMap &attrs) {
  if (!evaluation.fill)
    return identity<T>(evaluation.combiner, evaluation.result.type);
  if (const std::vector<int64_t> &values = attrs.ints(*evaluation.fill);
      !values.empty())
    return static_cast<T>(values.front());
  return fromDouble<T>(attrs.floats(*evaluation.fill).front());
}

template <typename T, Combiner combiner> T combine(T known, T value) {
  switch (combiner) {
  case Combiner::None:
    return value;
  case Combiner::Sum:
    return wrappingAdd(known, value);
  case Combiner::Product:
    return wrappingMul(known, value);
  case Combiner::Maximum:
    return larger(known, value);
  case Combiner::Minimum:
    return smaller(known, value);
  }
}

/// The points of a row at which every bounded index is inside of its dim. Only
/// these points count.
struct Interval {
  int64_t begin, end;
};

int64_t floorDiv(int64_t value, int64_t divisor) {
  return value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor);
}

Interval insideOf(const Walk &walk, const std::vector<Bound> &bounds) {
  Interval interval{0, walk.rowLength()};
  for (const Bound &bound : bounds) {
    int64_t first = walk.at(bound.function);
    int64_t step = walk.step(bound.function);
    if (step == 0) {
      if (first < 0 || first >= bound.size)
        return {0, 0};
      continue;
    }
    // If the index runs backwards, the roles of the two ends of the dim are
    // exchanged.
    int64_t distance = step > 0 ? -first : first - bound.size + 1;
    int64_t stride = step > 0 ? step : -step;
    interval.begin =
        std::max(interval.begin, floorDiv(distance + stride - 1, stride));
    interval.end =
        std::min(interval.end, floorDiv(distance + bound.size - 1, stride) + 1);
  }
  return interval;
}

/// Elements of a dense copy along a row.
template <typename T> struct Run {
  T *first;
  int64_t step;
  T &operator[](int64_t point) const { return first[point * step]; }
};

template <typename T> class ReferenceKernel final : public Kernel {
public:
  ReferenceKernel(Evaluation prepared, const AttrMap &attrs)
      : evaluation(std::move(prepared)),
        start(initialValue<T>(evaluation, attrs)),
        copies(evaluation.sources.size()), runs(evaluation.sources.size()),
        offsets(evaluation.sources.size()),
        values(std::max<size_t>(evaluation.expression.numOperands(),
                                evaluation.numOperands)),
        scratch(evaluation.expression.nodes().size()) {}

  size_t workspaceBytes() const override {
    int64_t numElements = evaluation.result.numElements;
    for (const Source &source : evaluation.sources)
      numElements += source.transfer.numElements;
    return static_cast<size_t>(numElements) * sizeof(T);
  }

  bool isSerial() const override { return true; }
  std::string implementation() const override { return "reference"; }

  Status run(const KernelArgs &args) override {
    T *free = static_cast<T *>(args.workspace);
    for (size_t i = 0; i < evaluation.sources.size(); ++i) {
      Source &source = evaluation.sources[i];
      copies[i] = free;
      free += source.transfer.numElements;
      loadCopy(source.transfer, args.buffers[source.operand], copies[i]);
    }
    result = free;
    problem = Status::ok();
    initialise();
    combineAll();
    storeCopy(args.buffers[evaluation.numOperands]);
    return problem;
  }

private:
  static void loadCopy(Transfer &transfer, const void *from, T *to) {
    Walk &walk = transfer.walk;
    for (bool more = walk.begin(); more; more = walk.next())
      for (int64_t i = 0; i < walk.rowLength(); ++i)
        to[walk.at(1) + i * walk.step(1)] =
            load<T>(transfer.type, from, walk.at(0) + i * walk.step(0));
    if (transfer.isClamped)
      std::replace_if(
          to, to + transfer.numElements, [](T value) { return value < T{0}; },
          std::numeric_limits<T>::max());
  }

  void storeCopy(void *to) {
    Walk &walk = evaluation.result.walk;
    for (bool more = walk.begin(); more; more = walk.next())
      for (int64_t i = 0; i < walk.rowLength(); ++i)
        store<T>(evaluation.result.type, to, walk.at(0) + i * walk.step(0),
                 result[walk.at(1) + i * walk.step(1)]);
  }

  void initialise() {
    std::fill_n(result, evaluation.result.numElements, start);
    if (!evaluation.init)
      return;
    const T *from = copies[evaluation.initSource];
    Walk &walk = *evaluation.init;
    for (bool more = walk.begin(); more; more = walk.next())
      for (int64_t i = 0; i < walk.rowLength(); ++i)
        result[walk.at(0) + i * walk.step(0)] =
            from[walk.at(1) + i * walk.step(1)];
  }

  void combineAll() {
    switch (evaluation.combiner) {
    case Combiner::None:
      return combinePoints<Combiner::None>();
    case Combiner::Sum:
      return combinePoints<Combiner::Sum>();
    case Combiner::Product:
      return combinePoints<Combiner::Product>();
    case Combiner::Maximum:
      return combinePoints<Combiner::Maximum>();
    case Combiner::Minimum:
      return combinePoints<Combiner::Minimum>();
    }
  }

  template <Combiner combiner> void combinePoints() {
    Walk &walk = evaluation.points;
    for (bool more = walk.begin(); more; more = walk.next()) {
      Interval inside = insideOf(walk, evaluation.bounds);
      if (inside.begin >= inside.end)
        continue;
      Run<T> to = runAt(result, 0, inside.begin);
      for (size_t i = 0; i < runs.size(); ++i)
        runs[i] = runAt(copies[i], static_cast<int>(i) + 1, inside.begin);
      rowBegin = inside.begin;
      combineRow<combiner>(to, inside.end - inside.begin);
    }
    if (evaluation.running && evaluation.result.numElements > 0)
      runAlong<combiner>(*evaluation.running);
  }

  template <Combiner combiner> void runAlong(const Running &along) {
    int64_t step = along.isReversed ? -along.stride : along.stride;
    int64_t all = along.size * along.stride;
    for (int64_t row = 0; row < evaluation.result.numElements; row += all)
      for (int64_t i = row; i < row + along.stride; ++i) {
        T *element = result + i + (along.isReversed ? all - along.stride : 0);
        T known = start;
        for (int64_t n = 0; n < along.size; ++n, element += step) {
          T next = combine<T, combiner>(known, *element);
          *element = along.isExclusive ? known : next;
          known = next;
        }
      }
  }

  Run<T> runAt(T *copy, int function, int64_t point) const {
    int64_t step = evaluation.points.step(function);
    return {copy + evaluation.points.at(function) + point * step, step};
  }

  /// Combines the points of a row that count. A bare operand, or a product of
  /// two operands, is computed without the interpreter, because most of the
  /// work of a network is of these two forms.
  template <Combiner combiner> void combineRow(Run<T> to, int64_t count) {
    if (evaluation.bareOperand >= 0) {
      Run<T> from = runs[evaluation.bareOperand];
      combineEach<combiner>(to, count, [=](int64_t i) { return from[i]; });
    } else if (evaluation.isProduct) {
      Run<T> left = runs[evaluation.factors[0]],
             right = runs[evaluation.factors[1]];
      combineEach<combiner>(
          to, count, [=](int64_t i) { return wrappingMul(left[i], right[i]); });
    } else {
      combineEach<combiner>(to, count, [this](int64_t i) {
        readSources(i);
        for (size_t n = 0; n < evaluation.indexFunctions.size(); ++n)
          values[ScalarExpr::maxOperands + n] =
              static_cast<T>(counterAt(evaluation.indexFunctions[n], i));
        return evaluate<T>(evaluation.expression, values, evaluation.attributes,
                           scratch);
      });
    }
  }

  int64_t counterAt(int function, int64_t point) const {
    return evaluation.points.at(function) +
           (rowBegin + point) * evaluation.points.step(function);
  }

  /// Puts what the sources hold at `point` of the row into `values`.
  void readSources(int64_t point) {
    for (size_t s = 0; s < runs.size(); ++s)
      offsets[s] = point * runs[s].step;
    for (const IndirectDim &dim : evaluation.indirectDims)
      offsets[dim.target] += findElement(dim) * dim.stride;
    for (size_t s = 0; s < runs.size(); ++s)
      if (static_cast<int>(s) != evaluation.initSource)
        values[evaluation.sources[s].operand] = runs[s].first[offsets[s]];
  }

  /// The index at which `dim` is read. An index outside of the dim fails the
  /// run.
  int64_t findElement(const IndirectDim &dim) {
    const T held = runs[dim.index].first[offsets[dim.index]];
    // A uint64_t holds a negative index as the bits of an int64_t.
    int64_t index = 0;
    if constexpr (std::is_floating_point_v<T>)
      index = fromDouble<int64_t>(held);
    else
      index = static_cast<int64_t>(held);
    const int64_t lowest = dim.isUnsigned ? 0 : -dim.size;
    if (index >= lowest && index < dim.size)
      return index < 0 ? index + dim.size : index;
    if (problem.isOk())
      problem = invalidArgument(fmt::format(
          "index {} is outside of dim {} of operand {}, expected {} to {}",
          dim.isUnsigned ? std::to_string(static_cast<uint64_t>(index))
                         : std::to_string(index),
          dim.dim, evaluation.sources[dim.target].operand, lowest,
          dim.size - 1));
    return 0;
  }

  template <Combiner combiner, typename Value>
  static void combineEach(Run<T> to, int64_t count, Value value) {
    if (to.step != 0) {
      for (int64_t i = 0; i < count; ++i)
        to[i] = combine<T, combiner>(to[i], value(i));
      return;
    }
    T known = *to.first;
    for (int64_t i = 0; i < count; ++i)
      known = combine<T, combiner>(known, value(i));
    *to.first = known;
  }

  Evaluation evaluation;
  T start;
  T *result = nullptr;
  /// The dense copies of the sources, and their elements along a row.
  std::vector<T *> copies;
  std::vector<Run<T>> runs;
  /// The offset at which each source is read at a point, relative to the row's
  /// first point.
  std::vector<int64_t> offsets;
  /// The first point of the row that counts.
  int64_t rowBegin = 0;
  Status problem;
  std::vector<T> values, scratch;
};

StatusOr<std::unique_ptr<Kernel>> makeKernel(const KernelSpec &spec) {
  WEIR_ASSIGN_OR_RETURN(Evaluation evaluation, makeEvaluation(spec));
  std::unique_ptr<Kernel> kernel;
  const AttrMap &attrs = spec.attrs;
  if (evaluation.workType == WorkType::Float && evaluation.direct)
    kernel = makeDirectKernel(std::move(evaluation));
  else if (evaluation.workType == WorkType::Float)
    kernel =
        std::make_unique<ReferenceKernel<double>>(std::move(evaluation), attrs);
  else if (evaluation.workType == WorkType::Unsigned)
    kernel = std::make_unique<ReferenceKernel<uint64_t>>(std::move(evaluation),
                                                         attrs);
  else
    kernel = std::make_unique<ReferenceKernel<int64_t>>(std::move(evaluation),
                                                        attrs);
  return kernel;
}

} // namespace

Status weir::evaluateReference(const KernelSpec &spec,
                               std::span<const void *const> operands,
                               void *result) {
  if (operands.size() != spec.operands.size())
    return invalidArgument(fmt::format("expected {} operand buffers, found {}",
                                       spec.operands.size(), operands.size()));
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, makeKernel(spec));
  std::unique_ptr<double[]> workspace(
      new (std::nothrow) double[kernel->workspaceBytes() / sizeof(double)]);
  if (!workspace)
    return resourceExhausted(
        fmt::format("no memory for {} bytes of reference evaluation",
                    kernel->workspaceBytes()));
  std::vector<void *> buffers;
  for (const void *operand : operands)
    buffers.push_back(const_cast<void *>(operand));
  buffers.push_back(result);
  return kernel->run({buffers.data(), workspace.get()});
}

Status weir::checkReference(const KernelSpec &spec) {
  return makeEvaluation(spec).status();
}

StatusOr<std::unique_ptr<Kernel>> weir::prepareReference(const KernelSpec &spec,
                                                         PrepareContext &) {
  return makeKernel(spec);
}
