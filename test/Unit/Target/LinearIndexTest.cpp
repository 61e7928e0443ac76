//===- LinearIndexTest.cpp - Indices of generated kernels -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Conversion/LinalgToKernels/LinearIndex.h"

#include "llvm/Support/MathExtras.h"

#include <gtest/gtest.h>

using namespace weir::kernels;

static constexpr int64_t size = 200;

/// The value of `index` if the only loop is in iteration `n`.
static int64_t evaluate(const Symbols &symbols, const LinearIndex &index,
                        int64_t n) {
  int64_t sum = index.constant;
  for (auto [name, coefficient] : index.terms) {
    const Symbols::Symbol &symbol = symbols[name];
    int64_t value = n;
    if (symbol.isDerived()) {
      const int64_t of = evaluate(symbols, symbol.of, n);
      const int64_t quotient = llvm::divideFloorSigned(of, symbol.divisor);
      value = symbol.kind == Symbols::Kind::Quotient
                  ? quotient
                  : of - quotient * symbol.divisor;
    }
    sum += coefficient * value;
  }
  return sum;
}

// Whatever it is computed from, a quotient of a quotient is the same symbol as
// the quotient by the product of both divisors, and quotient and remainder
// together are what was divided.
TEST(LinearIndex, HasOneForm) {
  for (int64_t inner : {2, 3, 8})
    for (int64_t outer : {2, 3, 8})
      for (int64_t shift = 0; shift < 2 * outer; ++shift) {
        SCOPED_TRACE(testing::Message() << "(n div " << inner << " + " << shift
                                        << ") div " << outer);
        Symbols symbols;
        const LinearIndex n = LinearIndex::ofSymbol(symbols.addLoop(size));
        const LinearIndex divided = symbols.divide(n, inner).plus(shift);
        const LinearIndex quotient = symbols.divide(divided, outer);
        const LinearIndex remainder = symbols.remainder(divided, outer);
        EXPECT_TRUE(quotient ==
                    symbols.divide(n.plus(shift * inner), inner * outer));
        EXPECT_TRUE(symbols.simplify(quotient.times(outer).plus(remainder)) ==
                    divided);
        for (int64_t i = 0; i < size; ++i) {
          const int64_t value = i / inner + shift;
          EXPECT_EQ(evaluate(symbols, quotient, i), value / outer);
          EXPECT_EQ(evaluate(symbols, remainder, i), value % outer);
        }
      }
}
