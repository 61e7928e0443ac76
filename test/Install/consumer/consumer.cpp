//===- consumer.cpp - A program that links an installed Weir -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Calls into the library, so that both the link and the loader are proven.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/DType.h"

#include <iostream>

int main() {
  std::cout << weir::toString(weir::DType::BF16) << ' '
            << weir::byteSize(weir::DType::BF16) << '\n';
}
