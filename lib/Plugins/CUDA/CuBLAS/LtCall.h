//===- LtCall.h - A product as cuBLASLt is asked for it ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTCALL_H
#define WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTCALL_H

#include "LtLibrary.h"
#include "LtProduct.h"

#include <memory>
#include <string>
#include <vector>

namespace weir {

/// An object of cuBLASLt, with the function that destroys it.
template <typename Object>
using LtOwned = std::unique_ptr<Object, cublasStatus_t (*)(Object *)>;
using LtAlgorithm = cublasLtMatmulHeuristicResult_t;

/// Describes a product to cuBLASLt.
class LtCall {
public:
  static StatusOr<std::unique_ptr<LtCall>>
  create(std::shared_ptr<LtDevice> device, LtProduct product, bool allowsTF32);

  /// Up to `most` algorithms, at least one, in the order in which cuBLASLt
  /// expects them to be fast. All of them give the same bits in each run.
  StatusOr<std::vector<LtAlgorithm>> choose(int most);
  /// The algorithm `algorithm`, if cuBLASLt takes it for the product.
  StatusOr<LtAlgorithm> check(const cublasLtMatmulAlgo_t &algorithm);

  /// The addresses of a launch.
  struct Places {
    void *const *buffers;
    /// The address of A if A is not in its buffer, else null.
    const void *weights;
    /// The bias in the type of D, if there is one.
    const void *bias;
    void *workspace;
  };
  /// Asks `stream` for the product. One thread at a time calls this.
  Status enqueue(const Places &places, const LtAlgorithm &algorithm,
                 CUstream stream);

  const LtProduct product;
  const std::shared_ptr<LtDevice> device;
  /// Identifies the library, the product, and the algorithms that the library
  /// may choose.
  std::string identify() const;

private:
  using Layout = LtOwned<cublasLtMatrixLayoutOpaque_t>;
  using Preference = LtOwned<cublasLtMatmulPreferenceOpaque_t>;

  LtCall(std::shared_ptr<LtDevice> device, LtProduct product, bool allowsTF32);
  const LtLibrary &library() const { return device->library; }
  template <typename Value>
  Status set(cublasLtMatmulDescAttributes_t attribute, const Value &value);
  template <typename Value>
  Status set(Layout &layout, cublasLtMatrixLayoutAttribute_t attribute,
             const Value &value);
  template <typename Value>
  Status set(Preference &preference,
             cublasLtMatmulPreferenceAttributes_t attribute,
             const Value &value);
  Status describe();
  Status makeDesc();
  Status makeLayout(Layout &layout, const LtMatrix &matrix);
  Status setAlignments(Preference &preference);
  Status checkWorkspace(const LtAlgorithm &algorithm) const;
  Status multiply(const LtProduct::Part &part, const Places &places,
                  const LtAlgorithm &algorithm, CUstream stream);

  const bool allowsTF32;
  LtOwned<cublasLtMatmulDescOpaque_t> desc;
  Layout a, b, c, d;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUBLAS_LTCALL_H
