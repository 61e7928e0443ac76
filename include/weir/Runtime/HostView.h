//===- HostView.h - Views of the caller's vectors and arrays ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Inputs and outputs of runs, and values of variables, in memory that the
// program has anyway:
//
//   std::vector<float> pixels(2 * 8), scores(2 * 4);
//   WEIR_ASSIGN_OR_RETURN(const auto x, weir::view(pixels, {2, 8}));
//   WEIR_ASSIGN_OR_RETURN(const auto y, weir::view(scores, {2, 4}));
//   const weir::ConstTensorView inputs[] = {x};
//   const weir::TensorView outputs[] = {y};
//   return session->run(inputs, outputs);
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_HOSTVIEW_H
#define WEIR_RUNTIME_HOSTVIEW_H

#include "weir/Runtime/Tensor.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/Status.h"

#include <bit>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace weir {

/// The element type for the C++ type T: f32 for float, f64 for double, i1 for
/// bool, and for an integer the type of its size, signed or not.
template <typename T> consteval DType dtypeOf() {
  if constexpr (std::is_same_v<T, bool>) {
    return DType::I1;
  } else if constexpr (std::is_same_v<T, float>) {
    return DType::F32;
  } else if constexpr (std::is_same_v<T, double>) {
    return DType::F64;
  } else {
    static_assert(std::is_integral_v<T>,
                  "expected float, double, bool or an integer");
    // Character types are refused: whether char is signed depends on the
    // machine.
    static_assert(std::is_same_v<T, std::make_signed_t<T>> ||
                      std::is_same_v<T, std::make_unsigned_t<T>>,
                  "expected a number; use int8_t or uint8_t for bytes");
    constexpr DType types[2][4] = {
        {DType::U8, DType::U16, DType::U32, DType::U64},
        {DType::I8, DType::I16, DType::I32, DType::I64}};
    return types[std::is_signed_v<T>][std::bit_width(sizeof(T)) - 1];
  }
}

/// The description of a row-major tensor of `numElements` elements. It is an
/// error if `dims` requires another number of elements, if a dim is negative,
/// if there are more than `maxTensorRank` dims, or if the tensor is larger than
/// `maxTensorBytes`.
StatusOr<TensorDesc> describeRowMajor(DType type, std::vector<int64_t> dims,
                                      size_t numElements);

/// A row-major tensor of Ts in the host's memory, with its dims. It owns no
/// elements: these belong to the caller and must stay valid while the view, or
/// a view that was made of it, is used. It becomes a ConstTensorView, and a
/// TensorView if T is not const. Both point to the dims of this object. Made by
/// `view`.
template <typename T> class HostView {
public:
  HostView(TensorDesc desc, std::span<T> elements)
      : description(std::move(desc)), elements(elements) {}

  const TensorDesc &desc() const { return description; }
  DType type() const { return description.type; }
  const std::vector<int64_t> &dims() const { return description.dims; }
  std::span<T> values() const { return elements; }

  operator ConstTensorView() const & {
    return {type(), dims(), elements.data(), elements.size_bytes()};
  }
  operator TensorView() const &requires(!std::is_const_v<T>) {
    return {type(), dims(), elements.data(), elements.size_bytes()};
  }
  /// The dims of a temporary would be destroyed before the view is used.
  operator ConstTensorView() const && = delete;
  operator TensorView() const && = delete;

private:
  TensorDesc description;
  std::span<T> elements;
};

/// The type of the elements of a vector, array or span. It is const if the
/// elements are.
template <typename Range>
using ElementOf =
    std::remove_reference_t<std::ranges::range_reference_t<Range>>;

/// A view of `elements`, a vector, array or span, as a row-major tensor of
/// `dims`. It can be an output of runs if the elements are not const. `{}` are
/// the dims of a single number. `type` is only needed for uint16_t that hold
/// f16 or bf16. See `describeRowMajor` for errors. It is also an error if the
/// elements do not have the C++ type of `type`.
template <std::ranges::contiguous_range Range>
requires std::ranges::borrowed_range<Range> StatusOr<HostView<ElementOf<Range>>>
view(Range &&elements, std::vector<int64_t> dims,
     DType type = dtypeOf<std::ranges::range_value_t<Range>>()) {
  using Element = ElementOf<Range>;
  WEIR_RETURN_IF_ERROR(checkHeldAs<std::remove_const_t<Element>>(type));
  const std::span<Element> span(elements);
  WEIR_ASSIGN_OR_RETURN(TensorDesc desc,
                        describeRowMajor(type, std::move(dims), span.size()));
  return HostView<Element>(std::move(desc), span);
}

/// A view of a HostTensor, which must not move while the view is used.
inline ConstTensorView view(const HostTensor &tensor) {
  return {tensor.type(), tensor.dims(), tensor.data(), tensor.bytes().size()};
}
inline TensorView view(HostTensor &tensor) {
  return {tensor.type(), tensor.dims(), tensor.data(), tensor.bytes().size()};
}
ConstTensorView view(HostTensor &&tensor) = delete;

} // namespace weir

#endif // WEIR_RUNTIME_HOSTVIEW_H
