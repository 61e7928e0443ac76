//===- Gates.cpp - Steps that let elements pass or not ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Gates.h"

#include "ProcessorCode.h"
#include "Vectors.h"

#include <fmt/format.h>

#include <algorithm>

using namespace weir;
using namespace weir::cpu;

static constexpr std::string_view reluGate = "binary_relu_gradient";
static constexpr std::string_view clipGate = "binary_clip_gradient";

bool cpu::isGate(std::string_view algorithm) {
  return algorithm == reluGate || algorithm == clipGate;
}

Status cpu::checkGate(const KernelSpec &spec) {
  const TensorDesc &result = spec.results[0];
  if (result.type == DType::F32 || result.type == DType::BF16)
    return Status::ok();
  return unimplemented(
      fmt::format("expected a gradient of f32 or bf16 behind relu or clip, "
                  "found {}",
                  result.toString()));
}

namespace {

/// The limits of a gate. An element passes if the element of `by` in the same
/// place is above `low` and, if there is an upper limit, below `high`.
struct Gate {
  float low, high;
  bool isLimited;
};

} // namespace

using GateFn = void (*)(const Gate &gate, const void *source, const void *by,
                        void *destination, int64_t count);

template <int64_t Lanes, typename Element>
WEIR_VECTOR_PART static void passAt(const Gate &gate, const Element *source,
                                    const Element *by, Element *destination) {
  using Vector = Floats<Lanes>;
  Vector value, test;
  load(value, source);
  load(test, by);
  const Vector low = Vector{} + gate.low, high = Vector{} + gate.high;
  value = test > low ? value : Vector{};
  if (gate.isLimited)
    value = test < high ? value : Vector{};
  store(value, destination);
}

template <int64_t Lanes, typename Element>
WEIR_VECTOR_PART static void pass(const Gate gate, const Element *source,
                                  const Element *by, Element *destination,
                                  int64_t count) {
  int64_t i = 0;
  for (; i + Lanes <= count; i += Lanes)
    passAt<Lanes>(gate, source + i, by + i, destination + i);
  for (; i < count; ++i)
    passAt<1>(gate, source + i, by + i, destination + i);
}

#define WEIR_GATE_CODE(NAME, TARGET, LANES)                                    \
  template <typename Element>                                                  \
  TARGET static void NAME(const Gate &gate, const void *source,                \
                          const void *by, void *destination, int64_t count) {  \
    pass<LANES>(gate, static_cast<const Element *>(source),                    \
                static_cast<const Element *>(by),                              \
                static_cast<Element *>(destination), count);                   \
  }

WEIR_PROCESSOR_CODE(WEIR_GATE_CODE)

template <typename Element> static GateFn findGate() {
  return chooseCode<GateFn>(avx512<Element>, avx2<Element>, plain<Element>);
}

static GateFn findGate(DType type) {
  return type == DType::BF16 ? findGate<uint16_t>() : findGate<float>();
}

void cpu::addGate(KernelBuilder &builder, const PostOp &op, const Value &source,
                  const Value &by, const Value &destination) {
  const TensorDesc &wanted = destination.desc;
  if (!isDense(wanted)) {
    const Value dense =
        builder.temporary(denseLike(wanted.type, wanted.dims, wanted));
    addGate(builder, op, source, by, dense);
    return builder.copy(dense, destination);
  }
  auto inLayout = [&](const Value &value) {
    return builder.relaid(value.as(broadcastTo(value.desc, wanted.dims)),
                          wanted);
  };
  const Gate gate{static_cast<float>(op.alpha), static_cast<float>(op.beta),
                  op.algorithm == clipGate};
  builder.add(op.algorithm,
              [gate, run = findGate(wanted.type), count = wanted.numElements(),
               bytes = static_cast<int64_t>(byteSize(wanted.type))](
                  int thread, int numThreads, std::byte *const *values) {
                // A thread writes whole cache lines.
                constexpr int64_t step = 64;
                const int64_t steps = (count + step - 1) / step;
                const int64_t begin = steps * thread / numThreads * step;
                const int64_t end =
                    std::min(count, steps * (thread + 1) / numThreads * step);
                if (begin < end)
                  run(gate, values[0] + begin * bytes,
                      values[1] + begin * bytes, values[2] + begin * bytes,
                      end - begin);
                return dnnl_success;
              },
              {inLayout(source), inLayout(by), destination});
}
