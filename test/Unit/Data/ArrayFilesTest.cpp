//===- ArrayFilesTest.cpp - .npy, .npz and IDX files ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DataFixture.h"

#include "weir/Data/Sources.h"

using namespace weir;

namespace {
class ArrayFilesTest : public FolderTest {};

std::string readAll(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
} // namespace

// Rows are the first dim, in either order of bytes.
TEST_F(ArrayFilesTest, NpyRows) {
  for (const char *name : {"plain.npy", "swapped.npy"}) {
    const Dataset data = take(openNpy(input(name), "rows"));
    EXPECT_EQ(data.size(), 10);
    EXPECT_EQ(data.columns(),
              std::vector({ColumnInfo{"rows", DType::F32, {3}, {}}}));
    EXPECT_EQ(row<float>(data, "rows", 7),
              (std::vector<float>{10.5, 11, 11.5}));
  }
}

// numpy's Fortran order is read a row at a time.
TEST_F(ArrayFilesTest, FortranOrder) {
  const Dataset data = take(openNpy(input("fortran.npy")));
  EXPECT_EQ(data.columns()[0].dims, (std::vector<int64_t>{3, 4}));
  for (int64_t i = 0; i < 10; ++i) {
    std::vector<int16_t> expected(12);
    std::iota(expected.begin(), expected.end(), 12 * i);
    EXPECT_EQ(row<int16_t>(data, "x", i), expected);
  }
}

TEST_F(ArrayFilesTest, Bools) {
  const Dataset data = take(openNpy(input("bools.npy")));
  EXPECT_EQ(data.columns()[0].type, DType::I1);
  for (int64_t i = 0; i < 10; ++i) {
    const HostTensor value = take(data.read(0, i));
    EXPECT_EQ(value.bytes()[0], std::byte(i % 3 != 0));
  }
}

// An array of one element has no rows; one of no rows is a dataset.
TEST_F(ArrayFilesTest, ScalarAndEmpty) {
  EXPECT_EQ(errorOf(openNpy(input("scalar.npy"))),
            "'" + input("scalar.npy") +
                "': the array is a single element; expected a first dim that "
                "counts examples");
  EXPECT_EQ(take(openNpy(input("empty.npy"))).size(), 0);
}

// Stored, deflated and with Zip64's numbers, it is the same dataset.
TEST_F(ArrayFilesTest, Npz) {
  for (const char *name : {"stored.npz", "deflated.npz", "wide.npz"}) {
    const Dataset data = take(openNpz(input(name)));
    EXPECT_EQ(data.size(), 10) << name;
    EXPECT_EQ(data.columns(),
              (std::vector{ColumnInfo{"images", DType::U8, {6, 4}, {}},
                           ColumnInfo{"labels", DType::I64, {}, {}}}));
    EXPECT_EQ(row<uint8_t>(data, "images", 9)[23], 239);
    EXPECT_EQ(row<int64_t>(data, "labels", 7)[0], 3);
  }
}

TEST_F(ArrayFilesTest, NpzMembers) {
  EXPECT_EQ(take(openNpz(input("stored.npz"), {"labels"})).columns().size(),
            1u);
  EXPECT_EQ(errorOf(openNpz(input("stored.npz"), {"label"})),
            "cannot read '" + input("stored.npz") +
                "': it has no array 'label'; it has 'images', 'labels'");
  EXPECT_EQ(errorOf(openNpz(input("unequal.npz"))),
            "column 'x' has 3 examples, but column 'y' has 4; expected equally "
            "many");
  EXPECT_EQ(errorOf(openNpz(input("mixed.npz"))),
            "cannot read '" + input("mixed.npz") +
                "': its member 'notes.txt' is no array (.npy); name the arrays "
                "to read");
  EXPECT_EQ(take(openNpz(input("mixed.npz"), {"x"})).size(), 10);
  EXPECT_EQ(errorOf(openNpz(input("plain.npy"))),
            "cannot read '" + input("plain.npy") +
                "': expected an .npz file, as numpy.savez writes it; it is a "
                "numpy array (.npy)");
}

// Every byte of an array is covered by the CRC.
TEST_F(ArrayFilesTest, NpzWithAChangedByte) {
  std::string file = readAll(input("stored.npz"));
  file[file.find("NUMPY") + 200] ^= 1;
  const std::string error = errorOf(openNpz(write("changed.npz", file)));
  EXPECT_NE(error.find("changed.npz:images': its bytes are damaged: their "
                       "CRC-32 is "),
            std::string::npos)
      << error;
}

TEST_F(ArrayFilesTest, NpzDirectory) {
  EXPECT_EQ(errorOf(openNpz(input("twice.npz"))),
            "two columns are called 'x'; rename one of them");
  EXPECT_EQ(errorOf(openNpz(input("twice.npz"), {"x"})),
            "cannot read '" + input("twice.npz") + "': it has two arrays 'x'");
  std::string file = readAll(input("stored.npz"));
  // The number of members, 12 bytes in front of the end.
  file[file.size() - 12] = 3;
  const std::string changed = write("changed.npz", file);
  EXPECT_EQ(errorOf(openNpz(changed)),
            "cannot read '" + changed +
                "': the zip archive's directory has 2 members, but should have "
                "3");
}

TEST_F(ArrayFilesTest, IdxTypes) {
  const std::pair<const char *, DType> kinds[] = {
      {"u1", DType::U8},  {"i1", DType::I8},  {"i2", DType::I16},
      {"i4", DType::I32}, {"f4", DType::F32}, {"f8", DType::F64}};
  for (auto [kind, type] : kinds) {
    const Dataset data =
        take(openIdx(input(std::string("array-") + kind + "-idx3")));
    EXPECT_EQ(data.size(), 4);
    EXPECT_EQ(data.columns(), std::vector({ColumnInfo{"x", type, {3, 2}, {}}}));
    const HostTensor last = take(data.read(0, 3));
    EXPECT_EQ(loadFloat(type, last.data(), 5), 115) << kind;
  }
}

TEST_F(ArrayFilesTest, CompressedIdx) {
  for (const char *name : {"digits-idx3.gz", "parts-idx3.gz"}) {
    const Dataset data = take(openIdx(input(name), "image"));
    EXPECT_EQ(data.size(), 4);
    EXPECT_EQ(row<uint8_t>(data, "image", 3),
              (std::vector<uint8_t>{18, 19, 20, 21, 22, 23}));
  }
  const std::string whole = readAll(input("digits-idx3.gz"));
  const std::string cut = write("cut.gz", whole.substr(0, whole.size() - 5));
  EXPECT_EQ(errorOf(openIdx(cut)),
            "cannot read '" + cut + "': the compressed data is cut off after " +
                std::to_string(whole.size() - 5) + " bytes");
}

TEST_F(ArrayFilesTest, BadIdx) {
  const std::string other = write("other", std::string("\0\0\x0a\1", 4));
  EXPECT_EQ(errorOf(openIdx(other)),
            "cannot read '" + other +
                "': byte 2 of the IDX file is 0x0a; expected a type, one of "
                "0x08, 0x09, 0x0b, 0x0c, 0x0d and 0x0e");
  const std::string header =
      write("header", std::string("\0\0\x08\2\0\0\0\3", 8));
  EXPECT_EQ(errorOf(openIdx(header)),
            "cannot read '" + header +
                "': the IDX file is cut off: its header of 2 dims needs 12 "
                "bytes, it has 8");
  const std::string shorter =
      write("short", std::string("\0\0\x08\1\0\0\0\3ab", 10));
  EXPECT_EQ(errorOf(openIdx(shorter)),
            "'" + shorter +
                "' is cut off: its shape [3] of u8 needs 3 bytes, it has 2");
  EXPECT_EQ(errorOf(openIdx(input("trees.csv"))),
            "cannot read '" + input("trees.csv") +
                "': expected an IDX file, which begins with two zero bytes; it "
                "begins in another way");
}
