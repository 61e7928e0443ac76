//===- OpenMPUser.cpp - A library that uses OpenMP ------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include <omp.h>

/// The threads of a region of two.
extern "C" int weirTestRegion() {
  int size = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
  ++size;
  return size;
}
