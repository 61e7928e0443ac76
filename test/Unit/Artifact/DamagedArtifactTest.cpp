//===- DamagedArtifactTest.cpp - Artifacts with damages -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../Support/Damage.h"

#include "SmallModel.h"
#include "weir/Artifact/Artifact.h"
#include "weir/Artifact/Dump.h"
#include "weir/Artifact/Format.h"
#include "weir/Artifact/Schema.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace weir;
using namespace weir::artifact;

// Every damage that changes the file is refused with a message.
TEST(DamagedArtifactTest, isRefused) {
  const auto file = SmallModel().serialized();
  for (unsigned seed = 0; seed < 2000; ++seed) {
    auto damaged = damage(file, seed);
    if (damaged == file)
      continue;
    auto artifact = Artifact::fromBytes(damaged);
    const Status status = artifact ? artifact->checkBlobs() : artifact.status();
    ASSERT_FALSE(status.isOk()) << "seed " << seed;
    EXPECT_FALSE(status.message().empty()) << "seed " << seed;
  }
}

// A damaged file with a valid checksum is refused, or is still valid enough to
// be shown.
TEST(DamagedArtifactTest, isSoundWhenAccepted) {
  const auto file = SmallModel().serialized();
  FileHeader header;
  std::memcpy(&header, file.data(), sizeof(header));
  unsigned numAccepted = 0, numRefused = 0;
  for (unsigned seed = 0; seed < 20000; ++seed) {
    // The model alone is damaged, so that the header's sizes stay true.
    std::vector<std::byte> packed(file.begin() + header.modelOffset,
                                  file.begin() + header.modelOffset +
                                      header.modelBytes);
    packed = damage(std::move(packed), seed);
    packed.resize(header.modelBytes);
    auto damaged = file;
    std::copy(packed.begin(), packed.end(),
              damaged.begin() + header.modelOffset);
    fixChecksum(damaged);
    auto artifact = Artifact::fromBytes(damaged);
    if (!artifact) {
      ++numRefused;
      EXPECT_FALSE(artifact.status().message().empty());
      continue;
    }
    ++numAccepted;
    EXPECT_FALSE(dumpText(*artifact).empty());
    EXPECT_FALSE(dumpJson(*artifact).empty());
  }
  EXPECT_GT(numAccepted, 100u);
  EXPECT_GT(numRefused, 1000u);
}

// FlatBuffers' own verifier checks the position of a list's count, but not that
// of its elements.
TEST(DamagedArtifactTest, refusesMisplacedLists) {
  auto file = SmallModel().serialized();
  FileHeader header;
  std::memcpy(&header, file.data(), sizeof(header));
  const auto *model = flatbuffers::GetRoot<Model>(&file[header.modelOffset]);
  const TensorType *type = model->blobs()->Get(0)->type();
  ASSERT_NE(type->dims(), nullptr);
  // The offset of the list: 4 bytes more, and the first dim is its count.
  const auto *offset = reinterpret_cast<const std::byte *>(
      reinterpret_cast<const flatbuffers::Table *>(type)->GetAddressOf(
          TensorType::VT_DIMS));
  std::byte &low = file[static_cast<size_t>(offset - file.data())];
  low = std::byte(std::to_integer<int>(low) + 4);
  fixChecksum(file);
  const auto artifact = Artifact::fromBytes(file);
  ASSERT_FALSE(artifact.isOk());
  EXPECT_NE(artifact.status().message().find("multiple of 8 bytes"),
            std::string::npos)
      << artifact.status().message();
}

// The sizes in the header are checked separately, not only by the checksum.
TEST(DamagedArtifactTest, headerIsCheckedUnderAFittingChecksum) {
  const auto file = SmallModel().serialized();
  for (size_t at = checksumBegin; at < sizeof(FileHeader); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      auto damaged = file;
      damaged[at] ^= std::byte(1 << bit);
      fixChecksum(damaged);
      auto artifact = Artifact::fromBytes(damaged);
      // A model said to be longer reaches into the padding behind it.
      if (artifact) {
        EXPECT_FALSE(dumpText(*artifact).empty());
      }
    }
}
