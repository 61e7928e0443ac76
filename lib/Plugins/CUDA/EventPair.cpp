//===- EventPair.cpp - Times what a stream does --------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EventPair.h"

#include <algorithm>

using namespace weir;

EventPair::~EventPair() {
  if (!first)
    return;
  context->release([&] {
    for (CUevent event : {first, last})
      if (event)
        (void)context->api.cuEventDestroy(event);
  });
}

Status EventPair::begin(CUstream stream) {
  for (CUevent *event : {&first, &last})
    if (!*event)
      WEIR_RETURN_IF_ERROR(
          context->check(context->api.cuEventCreate(event, CU_EVENT_DEFAULT),
                         "cuEventCreate"));
  return context->check(context->api.cuEventRecord(first, stream),
                        "cuEventRecord");
}

Status EventPair::end(CUstream stream) {
  return context->check(context->api.cuEventRecord(last, stream),
                        "cuEventRecord");
}

StatusOr<uint64_t> EventPair::elapsedNs() {
  float milliseconds = 0;
  WEIR_RETURN_IF_ERROR(context->check(
      context->api.cuEventElapsedTime(&milliseconds, first, last),
      "cuEventElapsedTime"));
  return static_cast<uint64_t>(std::max(milliseconds, 0.0f) * 1e6f);
}
