//===- ImagesTest.cpp - Folders of images ---------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DataFixture.h"

#include "TestPaths.h"
#include "weir/Data/Sources.h"

#include <fstream>
#include <iterator>

using namespace weir;
namespace fs = std::filesystem;

namespace {
const std::string inputs = paths::images;

/// A folder of images with one class, into which tests put files.
class ImagesTest : public FolderTest {
protected:
  void put(const std::string &name, const std::string &as) {
    fs::create_directories(fs::path(folder) / "ant");
    fs::copy_file(inputs + "/" + name, folder + "/ant/" + as);
  }
  std::string errorIn(const Dataset &data, int64_t index) {
    return shortened(errorOf(data.read(0, index)));
  }
  std::string shortened(std::string text) {
    for (size_t at; (at = text.find(folder)) != text.npos;)
      text.replace(at, folder.size(), "FOLDER");
    return text;
  }
};

/// Whether the images are bit for bit what Pillow read.
void expectPixels(const ImageOptions &options, std::string_view expected) {
  const Dataset data = take(openImages(inputs + "/images", options));
  const Dataset pillow =
      take(openNpz(inputs + "/expected.npz", {std::string(expected)}));
  ASSERT_EQ(data.size(), pillow.size());
  for (int64_t i = 0; i < data.size(); ++i)
    EXPECT_EQ(row<uint8_t>(data, "image", i), row<uint8_t>(pillow, expected, i))
        << expected << ", image " << i;
}
} // namespace

// Grey, with alpha, one bit, 16 bits, palettes; baseline and progressive JPEG.
TEST_F(ImagesTest, AsPillow) {
  ImageOptions options;
  options.channels = 3;
  expectPixels(options, "rgb");
  options.channels = 1;
  expectPixels(options, "grey");
  options.channels = 4;
  expectPixels(options, "rgba");
}

TEST_F(ImagesTest, ResizedAsPillow) {
  ImageOptions options;
  options.channels = 3;
  options.height = 7, options.width = 5;
  expectPixels(options, "small");
  options.height = 23, options.width = 37;
  expectPixels(options, "large");
  options.height = 12, options.width = 9;
  expectPixels(options, "narrow");
}

TEST_F(ImagesTest, LabelsAreSorted) {
  const Dataset data = take(openImages(inputs + "/images/"));
  EXPECT_EQ(data.size(), 10);
  EXPECT_EQ(data.columns(),
            (std::vector{ColumnInfo{"image", DType::U8, {12, 16, 1}, {}},
                         ColumnInfo{"label", DType::I64, {}, {"ant", "bee"}}}));
  for (int64_t i = 0; i < 10; ++i)
    EXPECT_EQ(row<int64_t>(data, "label", i)[0], i >= 7);
}

// Without options, the first image says how many channels there are.
TEST_F(ImagesTest, ChannelsOfTheFirst) {
  const std::pair<const char *, int64_t> kinds[] = {
      {"grey.png", 1}, {"grey-alpha.png", 4}, {"rgb.png", 3}, {"rgba.png", 4}};
  for (auto [name, channels] : kinds) {
    fs::remove_all(folder + "/ant");
    put(std::string("images/ant/") + name, "a.png");
    EXPECT_EQ(take(openImages(folder)).columns()[0].dims,
              (std::vector<int64_t>{12, 16, channels}));
  }
}

TEST_F(ImagesTest, UnequalSizes) {
  put("images/ant/rgb.png", "a.png");
  put("images/ant/rgb.png", "b.png");
  // 1x1 pixels, written by hand: the smallest JPEG files are larger.
  write("ant/c.png",
        std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0"
                    "\x3a\x7e\x9b\x55\0\0\0\nIDAT\x78\x9c\x63\x60\0\0\0\2\0\1"
                    "\x48\xaf\xa4\x71\0\0\0\0IEND\xae\x42\x60\x82",
                    67));
  const Dataset data = take(openImages(folder));
  EXPECT_EQ(errorIn(data, 2),
            "'FOLDER/ant/c.png' has 1x1 pixels, but the first image has 12x16; "
            "resize all with :size=HEIGHTxWIDTH in the data");
  ImageOptions options;
  options.height = 2, options.width = 2;
  EXPECT_EQ(take(take(openImages(folder, options)).read(0, 2)).bytes().size(),
            12u);
}

TEST_F(ImagesTest, DamagedImages) {
  put("images/ant/rgb.png", "a.png");
  put("images/bee/rgb.jpg", "b.jpg");
  fs::resize_file(folder + "/ant/a.png", 100);
  fs::resize_file(folder + "/ant/b.jpg", 500);
  // All pixels are there, but not the end.
  put("images/ant/rgb.png", "e.png");
  fs::resize_file(folder + "/ant/e.png",
                  fs::file_size(folder + "/ant/e.png") - 12);
  write("ant/c.png", "hello");
  write("ant/d.png", "");
  ImageOptions options;
  options.height = 2, options.width = 2, options.channels = 3;
  const Dataset data = take(openImages(folder, options));
  EXPECT_EQ(errorIn(data, 0), "'FOLDER/ant/a.png': the PNG image is damaged: "
                              "it ends early");
  EXPECT_EQ(errorIn(data, 1), "'FOLDER/ant/b.jpg': the JPEG image is damaged: "
                              "Premature end of JPEG file");
  EXPECT_EQ(errorIn(data, 2), "'FOLDER/ant/c.png': expected a PNG or JPEG "
                              "image, it begins in another way");
  EXPECT_EQ(errorIn(data, 3),
            "'FOLDER/ant/d.png': expected a PNG or JPEG image, it is empty");
  EXPECT_EQ(errorIn(data, 4), "'FOLDER/ant/e.png': the PNG image is damaged: "
                              "it ends early");
  put("printer.jpg", "f.jpg");
  EXPECT_EQ(errorIn(take(openImages(folder, options)), 5),
            "'FOLDER/ant/f.jpg': the JPEG image has the colours of a printer "
            "(CMYK); convert it to RGB");
}

// The header alone says how large an image is. What it cannot be, or would take
// too much memory, is refused before any is taken.
TEST_F(ImagesTest, HugeImages) {
  std::ifstream file(inputs + "/images/bee/rgb.jpg", std::ios::binary);
  std::string jpeg(std::istreambuf_iterator<char>(file), {});
  const size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, jpeg.npos);
  const auto writeWith = [&](const std::string &name, int size) {
    for (const size_t place : {frame + 5, frame + 7}) {
      jpeg[place] = static_cast<char>(size >> 8);
      jpeg[place + 1] = static_cast<char>(size);
    }
    write(name, jpeg);
  };
  put("images/ant/rgb.png", "a.png");
  writeWith("ant/b.jpg", 60'000);
  writeWith("ant/c.jpg", 15'000);
  const Dataset data = take(openImages(folder));
  EXPECT_EQ(errorIn(data, 1),
            "'FOLDER/ant/b.jpg': the image has 60000x60000 pixels; expected at "
            "least 1 and at most 250000000");
  EXPECT_EQ(errorIn(data, 2),
            "'FOLDER/ant/c.jpg': the JPEG image is damaged: its " +
                std::to_string(jpeg.size()) +
                " bytes are too few for 15000x15000 pixels");
}

TEST_F(ImagesTest, BadFolders) {
  auto error = [&] { return shortened(errorOf(openImages(folder))); };
  EXPECT_EQ(error(), "'FOLDER' has no folders; expected one for each class");
  fs::create_directories(folder + "/ant");
  EXPECT_EQ(error(), "the class 'FOLDER/ant' has no images");
  write("ant/.hidden", "");
  write("ant/notes.txt", "");
  EXPECT_EQ(error(), "'FOLDER/ant/notes.txt' is no image by its name; expected "
                     ".png, .jpg or .jpeg");
  fs::create_directories(folder + "/ant/more");
  EXPECT_EQ(error(), "'FOLDER/ant/more' is a folder in the folder of a class; "
                     "expected images");
  write("readme.md", "");
  EXPECT_EQ(error(),
            "'FOLDER/readme.md' is in no folder of a class; expected a folder "
            "for each class in 'FOLDER', and nothing else");
  EXPECT_EQ(errorOf(openImages("/nowhere")),
            "cannot read '/nowhere': no such file or directory");
}

TEST_F(ImagesTest, BadOptions) {
  ImageOptions options;
  options.height = 3;
  EXPECT_EQ(errorOf(openImages(inputs + "/images", options)),
            "images expect both a height and a width, or none");
  options.width = 0;
  EXPECT_EQ(errorOf(openImages(inputs + "/images", options)),
            "the image has 3x0 pixels; expected at least 1 and at most "
            "250000000");
  options.width = 3;
  options.channels = 2;
  EXPECT_EQ(errorOf(openImages(inputs + "/images", options)),
            "images expect 1 (grey), 3 (RGB) or 4 (RGBA) channels, found 2");
}
