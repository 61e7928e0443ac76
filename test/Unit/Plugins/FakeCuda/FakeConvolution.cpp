//===- FakeConvolution.cpp - What graphs of cuDNN compute -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The operations are those that the documentation of cuDNN defines. Values
// between them are of f32, and sums of f64.
//
//===----------------------------------------------------------------------===//

#include "FakeConvolution.h"

#include "weir/Support/DType.h"

#include <algorithm>
#include <cmath>

using namespace weir::test;

using Values = std::vector<float>;
using Sizes = std::vector<int64_t>;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

FakeTensor::FakeTensor(const FakeDescriptor &descriptor)
    : uid(descriptor.get<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID)),
      dims(descriptor.list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS)),
      strides(descriptor.list<int64_t>(CUDNN_ATTR_TENSOR_STRIDES)),
      type(descriptor.get<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE)),
      isVirtual(descriptor.get<char>(CUDNN_ATTR_TENSOR_IS_VIRTUAL) != 0),
      isByValue(descriptor.get<char>(CUDNN_ATTR_TENSOR_IS_BY_VALUE) != 0),
      alignment(descriptor.get<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT)) {}

size_t FakeTensor::numElements() const {
  size_t number = 1;
  for (const int64_t dim : dims)
    number *= static_cast<size_t>(dim);
  return number;
}

size_t FakeTensor::elementBytes() const {
  return type == CUDNN_DATA_FLOAT ? 4 : 2;
}

size_t FakeTensor::bytes() const {
  int64_t last = 0;
  for (size_t i = 0; i < dims.size(); ++i)
    last += (dims[i] - 1) * strides[i];
  return (static_cast<size_t>(last) + 1) * elementBytes();
}

static weir::DType elementType(const FakeTensor &tensor) {
  return tensor.type == CUDNN_DATA_HALF       ? weir::DType::F16
         : tensor.type == CUDNN_DATA_BFLOAT16 ? weir::DType::BF16
                                              : weir::DType::F32;
}

/// Calls `visit` with the number of each element in the order of its indices,
/// and with where `strides` say that it is.
template <typename Visit>
static void forEach(const Sizes &dims, const Sizes &strides, Visit visit) {
  Sizes index(dims.size());
  size_t number = 1;
  for (const int64_t dim : dims)
    number *= static_cast<size_t>(dim);
  for (size_t i = 0; i < number; ++i) {
    int64_t offset = 0;
    for (size_t dim = 0; dim < dims.size(); ++dim)
      offset += index[dim] * strides[dim];
    visit(i, offset);
    for (size_t dim = dims.size(); dim-- > 0;) {
      if (++index[dim] < dims[dim])
        break;
      index[dim] = 0;
    }
  }
}

static Values load(const FakeTensor &tensor, const char *from) {
  Values values(tensor.numElements());
  forEach(tensor.dims, tensor.strides, [&](size_t at, int64_t offset) {
    values[at] =
        static_cast<float>(weir::loadFloat(elementType(tensor), from, offset));
  });
  return values;
}

static void store(const FakeTensor &tensor, const Values &values, char *to) {
  forEach(tensor.dims, tensor.strides, [&](size_t at, int64_t offset) {
    weir::storeFloat(elementType(tensor), to, offset, values[at]);
  });
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// The attributes of a kind of operation.
struct Roles {
  cudnnBackendAttributeName_t convolution;
  /// The last one is the result.
  std::vector<cudnnBackendAttributeName_t> tensors;
  /// Which of the tensors of a convolution is what windows move over, which
  /// the weights, and which has an element for each window.
  size_t wide = 0, weights = 0, narrow = 0;
};

/// Images with channels in groups, and their windows: with three spatial dims,
/// of which the first may be 1.
struct Windows {
  Windows(const FakeDescriptor &convolution, const FakeTensor &wide,
          const FakeTensor &weights, const FakeTensor &narrow);

  Sizes wide, weights, narrow;
  Sizes strides, dilations, pads;
};

} // namespace

static Sizes withThreeSpatialDims(Sizes dims) {
  if (dims.size() == 4)
    dims.insert(dims.begin() + 2, 1);
  return dims;
}

static Sizes ofThree(const FakeDescriptor &from,
                     cudnnBackendAttributeName_t name, int64_t missing) {
  Sizes list = from.list<int64_t>(name);
  if (list.size() == 2)
    list.insert(list.begin(), missing);
  return list;
}

Windows::Windows(const FakeDescriptor &convolution, const FakeTensor &wide,
                 const FakeTensor &weights, const FakeTensor &narrow)
    : wide(withThreeSpatialDims(wide.dims)),
      weights(withThreeSpatialDims(weights.dims)),
      narrow(withThreeSpatialDims(narrow.dims)),
      strides(ofThree(convolution, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, 1)),
      dilations(ofThree(convolution, CUDNN_ATTR_CONVOLUTION_DILATIONS, 1)),
      pads(ofThree(convolution, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, 0)) {}

static size_t flatten(const Sizes &dims, const Sizes &index) {
  int64_t at = 0;
  for (size_t i = 0; i < dims.size(); ++i)
    at = at * dims[i] + index[i];
  return static_cast<size_t>(at);
}

/// Where the cell `cell` of the window at `position` is in the wide image; or
/// false if it is padding.
static bool findCell(const Windows &windows, const Sizes &position,
                     const Sizes &cell, Sizes &found) {
  for (size_t i = 0; i < 3; ++i) {
    found[i + 2] = position[i + 2] * windows.strides[i] +
                   cell[i + 2] * windows.dilations[i] - windows.pads[i];
    if (found[i + 2] < 0 || found[i + 2] >= windows.wide[i + 2])
      return false;
  }
  return true;
}

/// The indices of element `number`.
static Sizes unflatten(const Sizes &dims, size_t number) {
  Sizes index(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    index[i] = static_cast<int64_t>(number) % dims[i];
    number /= static_cast<size_t>(dims[i]);
  }
  return index;
}

/// Calls `visit` with each product of a convolution: which element of the wide
/// image, of the weights and of the narrow image.
template <typename Visit>
static void forEachProduct(const Windows &windows, Visit visit) {
  const auto count = [](const Sizes &dims) {
    size_t number = 1;
    for (const int64_t dim : dims)
      number *= static_cast<size_t>(dim);
    return number;
  };
  const int64_t perGroup = windows.weights[1];
  const int64_t groups = windows.wide[1] / perGroup;
  const int64_t outPerGroup = windows.weights[0] / groups;
  for (size_t out = 0; out < count(windows.narrow); ++out) {
    const Sizes position = unflatten(windows.narrow, out);
    const int64_t group = position[1] / outPerGroup;
    Sizes cellDims = windows.weights;
    cellDims[0] = 1;
    for (size_t i = 0; i < count(cellDims); ++i) {
      Sizes cell = unflatten(cellDims, i);
      Sizes in(5);
      if (!findCell(windows, position, cell, in))
        continue;
      in[0] = position[0];
      in[1] = group * perGroup + cell[1];
      cell[0] = position[1];
      visit(flatten(windows.wide, in), flatten(windows.weights, cell), out);
    }
  }
}

static const Roles forward = {
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
    {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y},
    /*wide=*/0,
    /*weights=*/1,
    /*narrow=*/2};
static const Roles ofImages = {
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
    {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX},
    /*wide=*/2,
    /*weights=*/1,
    /*narrow=*/0};
static const Roles ofWeights = {
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
    {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW},
    /*wide=*/1,
    /*weights=*/2,
    /*narrow=*/0};
static const Roles pointwise = {CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
                                {CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                                 CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                                 CUDNN_ATTR_OPERATION_POINTWISE_YDESC}};

/// The roles in an operation, or null if it is not known here.
static const Roles *rolesOf(const FakeDescriptor &operation) {
  switch (operation.type) {
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    return &forward;
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
    return &ofImages;
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
    return &ofWeights;
  case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
    return &pointwise;
  default:
    return nullptr;
  }
}

/// The windows of a convolution or one of its gradients.
static Windows windowsOf(const FakeDescriptor &operation,
                         const std::vector<FakeTensor> &tensors) {
  const Roles &roles = *rolesOf(operation);
  return {*operation.child(roles.convolution), tensors[roles.wide],
          tensors[roles.weights], tensors[roles.narrow]};
}

static Values convolve(const FakeDescriptor &operation,
                       const std::vector<FakeTensor> &tensors,
                       const std::vector<Values> &inputs) {
  const Roles &roles = *rolesOf(operation);
  std::vector<double> sums(tensors.back().numElements());
  forEachProduct(windowsOf(operation, tensors),
                 [&](size_t wide, size_t weight, size_t narrow) {
                   size_t at[3];
                   at[roles.wide] = wide;
                   at[roles.weights] = weight;
                   at[roles.narrow] = narrow;
                   sums[at[2]] += double(inputs[0][at[0]]) * inputs[1][at[1]];
                 });
  return Values(sums.begin(), sums.end());
}

//===----------------------------------------------------------------------===//
// Pointwise operations
//===----------------------------------------------------------------------===//

static double apply(cudnnPointwiseMode_t mode, double a, double b) {
  switch (mode) {
  case CUDNN_POINTWISE_ABS:
    return std::abs(a);
  case CUDNN_POINTWISE_ADD:
    return a + b;
  case CUDNN_POINTWISE_DIV:
    return a / b;
  case CUDNN_POINTWISE_ELU_FWD:
    return a > 0 ? a : std::expm1(a);
  case CUDNN_POINTWISE_EXP:
    return std::exp(a);
  case CUDNN_POINTWISE_GELU_FWD:
    return 0.5 * a * (1 + std::erf(a / std::sqrt(2.0)));
  case CUDNN_POINTWISE_LOG:
    return std::log(a);
  case CUDNN_POINTWISE_MAX:
    return std::max(a, b);
  case CUDNN_POINTWISE_MIN:
    return std::min(a, b);
  case CUDNN_POINTWISE_MUL:
    return a * b;
  case CUDNN_POINTWISE_RELU_FWD:
    return std::max(a, 0.0);
  case CUDNN_POINTWISE_SIGMOID_FWD:
    return 1 / (1 + std::exp(-a));
  case CUDNN_POINTWISE_SOFTPLUS_FWD:
    return std::log1p(std::exp(-std::abs(a))) + std::max(a, 0.0);
  case CUDNN_POINTWISE_SQRT:
    return std::sqrt(a);
  case CUDNN_POINTWISE_SUB:
    return a - b;
  case CUDNN_POINTWISE_SWISH_FWD:
    return a / (1 + std::exp(-a));
  default:
    return std::tanh(a);
  }
}

/// The strides in values of `from` that are repeated along `dims`.
static Sizes repeatedStrides(const Sizes &from, const Sizes &dims) {
  Sizes strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = from[i] == 1 ? 0 : stride;
    stride *= from[i];
  }
  return strides;
}

static Values combine(const FakeDescriptor &operation,
                      const std::vector<FakeTensor> &tensors,
                      const std::vector<Values> &inputs) {
  const auto mode =
      operation.child(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR)
          ->get<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
  const Sizes &dims = tensors.back().dims;
  std::vector<Values> repeated;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Values &values = repeated.emplace_back(tensors.back().numElements());
    forEach(dims, repeatedStrides(tensors[i].dims, dims),
            [&](size_t at, int64_t offset) {
              values[at] = inputs[i][static_cast<size_t>(offset)];
            });
  }
  Values results(tensors.back().numElements());
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = static_cast<float>(
        apply(mode, repeated[0][i], repeated.size() > 1 ? repeated[1][i] : 0));
  return results;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

std::vector<FakeTensor> weir::test::tensorsOf(const FakeDescriptor &operation) {
  std::vector<FakeTensor> tensors;
  for (const cudnnBackendAttributeName_t name : rolesOf(operation)->tensors)
    if (const FakeDescriptorRef tensor = operation.child(name))
      tensors.emplace_back(*tensor);
  return tensors;
}

/// Whether the windows of a convolution have as many positions as its result.
static bool doWindowsFit(const Windows &windows,
                         const FakeDescriptor &convolution) {
  const Sizes after =
      ofThree(convolution, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, 0);
  for (size_t i = 0; i < 3; ++i) {
    const int64_t extent =
        (windows.weights[i + 2] - 1) * windows.dilations[i] + 1;
    const int64_t rest =
        windows.wide[i + 2] + windows.pads[i] + after[i] - extent;
    if (rest < 0 || rest / windows.strides[i] + 1 != windows.narrow[i + 2])
      return false;
  }
  return windows.wide[0] == windows.narrow[0] &&
         windows.narrow[1] == windows.weights[0] &&
         windows.wide[1] % windows.weights[1] == 0;
}

std::string weir::test::whyNot(const FakeDescriptor &operation) {
  const Roles *roles = rolesOf(operation);
  if (!roles || !operation.child(roles->convolution))
    return "an operation that is not known here";
  const std::vector<FakeTensor> tensors = tensorsOf(operation);
  if (tensors.size() < 2 || (roles != &pointwise && tensors.size() != 3))
    return "an operation lacks a tensor";
  const FakeDescriptor &how = *operation.child(roles->convolution);
  if (roles == &pointwise) {
    const bool hasF32 = how.get<cudnnDataType_t>(
                            CUDNN_ATTR_POINTWISE_MATH_PREC) == CUDNN_DATA_FLOAT;
    return hasF32 ? "" : "a pointwise operation is not computed in f32";
  }
  if (how.get<cudnnDataType_t>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE) !=
          CUDNN_DATA_FLOAT ||
      how.get<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) !=
          CUDNN_CROSS_CORRELATION)
    return "expected a cross-correlation with sums in f32";
  return doWindowsFit(windowsOf(operation, tensors), how)
             ? ""
             : "the windows do not fit the images";
}

void weir::test::computeGraph(const std::vector<FakeDescriptorRef> &operations,
                              const std::map<int64_t, char *> &memory) {
  std::map<int64_t, Values> known;
  for (const FakeDescriptorRef &operation : operations) {
    const std::vector<FakeTensor> tensors = tensorsOf(*operation);
    std::vector<Values> inputs;
    for (size_t i = 0; i + 1 < tensors.size(); ++i)
      inputs.push_back(known.contains(tensors[i].uid)
                           ? known[tensors[i].uid]
                           : load(tensors[i], memory.at(tensors[i].uid)));
    const FakeTensor &result = tensors.back();
    known[result.uid] = rolesOf(*operation) == &pointwise
                            ? combine(*operation, tensors, inputs)
                            : convolve(*operation, tensors, inputs);
    if (!result.isVirtual)
      store(result, known[result.uid], memory.at(result.uid));
  }
}
