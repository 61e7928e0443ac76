//===- TopK.cpp - The kernel top_k ------------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A row is read once. Elements that may be among the best k go to a buffer of
// 2k. When the buffer is full, only the best k stay, and later elements must
// surpass the worst of these. So the time to find the best k is proportional to
// the length of the row. To sort them adds k log k.
//
//===----------------------------------------------------------------------===//

#include "../../OpenMP/Team.h"
#include "ElementTags.h"
#include "LibraryStatus.h"
#include "WorthwhileThreads.h"

#include "weir/Support/Alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace weir;
using namespace weir::cpu;

namespace {

struct TopKShape {
  int64_t outer = 1, size, inner = 1, k;
  bool isLargest;
  /// The number of threads that share the rows.
  int64_t parts = 1;

  int64_t numRows() const { return outer * inner; }
  int64_t numCandidates() const { return std::min(2 * k, size); }
};

template <typename Value> struct Candidate {
  Value value;
  int64_t position;
};

/// Whether `left` is less than `right`. NaN counts as the largest value.
template <typename Value> bool isLess(Value left, Value right) {
  if constexpr (std::is_floating_point_v<Value>) {
    if (std::isnan(right))
      return !std::isnan(left);
  }
  return left < right;
}

template <typename Value, bool isLargest> struct GoesBefore {
  bool operator()(const Candidate<Value> &left,
                  const Candidate<Value> &right) const {
    const Value &first = isLargest ? right.value : left.value;
    const Value &second = isLargest ? left.value : right.value;
    if (isLess(first, second))
      return true;
    return !isLess(second, first) && left.position < right.position;
  }
};

template <typename Element, bool isLargest>
class TopKKernel final : public Kernel {
  using Value = typename Element::Value;
  using Entry = Candidate<Value>;

public:
  explicit TopKKernel(const TopKShape &shape)
      : shape(shape),
        bytesPerPart(alignTo(
            static_cast<size_t>(shape.numCandidates()) * sizeof(Entry), 64)) {}

  size_t workspaceBytes() const override {
    return bytesPerPart * static_cast<size_t>(shape.parts);
  }

  Status run(const KernelArgs &args) override {
    const auto work = [&](int64_t part) {
      auto *entries =
          reinterpret_cast<Entry *>(static_cast<char *>(args.workspace) +
                                    bytesPerPart * static_cast<size_t>(part));
      const int64_t rows = shape.numRows();
      for (int64_t row = rows * part / shape.parts;
           row < rows * (part + 1) / shape.parts; ++row)
        findRow(args, row, entries);
    };
    if (shape.k > 0)
      parallelFor(shape.parts, work);
    return Status::ok();
  }

  bool isSerial() const override { return shape.parts == 1; }
  bool mayRunAlone() const override { return true; }
  std::string implementation() const override { return "selection"; }

private:
  void findRow(const KernelArgs &args, int64_t row, Entry *entries) const {
    const int64_t outside = row / shape.inner, inside = row % shape.inner;
    const auto *from =
        static_cast<const typename Element::Stored *>(args.buffers[0]) +
        outside * shape.size * shape.inner + inside;
    auto *to = static_cast<int64_t *>(args.buffers[1]) +
               outside * shape.k * shape.inner + inside;
    const GoesBefore<Value, isLargest> goesBefore;
    const int64_t limit = shape.numCandidates();
    int64_t count = 0;
    bool isFull = false;
    for (int64_t i = 0; i < shape.size; ++i) {
      const Entry entry{Element::load(from[i * shape.inner]), i};
      if (isFull && !goesBefore(entry, entries[shape.k - 1]))
        continue;
      entries[count++] = entry;
      if (count < limit || count == shape.k)
        continue;
      std::nth_element(entries, entries + shape.k - 1, entries + count,
                       goesBefore);
      count = shape.k;
      isFull = true;
    }
    std::nth_element(entries, entries + shape.k - 1, entries + count,
                     goesBefore);
    std::sort(entries, entries + shape.k, goesBefore);
    for (int64_t i = 0; i < shape.k; ++i)
      to[i * shape.inner] = entries[i].position;
  }

  TopKShape shape;
  size_t bytesPerPart;
};

} // namespace

template <typename Element>
static std::unique_ptr<Kernel> makeTopK(const TopKShape &shape) {
  if (shape.isLargest)
    return std::make_unique<TopKKernel<Element, true>>(shape);
  return std::make_unique<TopKKernel<Element, false>>(shape);
}

static std::unique_ptr<Kernel> makeTopK(DType type, const TopKShape &shape) {
  return visitElement(
      type, [&](auto element) { return makeTopK<decltype(element)>(shape); });
}

static TopKShape shapeOf(const KernelSpec &spec, int64_t axis) {
  const std::vector<int64_t> &dims = spec.operands[0].dims;
  TopKShape shape;
  for (int64_t d = 0; d < spec.operands[0].rank(); ++d)
    if (d != axis)
      (d < axis ? shape.outer : shape.inner) *= dims[d];
  shape.size = dims[axis];
  shape.k = spec.results[0].dims[axis];
  shape.isLargest = spec.attrs.intOr("largest", 1) != 0;
  return shape;
}

namespace weir::cpu {

Status checkTopK(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 1, 1));
  const TensorDesc &input = spec.operands[0], &positions = spec.results[0];
  WEIR_ASSIGN_OR_RETURN(int64_t axis, readAxis(spec, -1));
  WEIR_RETURN_IF_ERROR(expectSameRank(spec));
  if (positions.type != DType::I64 || !input.isRowMajor() ||
      !positions.isRowMajor())
    return unimplemented("expected a row-major operand and positions of i64");
  for (int64_t d = 0; d < input.rank(); ++d)
    if (d == axis ? positions.dims[d] > input.dims[d]
                  : positions.dims[d] != input.dims[d])
      return invalidArgument(fmt::format(
          "dim {} of the result is {}, expected {}{} as in operand 0", d,
          positions.dims[d], d == axis ? "at most " : "", input.dims[d]));
  return spec.postOps.empty()
             ? Status::ok()
             : unimplemented("expected no post-op on positions");
}

StatusOr<std::unique_ptr<Kernel>> prepareTopK(const KernelSpec &spec,
                                              PrepareContext &context) {
  if (Status status = checkTopK(spec); !status.isOk())
    return std::move(status).withContext(describe(spec));
  TopKShape shape = shapeOf(spec, *readAxis(spec, -1));
  const auto compared =
      10 * static_cast<double>(spec.operands[0].numElements());
  const int64_t threads =
      worthwhileThreads(spec, compared, context.numThreads());
  shape.parts =
      std::clamp<int64_t>(shape.numRows(), 1, std::max<int64_t>(threads, 1));
  return makeTopK(spec.operands[0].type, shape);
}

} // namespace weir::cpu
