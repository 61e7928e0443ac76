//===- Graph.h - Builds graphs in C++ -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//   weir::Graph graph;
//   weir::Value x = graph.input("x", weir::DType::F32, {1, 8});
//   weir::Value w = graph.parameter("w", std::move(weights));
//   weir::Value y = graph.relu(graph.matmul(x, w).on("cpu:0")).on("cpu:1");
//   graph.output("y", y);
//   weir::Status status = graph.compile("model.weir").status();
//
// This header includes nothing of MLIR. Errors are values: the graph remembers
// each failed call with its place in the user's program, and `status` and
// `compile` report all of them.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_BUILDER_GRAPH_H
#define WEIR_BUILDER_GRAPH_H

#include "weir/Builder/GraphOps.h"
#include "weir/Compiler/Compiler.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/RandomFill.h"
#include "weir/Support/Status.h"
#include "weir/Support/TrainingOptions.h"

#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A tensor in a safetensors file.
struct TensorFile {
  /// Relative to the working directory.
  std::string path;
  /// Empty: the parameter's name.
  std::string key;
};

/// A graph under construction. It is compiled as one entry, or as several
/// entries that share parameters. GraphOps has the methods for ops. Only one
/// thread at a time may call methods of a graph, of its values and of its
/// device scopes. This holds for const methods, too. Different graphs are
/// independent.
class Graph : public GraphOps {
public:
  /// A graph whose first entry is called `name`.
  explicit Graph(std::string_view name = "main",
                 CallSite site = CallSite::current())
      : GraphOps(name, site) {}

  /// Begins another entry. Inputs, ops, outputs and assignments from here on
  /// belong to it. Nothing more can be added to the previous entry, but its ops
  /// can still be named and placed. The new entry can use the parameters of the
  /// graph, with the values that any entry has assigned. It can use no other
  /// value of earlier entries.
  void entry(std::string_view name, CallSite site = CallSite::current());

  /// An input. A dim of -1 is unknown; CompileOptions::shapes binds it.
  Value input(std::string_view name, DType type,
              const std::vector<int64_t> &dims,
              CallSite site = CallSite::current());

  /// A named tensor that persists between runs, with its initial value. The
  /// graph takes ownership of the tensor's memory without a copy.
  Value parameter(std::string_view name, HostTensor value,
                  CallSite site = CallSite::current());
  /// The same with the initial value in a file, which is read when the graph is
  /// compiled.
  Value parameter(std::string_view name, const TensorFile &file,
                  CallSite site = CallSite::current());
  /// The same with random elements, which are made when the artifact is loaded.
  /// `type` is a float type.
  Value parameter(std::string_view name, DType type,
                  const std::vector<int64_t> &dims, const UniformFill &fill,
                  CallSite site = CallSite::current());
  /// The same with the elements of an initialiser, such as {"he_normal",
  /// {{"seed", 1}}} (docs/training.md).
  Value parameter(std::string_view name, DType type,
                  const std::vector<int64_t> &dims, const NamedOptions &initial,
                  CallSite site = CallSite::current());
  /// The gradients of `loss` for the values in `of`, in this order and with the
  /// same types. `loss` has one element, and the values have float elements.
  Values gradient(Value loss, const std::vector<Value> &of,
                  CallSite site = CallSite::current());

  /// Makes each run update the parameters of the entry so that `loss` gets
  /// smaller. `loss` has one element. `rate` is a float scalar: the learning
  /// rate, if the options have none.
  void minimize(Value loss, const MinimizeOptions &options, Value rate = {},
                CallSite site = CallSite::current());

  /// Assigns `value` to `parameter` for the next run.
  void assign(Value parameter, Value value,
              CallSite site = CallSite::current());

  /// A tensor known at compile time.
  Value constant(const HostTensor &value, CallSite site = CallSite::current());
  /// A constant of rank 0. Integers beyond 2^53 are rounded to a double, and
  /// numbers beyond the range of `type` become the nearest number in it. Use
  /// `constant` for exact values.
  Value scalar(double value, DType type = DType::F32,
               CallSite site = CallSite::current());

  /// Returns `value` from each run of the entry under the name `name`. Outputs
  /// are in the order of these calls.
  void output(std::string_view name, Value value,
              CallSite site = CallSite::current());

  /// All errors so far, one per line. Each names the op, the number of the call
  /// and its place in the user's program.
  Status status() const;

  /// The graph as textual IR, which graph-compile compiles to the same bytes.
  /// Characters of names that the text cannot contain are written as numbers.
  StatusOr<std::string> text() const;

  /// Compiles the graph and writes the artifact to the file `path` ("-":
  /// standard output), or into the result if `path` is empty. With an earlier
  /// `options.emit` the result holds the text of that phase instead. An error
  /// carries all messages. If compilation succeeds, warnings go to `diagnose`.
  /// The graph is unchanged and can be compiled again.
  StatusOr<CompileResult> compile(const std::string &path,
                                  const CompileOptions &options = {},
                                  const DiagnosticFn &diagnose = {}) const;
};

} // namespace weir

#endif // WEIR_BUILDER_GRAPH_H
