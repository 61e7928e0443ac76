//===- consumer.cpp - A C++ program with an installed Weir -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Runs the model of model.mlir on 1, 2, 3, 4 and prints what comes out.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"

#include <iostream>

static weir::Status runModel(const char *path) {
  WEIR_ASSIGN_OR_RETURN(auto session, weir::Session::load(path));
  const float numbers[] = {1, 2, 3, 4};
  WEIR_ASSIGN_OR_RETURN(
      const weir::HostTensor x,
      weir::HostTensor::of<float>(weir::DType::F32, {4}, numbers));
  WEIR_ASSIGN_OR_RETURN(const auto outputs, session->run({&x, 1}));
  for (const float value : outputs[0].values<float>())
    std::cout << value << ' ';
  std::cout << '\n';
  return weir::Status::ok();
}

int main(int, char **arguments) {
  const weir::Status status = runModel(arguments[1]);
  if (!status.isOk())
    std::cerr << status.message() << '\n';
  return status.isOk() ? 0 : 1;
}
