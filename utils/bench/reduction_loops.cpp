//===- reduction_loops.cpp - Reductions written by hand -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// What utils/bench/reductions.py compares generated kernels with: plain loops
// that OpenMP shares between threads and the compiler makes vectors of.
//
//     reduction_loops NAME SIZE ROWS REPEATS    prints the least microseconds
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

static float addUp(const float *x, long n) {
  float sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < n; ++i)
    sum += x[i];
  return sum;
}

/// The negative logarithm of the softmax of `x` at `label`.
static float findLoss(const float *x, long n, long label) {
  float top = -std::numeric_limits<float>::infinity(), sum = 0;
#pragma omp parallel for reduction(max : top)
  for (long i = 0; i < n; ++i)
    top = std::max(top, x[i]);
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < n; ++i)
    sum += std::exp(x[i] - top);
  return std::log(sum) + top - x[label];
}

/// One group of all `channels`, each with a scale and a bias.
static void normalize(const float *x, const float *scale, const float *bias,
                      float *y, long n, long channels) {
  const float mean = addUp(x, n) / static_cast<float>(n);
  const long row = n / channels;
  float squares = 0;
#pragma omp parallel for reduction(+ : squares)
  for (long i = 0; i < n; ++i)
    squares += (x[i] - mean) * (x[i] - mean);
  const float factor = 1 / std::sqrt(squares / static_cast<float>(n) + 1e-5f);
#pragma omp parallel for
  for (long c = 0; c < channels; ++c)
    for (long i = c * row; i < (c + 1) * row; ++i)
      y[i] = (x[i] - mean) * factor * scale[c] + bias[c];
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  const std::string name = argv[1];
  const long n = std::atol(argv[2]), rows = std::atol(argv[3]);
  std::vector<float> x(n), y(n), scale(rows, 1), bias(rows, 0);
  for (long i = 0; i < n; ++i)
    x[i] = static_cast<float>(i % 997) / 997 - 0.5f;
  double least = 1e30;
  volatile float kept = 0;
  for (long repeat = std::atol(argv[4]); repeat-- > 0;) {
    const auto start = std::chrono::steady_clock::now();
    if (name == "sum")
      kept = addUp(x.data(), n);
    else if (name == "loss")
      kept = findLoss(x.data(), n, 7);
    else
      normalize(x.data(), scale.data(), bias.data(), y.data(), n, rows);
    const std::chrono::duration<double, std::micro> took =
        std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count());
  }
  (void)kept;
  std::printf("%f\n", least);
}
