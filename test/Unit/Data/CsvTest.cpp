//===- CsvTest.cpp - Datasets in CSV files --------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DataFixture.h"

#include "weir/Data/Sources.h"

using namespace weir;

namespace {
class CsvTest : public FolderTest {
protected:
  /// What opening a file with `content` and reading all of it says.
  std::string errorWith(std::string_view content,
                        const CsvOptions &options = {}) {
    auto data = openCsv(write("t.csv", content), options);
    if (!data)
      return shortened(data.status());
    for (size_t column = 0; column < data->columns().size(); ++column)
      for (int64_t i = 0; i < data->size(); ++i)
        if (auto read = data->read(column, i); !read)
          return shortened(read.status());
    return "";
  }
  std::string shortened(const Status &status) {
    std::string text(status.message());
    for (size_t at; (at = text.find(folder + "/")) != text.npos;)
      text.erase(at, folder.size() + 1);
    return text;
  }
};

CsvOptions columns(std::vector<CsvColumn> columns) {
  CsvOptions options;
  options.columns = std::move(columns);
  return options;
}
} // namespace

// Python's csv writes the same rows with commas and CR LF, and with tabs and
// all fields in quotes.
TEST_F(CsvTest, WrittenByPython) {
  for (const char *name : {"trees.csv", "trees.tsv"}) {
    const Dataset data = take(openCsv(
        input(name), columns({{"x", {"width", "height, mm"}},
                              {"kind", {"the \"kind\""}, CsvType::Classes},
                              {"n", {"3"}, CsvType::Numbers, DType::I16}})));
    ASSERT_EQ(data.size(), 12) << name;
    EXPECT_EQ(data.columns()[0], (ColumnInfo{"x", DType::F32, {2}, {}}));
    EXPECT_EQ(data.columns()[1],
              (ColumnInfo{"kind", DType::I64, {}, {"ash", "elm, red", "oak"}}));
    EXPECT_EQ(row<float>(data, "x", 5), (std::vector<float>{1.25, -5}));
    EXPECT_EQ(row<int64_t>(data, "kind", 5)[0], 1);
    EXPECT_EQ(row<int64_t>(data, "kind", 3)[0], 2);
    EXPECT_EQ(row<int16_t>(data, "n", 11)[0], 2048);
  }
}

// numpy.savetxt writes no header. Each column is one of the dataset.
TEST_F(CsvTest, WrittenByNumpy) {
  const Dataset data = take(openCsv(input("numbers.csv")));
  EXPECT_EQ(data.size(), 5);
  EXPECT_EQ(data.columns()[3], (ColumnInfo{"c3", DType::F32, {}, {}}));
  EXPECT_EQ(row<float>(data, "c3", 4)[0], 2.375f);
  const Dataset joined =
      take(openCsv(input("numbers.csv"), columns({{"x", {"3", "0-1"}}})));
  EXPECT_EQ(row<float>(joined, "x", 1),
            (std::vector<float>{0.875, 0.5, 0.625}));
}

// Numbers are rounded as Python and numpy do: to double, then to f32.
TEST_F(CsvTest, Numbers) {
  const Dataset data = take(openCsv(write("t.csv", "a\n 0.1\t\n+1e-3\n-.5")));
  EXPECT_EQ(row<float>(data, "a", 0)[0], 0.1f);
  EXPECT_EQ(row<float>(data, "a", 1)[0], 0.001f);
  EXPECT_EQ(row<float>(data, "a", 2)[0], -0.5f);
}

TEST_F(CsvTest, EndsOfLines) {
  for (const char *text : {"a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4",
                           "\xef\xbb\xbf"
                           "a,b\n1,2\n3,4\n\n\r\n\n"}) {
    const Dataset data = take(openCsv(write("t.csv", text)));
    ASSERT_EQ(data.size(), 2) << text;
    EXPECT_EQ(row<float>(data, "b", 1)[0], 4);
    EXPECT_EQ(row<float>(data, "a", 1)[0], 3);
  }
}

// A field may contain ends of lines; errors count lines, not rows.
TEST_F(CsvTest, QuotedLines) {
  EXPECT_EQ(errorWith("name,n\n\"a\nb\",1\nc,x\n", columns({{"y", {"n"}}})),
            "'t.csv', line 4, column 1 ('n'): expected a finite number (f32), "
            "found 'x'; if the column has names of classes, add :type=classes "
            "to it in the data");
}

/// What to do about a value that is no number.
const std::string repair =
    "; remove the row or write a value there before training";

// A name that is written wrongly is rare, so it comes first.
TEST_F(CsvTest, RareClasses) {
  const Dataset data = take(openCsv(write("t.csv", "k\nb\na\nb\na\naa\n"),
                                    columns({{"y", {"k"}, CsvType::Classes}})));
  const std::string text = data.describeClasses(0);
  EXPECT_TRUE(text.starts_with("3 classes: 'aa' (1 example, first in '"))
      << text;
  EXPECT_TRUE(text.find("t.csv', line 6), 'a' (2 examples, first in '") !=
              text.npos)
      << text;
  EXPECT_TRUE(text.ends_with("t.csv', line 2)")) << text;
  EXPECT_NE(errorOf(data.map("y", {OneHotStep{2}}))
                .find("one-hot:2 has too few classes: the column has 3 "
                      "classes: 'aa' (1 example"),
            std::string::npos);
}

TEST_F(CsvTest, MissingValues) {
  EXPECT_EQ(errorWith("a,b\n1,2\n3,\n"),
            "'t.csv', line 3, column 1 ('b'): the value is missing; expected a "
            "finite number (f32)" +
                repair);
  EXPECT_EQ(errorWith("1,2\n \t,4\n"),
            "'t.csv', line 2, column 0 (counted from 0): the value is missing; "
            "expected a finite number (f32)" +
                repair);
  EXPECT_EQ(errorWith("1,2\nNA,4\n"),
            "'t.csv', line 2, column 0 (counted from 0): the value is missing "
            "('NA'); expected a finite number (f32)" +
                repair);
  EXPECT_EQ(
      errorWith("k\na\n\"\"\nb\n", columns({{"y", {"k"}, CsvType::Classes}})),
      "'t.csv', line 3, column 0 ('k'): the value is missing; expected "
      "the name of a class" +
          repair);
}

TEST_F(CsvTest, BadNumbers) {
  for (const char *text :
       {"nan", "inf", "1e99", "0x10", "1.5.2", "1 2", "--1", "+-1", "12a"})
    EXPECT_EQ(errorWith(std::string("a\n") + text + "\n"),
              std::string("'t.csv', line 2, column 0 ('a'): expected a finite "
                          "number (f32), found '") +
                  text + "'" + repair);
  // No header: the first row has nothing but numbers.
  EXPECT_EQ(errorWith("1,nan\n2,3\n"),
            "'t.csv', line 1, column 1 (counted from 0): expected a finite "
            "number (f32), found 'nan'" +
                repair);
  for (const char *text : {"1.0", "128", "-129", "1e2", ""}) {
    const CsvOptions bytes =
        columns({{"a", {"a"}, CsvType::Numbers, DType::I8}});
    EXPECT_NE(errorWith(std::string("a,b\n") + text + ",0\n", bytes)
                  .find("expected a whole number (i8)"),
              std::string::npos)
        << text;
  }
  EXPECT_NE(errorWith("a\n-1\n",
                      columns({{"a", {"a"}, CsvType::Numbers, DType::U64}})),
            "");
}

TEST_F(CsvTest, UnequalRows) {
  EXPECT_EQ(errorWith("a,b\n1,2\n3\n"),
            "'t.csv', line 3: the row has 1 fields, but the first row has 2");
  EXPECT_EQ(errorWith("a,b\n1,2\n\n3,4\n"),
            "'t.csv', line 3: the row has 1 fields, but the first row has 2");
  EXPECT_EQ(errorWith("a,b\n1,2,3\n"),
            "'t.csv', line 2: the row has 3 fields, but the first row has 2");
}

TEST_F(CsvTest, Quotes) {
  EXPECT_EQ(errorWith("a,b\n1,\"2\n3,4\n"),
            "'t.csv', line 2: the quote of column 1 (counted from 0) is "
            "not closed");
  EXPECT_EQ(errorWith("a,b\n1,\"2\"3\n"),
            "'t.csv', line 2: expected ',' or the end of the line behind the "
            "quoted text of column 1 (counted from 0)");
}

// A first row of which some fields are numbers may be either.
TEST_F(CsvTest, Header) {
  EXPECT_EQ(errorWith("5.1,setosa\n4.9,setosa\n"),
            "'t.csv', line 1: 1 of the 2 fields of the first row are numbers; "
            "say whether it has the names of the columns: add :header=yes or "
            ":header=no behind each part of this file that is read");
  CsvOptions options = columns({{"x", {"0"}}});
  options.hasHeader = false;
  EXPECT_EQ(take(openCsv(write("t.csv", "5.1,a\n4,b\n"), options)).size(), 2);
  options.hasHeader = true;
  EXPECT_EQ(take(openCsv(write("t.csv", "1,a\n4,b\n"), options)).size(), 1);
}

// What was said of the first row may be wrong.
TEST_F(CsvTest, WrongHeader) {
  CsvOptions options = columns({{"x", {"1"}}});
  options.hasHeader = false;
  EXPECT_EQ(errorWith("a,b\n1,2\n", options),
            "'t.csv', line 1, column 1 (counted from 0): expected a finite "
            "number (f32), found 'b'; if this line has the names of the "
            "columns, say header=yes, or else remove it");
  EXPECT_EQ(errorWith("1,b\n3,c\n", options),
            "'t.csv', line 1, column 1 (counted from 0): expected a finite "
            "number (f32), found 'b'; if the column has names of classes, add "
            ":type=classes to it in the data");
  options.hasHeader = true;
  EXPECT_EQ(errorWith("5.1,3.5\n4.9,3\n", options),
            "'t.csv', line 1: the row has nothing but numbers, and header=yes "
            "makes them names of columns; say header=no if it is an example, "
            "or put the names in quotes");
  // Names that pandas gives, years, and names in quotes.
  for (const char *text :
       {"0,1\n4.9,3\n", "2019,2020\n4.9,3\n", "400,410,420\n4.9,3,7\n",
        "\"400\",\"410\"\n4.9,3\n"})
    EXPECT_EQ(take(openCsv(write("t.csv", text), options)).size(), 1) << text;
}

// Integers that are written as floats can be read as these.
TEST_F(CsvTest, WholeFloats) {
  const auto labels = [](DType type) {
    return columns({{"y", {"y"}, CsvType::Numbers, type}});
  };
  EXPECT_EQ(errorWith("y\n0.0\n1.0\n", labels(DType::I64)),
            "'t.csv', line 2, column 0 ('y'): expected a whole number (i64), "
            "found '0.0'; if all numbers of the column are whole, read it with "
            ":type=f64, and make integers of it with the map NAME=cast:i64");
  EXPECT_EQ(errorWith("y\n300.0\n", labels(DType::U8)),
            "'t.csv', line 2, column 0 ('y'): expected a whole number (u8), "
            "found '300.0'" +
                repair);
  EXPECT_EQ(errorWith("y\n0.5\n", labels(DType::I64)),
            "'t.csv', line 2, column 0 ('y'): expected a whole number (i64), "
            "found '0.5'" +
                repair);
}

TEST_F(CsvTest, Libsvm) {
  const std::string error =
      "cannot read 't.csv': it is text of LIBSVM, which has pairs "
      "COLUMN:VALUE; expected all values of a row (CSV); read it with "
      "load_svmlight_file of scikit-learn, and write the arrays with "
      "numpy.savez";
  EXPECT_EQ(errorWith("1 1:0.5 3:-2\n-1 2:1\n"), error);
  EXPECT_EQ(errorWith("+1 4:1 \r\n"), error);
  // Times of a day are other text.
  EXPECT_EQ(errorWith("t\n12:30\n", columns({{"y", {"t"}, CsvType::Classes}})),
            "");
}

TEST_F(CsvTest, Separators) {
  const Dataset data = take(openCsv(write("t.csv", "a,1;b\n1;2\n")));
  EXPECT_EQ(row<float>(data, "b", 0)[0], 2);
  CsvOptions options;
  options.separator = '|';
  const Dataset bars = take(openCsv(write("t.csv", "a;|b\n1|2\n"), options));
  EXPECT_EQ(row<float>(bars, "b", 0)[0], 2);
}

TEST_F(CsvTest, UnknownColumns) {
  EXPECT_EQ(errorWith("width,height\n1,2\n", columns({{"x", {"with"}}})),
            "'t.csv' has no column 'with'; it has the columns 0 to 1, such as "
            "'width', 'height'");
  EXPECT_EQ(errorWith("1,2\n", columns({{"x", {"1-2"}}})),
            "'t.csv' has no column '1-2'; it has the columns 0 to 1, without "
            "names");
  EXPECT_EQ(errorWith("a,a\n1,2\n", columns({{"x", {"a"}}})),
            "'t.csv' has two columns 'a'; give the number of one");
  EXPECT_EQ(errorWith("a,b\n1,2\n", columns({{"x", {}}})),
            "'t.csv': column 'x' names no columns of the file");
}

TEST_F(CsvTest, NoText) {
  EXPECT_EQ(errorWith(""), "cannot read 't.csv': the file is empty");
  EXPECT_EQ(errorWith("\n\n"), "cannot read 't.csv': it has no rows");
  EXPECT_EQ(errorWith(std::string_view("a\0b", 3)),
            "cannot read 't.csv': expected text (CSV), it is binary data");
}
