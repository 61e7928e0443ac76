//===- NormalQuantile.h - Normal numbers with the same bits everywhere ----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_NORMALQUANTILE_H
#define WEIR_SUPPORT_NORMALQUANTILE_H

namespace weir {

/// The quantile of the standard normal distribution at (bits + 1/2) / 2^53, for
/// an integer `bits` in [0, 2^53): Algorithm AS 241 (Wichura, 1988), with an
/// error of about 1e-16. It uses only operations whose rounding IEEE 754
/// determines, and no function of a C library.
double normalAt(double bits);

} // namespace weir

#endif // WEIR_SUPPORT_NORMALQUANTILE_H
