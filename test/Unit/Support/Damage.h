//===- Damage.h - Seeded damages of files -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_SUPPORT_DAMAGE_H
#define WEIR_TEST_UNIT_SUPPORT_DAMAGE_H

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace weir {

/// `file` with one damage that `seed` chooses: one to eight flipped bits, a
/// cut, a run of equal or of random bytes, bytes behind the end, a part moved
/// over another. It may happen to equal `file`.
inline std::vector<std::byte> damage(std::vector<std::byte> file,
                                     unsigned seed) {
  std::mt19937 random(seed);
  auto below = [&](size_t n) { return n ? random() % n : 0; };
  size_t at = below(file.size());
  size_t length = std::min<size_t>(1 + below(64), file.size() - at);
  auto first = file.begin() + at;
  switch (seed % 6) {
  case 0:
    for (size_t i = 0, n = 1 + below(8); i < n; ++i)
      file[below(file.size())] ^= std::byte(1 << below(8));
    break;
  case 1:
    file.resize(at);
    break;
  case 2:
    std::fill_n(first, length, std::byte(below(2) ? 0xff : 0));
    break;
  case 3:
    std::generate_n(first, length, [&] { return std::byte(random()); });
    break;
  case 4:
    file.insert(file.end(), 1 + below(1000), std::byte(random()));
    break;
  case 5:
    std::copy_n(file.begin() + below(file.size() - length), length, first);
    break;
  }
  return file;
}

} // namespace weir

#endif // WEIR_TEST_UNIT_SUPPORT_DAMAGE_H
