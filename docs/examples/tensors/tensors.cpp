//===- tensors.cpp - Runs on memory of the program ------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// usage: tensors MODEL.weir
// The model has one input and one output of f32. docs/tensors.md explains it.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/DLPack.h"
#include "weir/Runtime/Session.h"
#include "weir/Support/DLPackABI.h"

#include <cstdio>
#include <string>
#include <vector>

using namespace weir;

// Another library, which takes the tensor, looks at it and gives it back.
static void useElsewhere(DLManagedTensorVersioned *lent) {
  const DLTensor &tensor = lent->dl_tensor;
  std::printf("the other library has %d dims; the first number is %g\n",
              tensor.ndim, *static_cast<const float *>(tensor.data));
  lent->deleter(lent);
}

// Runs on `x`, and puts the result in `y`.
static Status runOnce(Session &session, const ConstTensorView &x,
                      const TensorView &y) {
  return session.run({&x, 1}, {&y, 1});
}

static Status runModel(const char *path) {
  WEIR_ASSIGN_OR_RETURN(const auto session, Session::load(path));
  for (const DeviceInfo &device : session->devices())
    std::printf("device %s\n", device.name.c_str());
  const TensorDesc &in = session->inputs()[0].desc;
  const TensorDesc &out = session->outputs()[0].desc;

  // From one vector to another.
  std::vector<float> numbers(static_cast<size_t>(in.numElements()), 1);
  std::vector<float> results(static_cast<size_t>(out.numElements()));
  WEIR_ASSIGN_OR_RETURN(const auto x, view(numbers, in.dims));
  WEIR_ASSIGN_OR_RETURN(const auto y, view(results, out.dims));
  WEIR_RETURN_IF_ERROR(runOnce(*session, x, y));
  std::printf("the first result is %g\n", results[0]);

  // From a tensor of another library to one that another library gets. Here,
  // Weir is the other library of the input.
  WEIR_ASSIGN_OR_RETURN(
      HostTensor twos,
      HostTensor::of<float>(
          in.type, in.dims,
          std::vector<float>(static_cast<size_t>(in.numElements()), 2)));
  WEIR_ASSIGN_OR_RETURN(DLManagedTensorVersioned *const lent,
                        toDLPackVersioned(std::move(twos)));
  WEIR_ASSIGN_OR_RETURN(const ImportedTensor input, fromDLPack(lent));
  WEIR_ASSIGN_OR_RETURN(HostTensor output,
                        HostTensor::zeros(out.type, out.dims));
  WEIR_RETURN_IF_ERROR(runOnce(*session, input.asInput(), view(output)));
  WEIR_ASSIGN_OR_RETURN(DLManagedTensorVersioned *const result,
                        toDLPackVersioned(std::move(output)));
  useElsewhere(result);
  return Status::ok();
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: tensors MODEL.weir\n");
    return 2;
  }
  const Status status = runModel(argv[1]);
  if (status.isOk())
    return 0;
  std::fprintf(stderr, "tensors: error: %s\n",
               std::string(status.message()).c_str());
  return 1;
}
