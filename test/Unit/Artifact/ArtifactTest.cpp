//===- ArtifactTest.cpp - Writing and reading artifacts -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/Artifact.h"

#include "SmallModel.h"
#include "weir/Artifact/Format.h"
#include "weir/Support/FillBytes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

using namespace weir;
using namespace weir::artifact;

namespace {
/// The message with which `file` is refused; empty when it is not.
std::string refusal(std::span<const std::byte> file) {
  StatusOr<Artifact> artifact = Artifact::fromBytes(file);
  return artifact ? std::string() : std::string(artifact.status().message());
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
} // namespace

// What was written is what is read: blobs with their bytes at aligned
// addresses, commands, tensor types, and attributes with empty ones among them.
TEST(ArtifactTest, roundTrips) {
  SmallModel small;
  auto artifact = Artifact::fromBytes(small.serialized());
  ASSERT_TRUE(artifact.isOk()) << artifact.status().message();
  for (size_t i = 0; i < small.blobs.size(); ++i) {
    std::vector<std::byte> bytes(small.blobs[i].size());
    EXPECT_TRUE(artifact->readBlob(i, bytes).isOk());
    EXPECT_EQ(bytes, small.blobs[i]);
    EXPECT_EQ(artifact->model().blobs()->Get(i)->offset() % blobAlignment, 0u);
  }
  const Variant &variant = *artifact->model().variants()->Get(0);
  const Entry &entry = *variant.entries()->Get(0);
  EXPECT_EQ(entry.programs()->Get(1)->commands()->Get(1)->bytes(), 32u);
  const Kernel &kernel = *variant.kernels()->Get(1);
  EXPECT_EQ(toTensorDesc(*kernel.operands()->Get(0)),
            TensorDesc::rowMajor(DType::F32, {2, 4}));
  AttrMap attrs = toAttrMap(kernel.attributes());
  EXPECT_EQ(attrs.textOr("algorithm", ""), "binary_add");
  EXPECT_EQ(attrs.ints("axes"), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(attrs.floatOr("scale", 0), 0.5);
  AttrMap nothing;
  nothing.set("nothing", std::vector<double>());
  EXPECT_EQ(*attrs.begin() == *nothing.begin(), false);
  EXPECT_TRUE(attrs.has("nothing"));
}

// Blobs with random elements are not in the file, and have those of their seed.
TEST(ArtifactTest, makesRandomElements) {
  for (const std::vector<size_t> &filled :
       std::vector<std::vector<size_t>>{{0}, {1}, {0, 1}}) {
    SmallModel small;
    std::vector<std::byte> expected(small.blobs[filled[0]].size());
    fillBytes(UniformFill{1, -1, 1}, DType::F32, 0, expected);
    for (const size_t blob : filled)
      small.fill(blob);
    const auto artifact = Artifact::fromBytes(small.serialized());
    ASSERT_TRUE(artifact.isOk()) << artifact.status().message();
    std::vector<std::byte> found(expected.size());
    EXPECT_TRUE(artifact->readBlob(filled[0], found).isOk());
    EXPECT_EQ(found, expected);
    const auto stored = [&](uint32_t i) {
      return !artifact->model().blobs()->Get(i)->fill();
    };
    for (uint32_t i = 0; i < 2; ++i)
      EXPECT_EQ(artifact->model().blobs()->Get(i)->offset() <
                    artifact->fileBytes(),
                stored(i));
    EXPECT_TRUE(artifact->checkBlobs().isOk());
  }
}

// To check the blobs takes no longer than to read the file, however many
// random elements there are.
TEST(ArtifactTest, checksNoRandomElements) {
  SmallModel small;
  small.model.blobs.push_back(std::make_unique<BlobT>());
  small.blobs.emplace_back();
  small.fill(small.blobs.size() - 1);
  BlobT &blob = *small.model.blobs.back();
  blob.name = "many";
  blob.type =
      fromTensorDesc(TensorDesc::rowMajor(DType::F32, {int64_t(1) << 40}));
  blob.bytes = uint64_t(1) << 42;
  const auto artifact = Artifact::fromBytes(small.serialized());
  ASSERT_TRUE(artifact.isOk()) << artifact.status().message();
  EXPECT_TRUE(artifact->checkBlobs().isOk());
}

// An outline has the model of the artifact, and not its blobs. A part of
// the model, and more than the model, are refused.
TEST(ArtifactTest, outlinesHaveNoBlobs) {
  SmallModel small;
  auto outlined = outline(small.model, small.blobBytes());
  ASSERT_TRUE(outlined.isOk()) << outlined.status().message();
  const std::vector<std::byte> file = small.serialized();
  EXPECT_EQ(outlined->fileBytes(), file.size());
  EXPECT_EQ(outlined->model().blobs()->size(), small.blobs.size());
  const Model &model = *GetModel(file.data() + sizeof(FileHeader));
  for (uint32_t i = 0; i < small.blobs.size(); ++i) {
    const Blob &blob = *outlined->model().blobs()->Get(i);
    EXPECT_NE(blob.hash(), 0u);
    EXPECT_EQ(blob.hash(), model.blobs()->Get(i)->hash());
  }
  EXPECT_EQ(outlined->checkBlobs().code(), StatusCode::Internal);
  FileHeader header;
  std::memcpy(&header, file.data(), sizeof(header));
  const size_t end = header.modelOffset + header.modelBytes;
  const std::span front(file.data(), end);
  EXPECT_TRUE(Artifact::withoutBlobs(front).isOk());
  EXPECT_FALSE(Artifact::withoutBlobs(front.first(end - 1)).isOk());
  EXPECT_FALSE(Artifact::withoutBlobs({file.data(), end + 1}).isOk());
}

// Hashes that are known are not computed again, and the file is the same.
TEST(ArtifactTest, keepsKnownHashes) {
  SmallModel small;
  const std::vector<std::byte> file = small.serialized();
  ASSERT_TRUE(outline(small.model, small.blobBytes()).isOk());
  EXPECT_EQ(*toBytes(small.model, small.blobBytes(), BlobHashes::Known), file);
  small.model.blobs[0]->hash ^= 1;
  EXPECT_NE(*toBytes(small.model, small.blobBytes(), BlobHashes::Known), file);
  EXPECT_EQ(small.serialized(), file);
}

// Two models built alike give the same bytes, and so does a second writing of
// one of them.
TEST(ArtifactTest, isDeterministic) {
  SmallModel first, second;
  auto bytes = first.serialized();
  EXPECT_EQ(bytes, second.serialized());
  EXPECT_EQ(bytes, first.serialized());
}

// The file holds the same bytes as the artifact in memory, and a moved artifact
// keeps its model.
TEST(ArtifactTest, writesFiles) {
  std::string path = testing::TempDir() + "/weir-artifact-test.weir";
  SmallModel small;
  ASSERT_TRUE(writeFile(path, small.model, small.blobBytes()).isOk());
  EXPECT_EQ(std::filesystem::file_size(path), small.serialized().size());
  auto artifact = Artifact::open(path);
  ASSERT_TRUE(artifact.isOk()) << artifact.status().message();
  Artifact moved = *std::move(artifact);
  EXPECT_EQ(moved.model().producer()->str(), "test");
  std::filesystem::remove(path);
}

// A newer or older file is refused by its version, not as damaged, with what to
// do.
TEST(ArtifactTest, refusesOtherVersions) {
  auto file = SmallModel().serialized();
  auto refusalOf = [&](uint32_t version) {
    std::memcpy(file.data() + offsetof(FileHeader, version), &version,
                sizeof(version));
    fixChecksum(file);
    EXPECT_EQ(Artifact::fromBytes(file).status().code(),
              StatusCode::Unimplemented);
    return refusal(file);
  };
  EXPECT_TRUE(contains(refusalOf(formatVersion + 1),
                       "format version 6, this build reads versions 3 to 5"));
  EXPECT_TRUE(contains(refusalOf(formatVersion + 1), "update Weir"));
  for (uint32_t old : {1, 2}) {
    EXPECT_TRUE(
        contains(refusalOf(old), fmt::format("format version {}", old)));
    EXPECT_TRUE(contains(refusalOf(old), "; compile the model again with this "
                                         "version"));
  }
}

// A file is of an old version, which older readers accept, unless code for GPUs
// or a bucket needs a newer one. All are read.
TEST(ArtifactTest, writesTheOldestVersionThatSays) {
  const auto versionOf = [](SmallModel &small) {
    auto artifact = Artifact::fromBytes(small.serialized());
    EXPECT_TRUE(artifact.isOk()) << artifact.status().message();
    return artifact.isOk() ? artifact->formatVersion() : 0;
  };
  SmallModel small;
  EXPECT_EQ(versionOf(small), oldestFormatVersion);
  auto code = std::make_unique<BlobT>();
  code->name = "code";
  KernelT &kernel = small.kernel(0);
  kernel.code = static_cast<int32_t>(small.blobs.size());
  kernel.grain = 1;
  kernel.threads = 32;
  small.model.blobs.push_back(std::move(code));
  small.blobs.emplace_back(64);
  EXPECT_EQ(versionOf(small), gpuCodeVersion);
  small.makeBucket();
  EXPECT_EQ(versionOf(small), formatVersion);
}

// Files of other kinds, cut off files and files with more behind them are each
// told apart.
TEST(ArtifactTest, saysWhatIsWrongWithAFile) {
  auto file = SmallModel().serialized();
  std::span<const std::byte> bytes(file);
  EXPECT_TRUE(contains(refusal({}), "it is empty"));
  EXPECT_TRUE(contains(refusal(bytes.subspan(1)), "not a Weir artifact"));
  EXPECT_TRUE(contains(refusal(bytes.first(20)), "cut off"));
  EXPECT_TRUE(contains(refusal(bytes.first(file.size() - 1)), "cut off"));
  file.push_back(std::byte(0));
  EXPECT_TRUE(contains(refusal(file), "too long"));
  file.pop_back();
  file[sizeof(FileHeader) + 1] ^= std::byte(1);
  EXPECT_TRUE(contains(refusal(file), "damaged"));
}

// Blobs are compared with their hashes when they are read.
TEST(ArtifactTest, refusesDamagedBlobs) {
  SmallModel small;
  auto file = small.serialized();
  file.back() ^= std::byte(1);
  const auto artifact = Artifact::fromBytes(file);
  ASSERT_TRUE(artifact.isOk()) << artifact.status().message();
  const Status all = artifact->checkBlobs();
  EXPECT_EQ(all.code(), StatusCode::DataLoss);
  const uint32_t last = artifact->model().blobs()->size() - 1;
  const std::string name = artifact->model().blobs()->Get(last)->name()->str();
  EXPECT_TRUE(contains(all.message(), name + "' is damaged: its hash is "))
      << all.message();
  EXPECT_EQ(artifact->readBlob(last).status().message(), all.message());
  EXPECT_TRUE(artifact->readBlob(0).isOk());
}

// A file that changes while it is in use gives the old bytes or an error: it
// may be written to, cut off, removed and replaced.
TEST(ArtifactTest, noticesChangesOfTheFile) {
  const std::string path = testing::TempDir() + "/weir-changed.weir";
  SmallModel small;
  const auto open = [&] {
    EXPECT_TRUE(writeFile(path, small.model, small.blobBytes()).isOk());
    auto artifact = Artifact::open(path);
    EXPECT_TRUE(artifact.isOk()) << artifact.status().message();
    return artifact;
  };
  auto written = open();
  {
    std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(-1, std::ios::end);
    stream.put('x');
  }
  EXPECT_TRUE(contains(written->checkBlobs().message(), "is damaged"));
  auto cut = open();
  std::filesystem::resize_file(path, 100);
  EXPECT_TRUE(contains(cut->checkBlobs().message(), "the file ends at byte"));
  EXPECT_EQ(cut->model().producer()->str(), "test");
  auto removed = open();
  std::filesystem::remove(path);
  EXPECT_TRUE(removed->checkBlobs().isOk());
  removed->closeBlobs();
  EXPECT_EQ(removed->checkBlobs().code(), StatusCode::Internal);
}

// A path that cannot be read is named.
TEST(ArtifactTest, saysWhatIsWrongWithAPath) {
  auto missing = Artifact::open("/nonexistent/model.weir");
  EXPECT_EQ(missing.status().code(), StatusCode::NotFound);
  EXPECT_TRUE(contains(missing.status().message(), "/nonexistent/model.weir"));
  auto folder = Artifact::open("/");
  EXPECT_TRUE(contains(folder.status().message(), "not a regular file"));
}

// A full disk and an unwritable folder are errors.
TEST(ArtifactTest, reportsFailedWrites) {
  SmallModel small;
  Status full = writeFile("/dev/full", small.model, small.blobBytes());
  EXPECT_EQ(full.code(), StatusCode::ResourceExhausted);
  Status missing =
      writeFile("/nonexistent/model.weir", small.model, small.blobBytes());
  EXPECT_EQ(missing.code(), StatusCode::NotFound);
}
