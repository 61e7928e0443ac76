//===- FakeCublasLt.cpp - cuBLASLt of pretended GPUs ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Stands in for libcublasLt. It computes what cublasLt.h says of descriptors,
// with plain loops, when the stream of the pretended GPU gets there.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include "weir/Support/DType.h"

#pragma GCC visibility push(default)
#include <cublasLt.h>
#pragma GCC visibility pop

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <iterator>

using namespace weir::test;

namespace {

/// The pretended driver, which counts calls and has the memory.
FakeCuda &driver() {
  static FakeCuda *const found = [] {
    const std::string path = std::getenv("WEIR_CUDA_LIB_PATH");
    void *library = dlopen((path + "/libcuda.so.1").c_str(), RTLD_NOW);
    return reinterpret_cast<FakeCuda *(*)()>(dlsym(library, "weirFakeCuda"))();
  }();
  return *found;
}

cublasStatus_t enter(const char *name) {
  return static_cast<cublasStatus_t>(driver().enterLibrary(name));
}

cublasStatus_t refuse(const std::string &why) {
  driver().complain("cuBLASLt: " + why);
  return CUBLAS_STATUS_INVALID_VALUE;
}

struct Layout {
  cudaDataType type = CUDA_R_32F;
  uint64_t rows = 0, columns = 0;
  int64_t step = 0;
  int32_t numBatches = 1;
  int64_t batchStep = 0;

  size_t elementBytes() const { return type == CUDA_R_32F ? 4 : 2; }
  size_t bytes() const {
    return elementBytes() * (static_cast<size_t>(batchStep) *
                                 static_cast<size_t>(numBatches - 1) +
                             static_cast<size_t>(step) * (columns - 1) + rows);
  }
};

struct Desc {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType scale = CUDA_R_32F;
  int32_t transposesA = CUBLAS_OP_N, transposesB = CUBLAS_OP_N;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void *bias = nullptr;
};

struct Preference {
  uint64_t mostWorkspace = 0;
  uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_MASK;
  /// The alignments of A, B, C and D.
  uint32_t alignments[4] = {256, 256, 256, 256};
};

struct Algorithm {
  size_t workspaceBytes;
  /// How long a launch takes, in units of 10 ns.
  uint64_t units;
  /// Whether it takes the products twice. Only results of bf16 get such ones.
  bool isWrong = false;
};

/// In the order in which the heuristic gives them.
constexpr Algorithm algorithms[] = {
    {4096, 6000}, {1024, 4000}, {8192, 2000}, {1024, 1000, true}};

/// What an algorithm was chosen for, which its words say.
struct Choice {
  uint64_t algorithm = 0;
  uint64_t layouts = 0;
  /// The alignments of A, B, C, D and the bias.
  uint64_t alignments[5] = {};
  uint64_t unused = 0;
};

template <typename Object, typename Handle> Object &of(Handle handle) {
  return *reinterpret_cast<Object *>(handle);
}

template <typename Object, typename Handle, typename... Arguments>
cublasStatus_t make(const char *call, const char *what, Handle *handle,
                    Arguments... arguments) {
  if (const cublasStatus_t failure = enter(call))
    return failure;
  driver().noteLibrary(what, 1);
  *handle = reinterpret_cast<Handle>(new Object{arguments...});
  return CUBLAS_STATUS_SUCCESS;
}

/// Releases something even if the call is to fail.
template <typename Object, typename Handle>
cublasStatus_t destroy(const char *call, const char *what, Handle handle) {
  const cublasStatus_t failure = enter(call);
  driver().noteLibrary(what, -1);
  delete &of<Object>(handle);
  return failure;
}

template <typename Value>
cublasStatus_t store(Value &value, const void *from, size_t bytes) {
  if (bytes != sizeof value)
    return refuse("an attribute has another size");
  std::memcpy(&value, from, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

weir::DType typeOf(cudaDataType type) {
  return type == CUDA_R_16F    ? weir::DType::F16
         : type == CUDA_R_16BF ? weir::DType::BF16
                               : weir::DType::F32;
}

float read(cudaDataType type, const char *from, size_t index) {
  return static_cast<float>(
      weir::loadFloat(typeOf(type), from, static_cast<int64_t>(index)));
}

void write(cudaDataType type, char *to, size_t index, float value) {
  weir::storeFloat(typeOf(type), to, static_cast<int64_t>(index), value);
}

/// Element (row, column) of matrix `batch`.
size_t at(const Layout &layout, size_t batch, size_t row, size_t column) {
  return batch * static_cast<size_t>(layout.batchStep) +
         column * static_cast<size_t>(layout.step) + row;
}

/// A product that a stream has to compute.
struct Product {
  Layout a, b, c, d;
  Desc desc;
  float alpha = 1, beta = 0;
  size_t workspaceBytes = 0;

  size_t depth() const {
    return desc.transposesA == CUBLAS_OP_N ? a.columns : a.rows;
  }
  float sum(const char *left, const char *right, size_t batch, size_t row,
            size_t column) const {
    double total = 0;
    for (size_t k = 0; k < depth(); ++k) {
      const size_t inA = desc.transposesA == CUBLAS_OP_N ? at(a, batch, row, k)
                                                         : at(a, batch, k, row);
      const size_t inB = desc.transposesB == CUBLAS_OP_N
                             ? at(b, batch, k, column)
                             : at(b, batch, column, k);
      total += double(read(a.type, left, inA)) * read(b.type, right, inB);
    }
    return static_cast<float>(total);
  }
  /// `memory`: A, B, D, workspace, then C and the bias if there are any.
  void compute(char *const *memory) const {
    const char *added = beta != 0 ? memory[4] : nullptr;
    const char *bias = memory[beta != 0 ? 5 : 4];
    for (size_t batch = 0; batch < static_cast<size_t>(d.numBatches); ++batch)
      for (size_t column = 0; column < d.columns; ++column)
        for (size_t row = 0; row < d.rows; ++row) {
          float value = alpha * sum(memory[0], memory[1], batch, row, column);
          if (added)
            value += beta * read(c.type, added, at(c, batch, row, column));
          if (desc.epilogue & CUBLASLT_EPILOGUE_BIAS)
            value += read(d.type, bias, row);
          if (desc.epilogue & CUBLASLT_EPILOGUE_RELU)
            value = std::max(value, 0.0f);
          write(d.type, memory[2], at(d, batch, row, column), value);
        }
    std::memset(memory[3], 0xcd, workspaceBytes);
  }
};

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Why cuBLASLt would not take the matrices, or "".
std::string whyNot(const Product &product) {
  const auto &[a, b, c, d, desc, alpha, beta, workspace] = product;
  const bool flipsA = desc.transposesA == CUBLAS_OP_T,
             flipsB = desc.transposesB == CUBLAS_OP_T;
  const bool isRounded = desc.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  if ((desc.compute != CUBLAS_COMPUTE_32F && !isRounded) ||
      desc.scale != CUDA_R_32F)
    return "expected sums in f32";
  if ((flipsA ? a.columns : a.rows) != d.rows ||
      (flipsB ? b.rows : b.columns) != d.columns ||
      (flipsB ? b.columns : b.rows) != product.depth() || c.rows != d.rows ||
      c.columns != d.columns)
    return "the sizes of matrices do not fit";
  if (a.type != b.type || c.type != d.type ||
      (d.type != a.type && d.type != CUDA_R_32F))
    return "the types of matrices do not fit";
  for (const Layout *layout : {&a, &b, &c, &d}) {
    if (layout->rows == 0 || layout->columns == 0 ||
        layout->step < static_cast<int64_t>(layout->rows))
      return "the columns of a matrix overlap";
    if (layout->numBatches != d.numBatches)
      return "the batches of matrices do not fit";
  }
  if (d.numBatches > 1 && d.batchStep == 0)
    return "a batch is written to one place";
  return {};
}

Product describe(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                 cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                 cublasLtMatrixLayout_t d) {
  return {of<Layout>(a), of<Layout>(b), of<Layout>(c), of<Layout>(d),
          of<Desc>(desc)};
}

/// Identifies the layouts of the matrices.
uint64_t hashOf(const Product &product) {
  uint64_t hash = 0;
  for (const Layout *layout : {&product.a, &product.b, &product.c, &product.d})
    for (const uint64_t number :
         {uint64_t(layout->type), layout->rows, layout->columns,
          uint64_t(layout->step), uint64_t(layout->numBatches),
          uint64_t(layout->batchStep)})
      hash = (hash ^ number) * 0x100000001b3;
  return hash;
}

uint32_t alignmentOf(const void *address) {
  const auto bits = reinterpret_cast<uintptr_t>(address);
  return static_cast<uint32_t>(std::min<uintptr_t>(bits & -bits, 256));
}

/// Complains of addresses that the algorithm was not chosen for.
void checkAddresses(const Choice &choice, const void *const (&matrices)[4],
                    const Product &product) {
  for (int i = 0; i < 4; ++i)
    if (alignmentOf(matrices[i]) < choice.alignments[i])
      driver().complain("cuBLASLt: a matrix is aligned less than was said");
  const bool hasBias = product.desc.epilogue & CUBLASLT_EPILOGUE_BIAS;
  if (hasBias && alignmentOf(product.desc.bias) < choice.alignments[4])
    driver().complain("cuBLASLt: a bias is aligned less than was said");
}

} // namespace

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

size_t cublasLtGetVersion() { return CUBLAS_VERSION; }

const char *cublasLtGetStatusName(cublasStatus_t) { return nullptr; }

const char *cublasLtGetStatusString(cublasStatus_t) {
  return "as was asked for";
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  return make<int>("cublasLtCreate", "handles of cuBLASLt", handle);
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return destroy<int>("cublasLtDestroy", "handles of cuBLASLt", handle);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                          cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t step) {
  return make<Layout>("cublasLtMatrixLayoutCreate", "layouts of matrices",
                      layout, type, rows, columns, step);
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroy<Layout>("cublasLtMatrixLayoutDestroy", "layouts of matrices",
                         layout);
}

cublasStatus_t
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t handle,
                                 cublasLtMatrixLayoutAttribute_t attribute,
                                 const void *value, size_t bytes) {
  if (const cublasStatus_t failure = enter("cublasLtMatrixLayoutSetAttribute"))
    return failure;
  auto &layout = of<Layout>(handle);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
    return store(layout.numBatches, value, bytes);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET)
    return store(layout.batchStep, value, bytes);
  return refuse("an attribute of a layout that is not known here");
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc,
                                        cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  // To be seen in the list of calls.
  if (compute == CUBLAS_COMPUTE_32F_FAST_TF32)
    if (const cublasStatus_t failure = enter("a product in TF32"))
      return failure;
  return make<Desc>("cublasLtMatmulDescCreate", "descriptions of products",
                    desc, compute, scale);
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  return destroy<Desc>("cublasLtMatmulDescDestroy", "descriptions of products",
                       desc);
}

cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t handle,
                               cublasLtMatmulDescAttributes_t attribute,
                               const void *value, size_t bytes) {
  if (const cublasStatus_t failure = enter("cublasLtMatmulDescSetAttribute"))
    return failure;
  auto &desc = of<Desc>(handle);
  switch (attribute) {
  case CUBLASLT_MATMUL_DESC_TRANSA:
    return store(desc.transposesA, value, bytes);
  case CUBLASLT_MATMUL_DESC_TRANSB:
    return store(desc.transposesB, value, bytes);
  case CUBLASLT_MATMUL_DESC_EPILOGUE:
    return store(desc.epilogue, value, bytes);
  case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
    return store(desc.bias, value, bytes);
  default:
    return refuse("an attribute of a product that is not known here");
  }
}

cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  return make<Preference>("cublasLtMatmulPreferenceCreate", "preferences",
                          preference);
}

cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy<Preference>("cublasLtMatmulPreferenceDestroy", "preferences",
                             preference);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t handle,
    cublasLtMatmulPreferenceAttributes_t attribute, const void *value,
    size_t bytes) {
  if (const cublasStatus_t failure =
          enter("cublasLtMatmulPreferenceSetAttribute"))
    return failure;
  auto &preference = of<Preference>(handle);
  switch (attribute) {
  case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
    return store(preference.mostWorkspace, value, bytes);
  case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
    return store(preference.schemes, value, bytes);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
    return store(preference.alignments[0], value, bytes);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
    return store(preference.alignments[1], value, bytes);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
    return store(preference.alignments[2], value, bytes);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
    return store(preference.alignments[3], value, bytes);
  default:
    return refuse("a preference that is not known here");
  }
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
    cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t handle, int numWanted,
    cublasLtMatmulHeuristicResult_t *results, int *numFound) {
  if (const cublasStatus_t failure = enter("cublasLtMatmulAlgoGetHeuristic"))
    return failure;
  const auto &preference = of<Preference>(handle);
  const Product product = describe(desc, a, b, c, d);
  if (const std::string reason = whyNot(product); !reason.empty())
    return refuse(reason);
  // Others give sums that depend on the order in which blocks run, or round
  // their parts.
  if (preference.schemes & ~uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE))
    return refuse("sums may be split in any way");
  *numFound = 0;
  Choice choice{.layouts = hashOf(product)};
  std::ranges::copy(preference.alignments, choice.alignments);
  choice.alignments[4] = alignmentOf(product.desc.bias);
  for (const Algorithm &algorithm : algorithms) {
    if (*numFound < numWanted &&
        algorithm.workspaceBytes <= preference.mostWorkspace &&
        (!algorithm.isWrong || product.d.type == CUDA_R_16BF)) {
      cublasLtMatmulHeuristicResult_t &result = results[(*numFound)++];
      result = {};
      result.algo = std::bit_cast<cublasLtMatmulAlgo_t>(choice);
      result.workspaceSize = algorithm.workspaceBytes;
    }
    ++choice.algorithm;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulAlgoCheck(cublasLtHandle_t, cublasLtMatmulDesc_t desc,
                        cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                        cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                        const cublasLtMatmulAlgo_t *algorithm,
                        cublasLtMatmulHeuristicResult_t *result) {
  if (const cublasStatus_t failure = enter("cublasLtMatmulAlgoCheck"))
    return failure;
  const Choice choice = std::bit_cast<Choice>(*algorithm);
  if (choice.algorithm >= std::size(algorithms) ||
      choice.layouts != hashOf(describe(desc, a, b, c, d)))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  // The algorithm is not written.
  *result = {};
  result->workspaceSize = algorithms[choice.algorithm].workspaceBytes;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t desc,
                              const void *alpha, const void *a,
                              cublasLtMatrixLayout_t layoutA, const void *b,
                              cublasLtMatrixLayout_t layoutB, const void *beta,
                              const void *c, cublasLtMatrixLayout_t layoutC,
                              void *d, cublasLtMatrixLayout_t layoutD,
                              const cublasLtMatmulAlgo_t *algo, void *workspace,
                              size_t bytes, cudaStream_t stream) {
  if (const cublasStatus_t failure = enter("cublasLtMatmul"))
    return failure;
  Product product = describe(desc, layoutA, layoutB, layoutC, layoutD);
  product.alpha = *static_cast<const float *>(alpha);
  product.beta = *static_cast<const float *>(beta);
  const Choice choice = std::bit_cast<Choice>(*algo);
  if (choice.layouts != hashOf(product))
    return refuse("the algorithm was chosen for another product");
  const Algorithm &algorithm = algorithms[choice.algorithm];
  product.workspaceBytes = algorithm.workspaceBytes;
  if (algorithm.isWrong)
    product.alpha *= 2;
  if (bytes < algorithm.workspaceBytes)
    return refuse("the algorithm lacks workspace");
  const void *const matrices[] = {a, b, c, d};
  checkAddresses(choice, matrices, product);
  std::vector<FakeRange> ranges = {{a, product.a.bytes(), false},
                                   {b, product.b.bytes(), false},
                                   {d, product.d.bytes(), true},
                                   {workspace, bytes, true}};
  if (product.beta != 0)
    ranges.push_back({c, product.c.bytes(), false});
  if (product.desc.epilogue & CUBLASLT_EPILOGUE_BIAS)
    ranges.push_back(
        {product.desc.bias, product.d.rows * product.d.elementBytes(), false});
  // The bias may be missing: its place in the list is read all the same.
  driver().launch(
      stream, "a product", std::move(ranges),
      [product](std::vector<char *> memory) {
        memory.push_back(nullptr);
        product.compute(memory.data());
      },
      algorithm.units);
  return CUBLAS_STATUS_SUCCESS;
}
