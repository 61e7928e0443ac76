//===- Scatter.cpp - The kernel scatter -------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Each thread has a range of the result's rows. It looks at all indices, in
// their order, and combines the updates of its own rows. So no two threads
// write to the same row, and the order of a sum does not depend on the number
// of threads. Rows of small floats that have updates are combined as f32 in the
// workspace, and are rounded once.
//
//===----------------------------------------------------------------------===//

#include "../../OpenMP/Team.h"
#include "ElementTags.h"
#include "LibraryStatus.h"
#include "WorthwhileThreads.h"

#include "weir/Support/Arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

using namespace weir;
using namespace weir::cpu;

namespace {

struct ScatterShape {
  int64_t outer, updates, rows, width;
  /// The number of parts into which the rows of one plane are divided.
  int64_t parts = 1;
  bool isShared = false;
};

template <typename T> struct Sum {
  static T combine(T known, T update) { return wrappingAdd(known, update); }
};
template <typename T> struct Product {
  static T combine(T known, T update) { return wrappingMul(known, update); }
};
template <typename T> struct Maximum {
  static T combine(T known, T update) { return larger(known, update); }
};
template <typename T> struct Minimum {
  static T combine(T known, T update) { return smaller(known, update); }
};

template <typename Element, template <typename> class Combiner>
class ScatterKernel final : public Kernel {
  using Stored = typename Element::Stored;
  using Value = typename Element::Value;
  static constexpr bool isSmall = !holdsValues<Element>;

public:
  ScatterKernel(const ScatterShape &shape, DType indexType)
      : shape(shape), indexType(indexType) {}

  size_t workspaceBytes() const override {
    return isSmall ? numRows() * (rowBytes() + 1) : 0;
  }

  Status run(const KernelArgs &args) override {
    const auto work = [&](int64_t part) { combinePart(args, part); };
    if (isSerial())
      for (int64_t part = 0; part < shape.outer * shape.parts; ++part)
        work(part);
    else
      parallelFor(shape.outer * shape.parts, work);
    return Status::ok();
  }

  bool isSerial() const override { return !shape.isShared; }
  bool mayRunAlone() const override { return true; }
  std::string implementation() const override { return "loops"; }

private:
  void combinePart(const KernelArgs &args, int64_t part) const {
    const int64_t plane = part / shape.parts, number = part % shape.parts;
    const int64_t begin = shape.rows * number / shape.parts;
    const int64_t end = shape.rows * (number + 1) / shape.parts;
    const int64_t first = plane * shape.rows + begin;
    const auto *updates = static_cast<const Stored *>(args.buffers[0]) +
                          plane * shape.updates * shape.width;
    auto *result = static_cast<Stored *>(args.buffers[3]) + first * shape.width;
    const auto *input =
        static_cast<const Stored *>(args.buffers[2]) + first * shape.width;
    std::copy_n(input, (end - begin) * shape.width, result);
    Rows rows = rowsOf(args, result, first);
    if constexpr (isSmall)
      std::fill_n(rows.isWide, end - begin, false);
    for (int64_t i = 0; i < shape.updates; ++i) {
      const int64_t row = loadInt(indexType, args.buffers[1], i);
      if (row >= begin && row < end)
        combineRow(rows, row - begin, updates + i * shape.width);
    }
    if constexpr (isSmall)
      for (int64_t row = 0; row < end - begin; ++row)
        if (rows.isWide[row])
          std::transform(rows.values + row * shape.width,
                         rows.values + (row + 1) * shape.width,
                         result + row * shape.width, Element::store);
  }

  /// The memory in which the rows of a part are combined. For small floats,
  /// `isWide` says which rows are in `values`, as f32.
  struct Rows {
    const Stored *stored;
    Value *values;
    bool *isWide;
  };

  Rows rowsOf(const KernelArgs &args, Stored *result, int64_t first) const {
    if constexpr (isSmall) {
      auto *values = static_cast<Value *>(args.workspace);
      auto *flags =
          static_cast<bool *>(args.workspace) + numRows() * rowBytes();
      return {result, values + first * shape.width, flags + first};
    } else {
      return {result, result, nullptr};
    }
  }

  void combineRow(const Rows &rows, int64_t row, const Stored *from) const {
    Value *to = rows.values + row * shape.width;
    if constexpr (isSmall)
      if (!std::exchange(rows.isWide[row], true))
        std::transform(rows.stored + row * shape.width,
                       rows.stored + (row + 1) * shape.width, to,
                       Element::load);
    for (int64_t i = 0; i < shape.width; ++i)
      to[i] = Combiner<Value>::combine(to[i], Element::load(from[i]));
  }

  size_t numRows() const {
    return static_cast<size_t>(shape.outer * shape.rows);
  }
  size_t rowBytes() const {
    return static_cast<size_t>(shape.width) * sizeof(Value);
  }

  ScatterShape shape;
  DType indexType;
};

} // namespace

static ScatterShape shapeOf(const KernelSpec &spec) {
  const std::vector<int64_t> &updates = spec.operands[0].dims;
  return {updates[0], updates[1], spec.operands[2].dims[1], updates[2]};
}

static constexpr std::string_view algorithms[] = {
    "scatter_max", "scatter_min", "scatter_prod", "scatter_sum"};

template <typename Element>
static std::unique_ptr<Kernel> makeScatter(std::string_view algorithm,
                                           const ScatterShape &shape,
                                           DType indices) {
  if (algorithm == "scatter_max")
    return std::make_unique<ScatterKernel<Element, Maximum>>(shape, indices);
  if (algorithm == "scatter_min")
    return std::make_unique<ScatterKernel<Element, Minimum>>(shape, indices);
  if (algorithm == "scatter_prod")
    return std::make_unique<ScatterKernel<Element, Product>>(shape, indices);
  return std::make_unique<ScatterKernel<Element, Sum>>(shape, indices);
}

/// The kernel for elements of `type`; null for truth values.
static std::unique_ptr<Kernel> makeScatter(DType type,
                                           std::string_view algorithm,
                                           const ScatterShape &shape,
                                           DType indices) {
  return visitElement(type, [&](auto element) -> std::unique_ptr<Kernel> {
    using Element = decltype(element);
    if constexpr (std::is_same_v<Element, Truth>)
      return nullptr;
    else
      return makeScatter<Element>(algorithm, shape, indices);
  });
}

static Status checkScatterTypes(const KernelSpec &spec) {
  const DType type = spec.operands[0].type, indices = spec.operands[1].type;
  if (type == DType::I1)
    return unimplemented("expected integers or floats, found i1");
  if (spec.operands[2].type != type || spec.results[0].type != type)
    return invalidArgument(fmt::format(
        "expected updates, input and result of one type, found {}, {} and {}",
        toString(type), toString(spec.operands[2].type),
        toString(spec.results[0].type)));
  if (isFloat(indices) || indices == DType::I1)
    return invalidArgument(fmt::format("expected indices of integers, found {}",
                                       toString(indices)));
  return Status::ok();
}

namespace weir::cpu {

Status checkScatter(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 3, 3));
  WEIR_RETURN_IF_ERROR(checkScatterTypes(spec));
  const TensorDesc &updates = spec.operands[0], &input = spec.operands[2];
  if (updates.rank() != 3 || input.rank() != 3 ||
      updates.dims[0] != input.dims[0] || updates.dims[2] != input.dims[2])
    return invalidArgument(fmt::format(
        "expected updates and input of rank 3 that agree in their first and "
        "last dim, found {} and {}",
        updates.toString(), input.toString()));
  WEIR_RETURN_IF_ERROR(expectDims(spec, 1, {updates.dims[1]}));
  if (spec.results[0].dims != input.dims)
    return invalidArgument(fmt::format("expected a result like {}, found {}",
                                       input.toString(),
                                       spec.results[0].toString()));
  for (const TensorDesc *desc :
       {&updates, &spec.operands[1], &input, &spec.results[0]})
    if (!desc->isRowMajor())
      return unimplemented("expected row-major operands and result");
  std::string_view algorithm = spec.attrs.textOr("algorithm", "");
  if (std::find(std::begin(algorithms), std::end(algorithms), algorithm) ==
      std::end(algorithms))
    return invalidArgument(fmt::format(
        "unknown algorithm '{}', expected scatter_max, scatter_min, "
        "scatter_prod or scatter_sum",
        algorithm));
  return spec.postOps.empty()
             ? Status::ok()
             : unimplemented("expected no post-op on a scatter");
}

StatusOr<std::unique_ptr<Kernel>> prepareScatter(const KernelSpec &spec,
                                                 PrepareContext &context) {
  if (Status status = checkScatter(spec); !status.isOk())
    return std::move(status).withContext(describe(spec));
  ScatterShape shape = shapeOf(spec);
  const auto combined = static_cast<double>(spec.operands[0].numElements());
  const int64_t threads =
      worthwhileThreads(spec, combined, context.numThreads());
  shape.isShared = threads > 1;
  if (shape.outer < threads)
    shape.parts = std::clamp<int64_t>((threads + shape.outer - 1) /
                                          std::max<int64_t>(shape.outer, 1),
                                      1, std::max<int64_t>(shape.rows, 1));
  return makeScatter(spec.operands[0].type, spec.attrs.textOr("algorithm", ""),
                     shape, spec.operands[1].type);
}

} // namespace weir::cpu
