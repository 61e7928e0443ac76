//===- PortTensors.cpp - Tensors for inputs and outputs -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PortTensors.h"

#include "weir/Runtime/HostView.h"

using namespace weir;

StatusOr<std::vector<HostTensor>>
weir::zerosFor(std::span<const TensorInfo> ports) {
  std::vector<HostTensor> tensors;
  for (const TensorInfo &port : ports) {
    WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                          HostTensor::zeros(port.desc.type, port.desc.dims));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::vector<ConstTensorView>
weir::inputViews(std::span<const HostTensor> tensors) {
  std::vector<ConstTensorView> views;
  for (const HostTensor &tensor : tensors)
    views.push_back(view(tensor));
  return views;
}

std::vector<TensorView> weir::outputViews(std::span<HostTensor> tensors) {
  std::vector<TensorView> views;
  for (HostTensor &tensor : tensors)
    views.push_back(view(tensor));
  return views;
}
