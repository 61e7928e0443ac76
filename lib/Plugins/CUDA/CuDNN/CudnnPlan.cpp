//===- CudnnPlan.cpp - A graph as cuDNN runs it --------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The only file that includes cuDNN's front end.
//
//===----------------------------------------------------------------------===//

#include "CudnnPlan.h"

#include "CudnnLibrary.h"
#include "CudnnNumbers.h"
#include "weir/Support/PerThread.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <exception>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

/// Why the front end did not get a library that it asked for on this thread; Ok
/// if it got all.
using WhyMissing = weir::PerThread<weir::Status, struct WhyMissingTag>;

/// Opens a library for the front end, from the folders that the user lists. The
/// front end would take any version of CUDA's runtime that it finds. Only the
/// version whose header this file includes is sure to fit.
static void *openForFrontend(const char *name) {
  constexpr std::string_view runtime = "libcudart.so.";
  std::string soname = name;
  if (soname.starts_with(runtime) &&
      soname != fmt::format("{}{}", runtime, CUDART_VERSION / 1000))
    return nullptr;
  weir::StatusOr<void *> library = weir::openCudaLibrary(soname);
  if (library.isOk())
    return *library;
  if (weir::Status *why = WhyMissing::find())
    *why = std::move(library).status();
  return nullptr;
}

#define dlopen(name, mode) openForFrontend(name)
#include <cudnn_frontend.h>
#undef dlopen

namespace cudnn_frontend {
/// The library in which the front end looks for cuDNN's functions.
void *cudnn_dlhandle = nullptr;
} // namespace cudnn_frontend

using namespace weir;
namespace fe = cudnn_frontend;

namespace {

using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

/// The front end's graph. This class can use its plans, which are protected.
class FrontendGraph final : public fe::graph::Graph {
public:
  /// The numbers that the front end gives to launches besides the `numTensors`
  /// tensors of the description.
  StatusOr<std::vector<FrontendNumber>> ownNumbers(size_t numTensors) const;
  std::shared_ptr<fe::ExecutionPlan> chosenPlan() const {
    return plans.execution_plans[static_cast<size_t>(plans.candidate)];
  }
  /// Whether plan `at` does not compute what the graph says.
  bool isBarred(int64_t at, bool allowsTF32) const;
  bool isChosenCompiled() const {
    const auto &notes =
        plans.behavior_notes[static_cast<size_t>(plans.candidate)];
    return std::ranges::find(notes, fe::BehaviorNote_t::RUNTIME_COMPILATION) !=
           notes.end();
  }
};

/// The front end's graph while it is described.
struct Building {
  FrontendGraph graph;
  std::vector<Tensor> tensors;
};

class FrontendPlan final : public CudnnPlan {
public:
  FrontendPlan(std::shared_ptr<fe::ExecutionPlan> plan, const CudnnGraph &graph,
               std::vector<FrontendNumber> ownNumbers, std::string name,
               bool isCompiled);

  Status execute(cudnnContext *handle, void *const *buffers,
                 void *workspace) override;
  size_t workspaceBytes() const override {
    return static_cast<size_t>(plan->getWorkspaceSize());
  }
  std::string engine() const override { return name; }
  bool isCompiled() const override { return compiled; }
  std::vector<uint64_t> addedNumbers() const override {
    std::vector<uint64_t> bits;
    for (const FrontendNumber &number : ownNumbers)
      bits.push_back(number.bits);
    return bits;
  }
  StatusOr<std::string> serialise() const override;

private:
  /// The place of a buffer among the pointers.
  struct Source {
    size_t place;
    size_t buffer;
  };

  std::shared_ptr<fe::ExecutionPlan> plan;
  std::string name;
  bool compiled;
  /// The tensors that are given to a launch: their numbers for the front end,
  /// and their addresses. The address of a number points at the number, and the
  /// address of a buffer is null.
  std::vector<int64_t> ids;
  std::vector<void *> pointers;
  std::vector<Source> sources;
  std::vector<float> numbers;
  std::vector<FrontendNumber> ownNumbers;
};

/// The number of tensor `at` for the front end.
int64_t idOf(size_t at) { return static_cast<int64_t>(at) + 1; }

FrontendPlan::FrontendPlan(std::shared_ptr<fe::ExecutionPlan> plan,
                           const CudnnGraph &graph,
                           std::vector<FrontendNumber> own, std::string name,
                           bool isCompiled)
    : plan(std::move(plan)), name(std::move(name)), compiled(isCompiled),
      ownNumbers(std::move(own)) {
  // The addresses of the numbers are kept, so the numbers must not move.
  numbers.reserve(graph.tensors.size());
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    const CudnnTensor &tensor = graph.tensors[i];
    if (!tensor.buffer && !tensor.number)
      continue;
    if (tensor.buffer)
      sources.push_back({pointers.size(), *tensor.buffer});
    ids.push_back(idOf(i));
    pointers.push_back(tensor.number ? &numbers.emplace_back(*tensor.number)
                                     : nullptr);
  }
  for (FrontendNumber &number : ownNumbers) {
    ids.push_back(number.id);
    pointers.push_back(&number.bits);
  }
}

Status failure(std::string_view step, std::string_view why) {
  if (const Status *missing = WhyMissing::find(); missing && !missing->isOk())
    return unavailable(fmt::format("{}; install it, or name its folder in "
                                   "WEIR_CUDA_LIB_PATH",
                                   missing->message()));
  return internalError(oneLine(fmt::format("{} failed: {}", step, why)));
}

/// The result of `call`. The front end throws if it does not find a library or
/// a function, and some of its classes throw their errors.
template <typename Call> Status guarded(std::string_view step, Call call) {
  if (Status *missing = WhyMissing::find())
    *missing = Status::ok();
  try {
    fe::error_t error = call();
    return error.is_good() ? Status::ok() : failure(step, error.get_message());
  } catch (const std::exception &error) {
    return failure(step, error.what());
  }
}

StatusOr<std::vector<FrontendNumber>>
FrontendGraph::ownNumbers(size_t numTensors) const {
  std::unordered_map<int64_t, fe::graph::Tensor_attributes::pass_by_values_t>
      known;
  WEIR_RETURN_IF_ERROR(guarded("asking for the numbers", [&] {
    return collect_pass_by_value_tensors_subtree(known);
  }));
  std::vector<FrontendNumber> found;
  for (const auto &[id, value] : known) {
    // The other numbers belong to tensors of the description.
    if (id >= idOf(0) && id < idOf(numTensors))
      continue;
    FrontendNumber &number = found.emplace_back(FrontendNumber{id, 0});
    std::visit(
        [&](const auto &each) {
          std::memcpy(&number.bits, &each, sizeof(each));
        },
        value);
  }
  std::ranges::sort(found, {}, &FrontendNumber::id);
  return found;
}

fe::DataType_t toDataType(DType type) {
  switch (type) {
  case DType::F16:
    return fe::DataType_t::HALF;
  case DType::BF16:
    return fe::DataType_t::BFLOAT16;
  default:
    return fe::DataType_t::FLOAT;
  }
}

fe::PointwiseMode_t toMode(CudnnOp op) {
  using Mode = fe::PointwiseMode_t;
  static constexpr std::pair<CudnnOp, Mode> modes[] = {
      {CudnnOp::Abs, Mode::ABS},
      {CudnnOp::Add, Mode::ADD},
      {CudnnOp::Div, Mode::DIV},
      {CudnnOp::Elu, Mode::ELU_FWD},
      {CudnnOp::Exp, Mode::EXP},
      {CudnnOp::GeluErf, Mode::GELU_FWD},
      {CudnnOp::Log, Mode::LOG},
      {CudnnOp::Max, Mode::MAX},
      {CudnnOp::Min, Mode::MIN},
      {CudnnOp::Mul, Mode::MUL},
      {CudnnOp::Relu, Mode::RELU_FWD},
      {CudnnOp::Sigmoid, Mode::SIGMOID_FWD},
      {CudnnOp::Softplus, Mode::SOFTPLUS_FWD},
      {CudnnOp::Sqrt, Mode::SQRT},
      {CudnnOp::Sub, Mode::SUB},
      {CudnnOp::Swish, Mode::SWISH_FWD},
      {CudnnOp::Tanh, Mode::TANH_FWD},
  };
  const auto *const found =
      std::ranges::find(modes, op, &std::pair<CudnnOp, Mode>::first);
  return found == std::end(modes) ? Mode::NOT_SET : found->second;
}

/// Gives `tensor` the properties of `from`, which is tensor `number` of the
/// graph.
void describe(fe::graph::Tensor_attributes &tensor, const CudnnTensor &from,
              size_t number) {
  tensor.set_dim(from.desc.dims)
      .set_stride(from.desc.strides)
      .set_data_type(toDataType(from.buffer ? from.desc.type : DType::F32))
      .set_uid(idOf(number));
}

void addInputs(Building &building, const CudnnGraph &from) {
  building.tensors.resize(from.tensors.size());
  for (size_t i = 0; i < from.tensors.size(); ++i) {
    const bool isComputed = std::ranges::any_of(
        from.nodes, [&](const CudnnNode &node) { return node.output == i; });
    if (isComputed)
      continue;
    fe::graph::Tensor_attributes tensor;
    if (from.tensors[i].number) {
      const size_t rank = from.tensors[i].desc.dims.size();
      tensor = fe::graph::Tensor_attributes(*from.tensors[i].number);
      tensor.set_dim(std::vector<int64_t>(rank, 1))
          .set_stride(std::vector<int64_t>(rank, 1))
          .set_uid(idOf(i));
    } else {
      describe(tensor, from.tensors[i], i);
    }
    building.tensors[i] = building.graph.tensor(tensor);
  }
}

template <typename Attributes>
Attributes withWindows(const CudnnWindows &windows) {
  Attributes attributes;
  attributes.set_pre_padding(windows.padsBegin)
      .set_post_padding(windows.padsEnd)
      .set_stride(windows.strides)
      .set_dilation(windows.dilations);
  return attributes;
}

Tensor addAttention(Building &building, const CudnnGraph &from,
                    const CudnnNode &node) {
  const auto input = [&](size_t number) {
    return building.tensors[node.inputs[number]];
  };
  auto attributes = fe::graph::SDPA_attributes()
                        .set_name("attention")
                        .set_generate_stats(false)
                        .set_attn_scale(from.attention.scale);
  if (node.inputs.size() > 3)
    attributes.set_bias(input(3));
  if (from.attention.causal != CudnnCausal::None)
    attributes
        .set_diagonal_alignment(from.attention.causal == CudnnCausal::TopLeft
                                    ? fe::DiagonalAlignment_t::TOP_LEFT
                                    : fe::DiagonalAlignment_t::BOTTOM_RIGHT)
        .set_diagonal_band_right_bound(0);
  return building.graph.sdpa(input(0), input(1), input(2), attributes)[0];
}

Tensor addNode(Building &building, const CudnnGraph &from,
               const CudnnNode &node) {
  if (node.op == CudnnOp::Attention)
    return addAttention(building, from, node);
  const Tensor &first = building.tensors[node.inputs[0]];
  const Tensor second =
      node.inputs.size() > 1 ? building.tensors[node.inputs[1]] : nullptr;
  if (node.op == CudnnOp::Conv)
    return building.graph.conv_fprop(
        first, second,
        withWindows<fe::graph::Conv_fprop_attributes>(from.windows));
  if (node.op == CudnnOp::ConvGradient)
    return building.graph.conv_dgrad(
        first, second,
        withWindows<fe::graph::Conv_dgrad_attributes>(from.windows));
  if (node.op == CudnnOp::WeightGradient)
    return building.graph.conv_wgrad(
        first, second,
        withWindows<fe::graph::Conv_wgrad_attributes>(from.windows));
  auto attributes = fe::graph::Pointwise_attributes().set_mode(toMode(node.op));
  return second ? building.graph.pointwise(first, second, attributes)
                : building.graph.pointwise(first, attributes);
}

void describeAll(Building &building, const CudnnGraph &from) {
  building.graph.set_intermediate_data_type(fe::DataType_t::FLOAT)
      .set_compute_data_type(fe::DataType_t::FLOAT);
  addInputs(building, from);
  for (const CudnnNode &node : from.nodes) {
    Tensor &output = building.tensors[node.output];
    output = addNode(building, from, node);
    describe(*output, from.tensors[node.output], node.output);
    output->set_output(from.tensors[node.output].buffer.has_value());
  }
}

/// A captured launch need not keep its plan. The capture is destroyed before
/// the kernel that has the plan. If captures kept the plan, each launch would
/// ask CUDA's runtime for captures.
constexpr auto retention = fe::CudaGraphRetention_t::NONE;

StatusOr<std::string> FrontendPlan::serialise() const {
  std::string text = name + writeNumbers(ownNumbers);
  WEIR_RETURN_IF_ERROR(guarded("serialising a plan", [&] {
    text += '\n' + plan->getJsonRepresentation();
    return fe::error_t();
  }));
  return text;
}

/// The notes of plans that do not compute what the graph says.
std::vector<fe::NumericalNote_t> barredNotes(bool allowsTF32) {
  using Note = fe::NumericalNote_t;
  std::vector<Note> barred = {Note::NONDETERMINISTIC,
                              Note::REDUCED_PRECISION_REDUCTION,
                              Note::DOWN_CONVERT_INPUTS};
  if (!allowsTF32)
    barred.push_back(Note::TENSOR_CORE);
  return barred;
}

/// The engine for graphs that no other engine takes. It is up to 400 times
/// slower than other engines.
constexpr const char *barredEngine = "eng0";

bool FrontendGraph::isBarred(int64_t at, bool allowsTF32) const {
  const auto &notes = plans.numeric_notes[static_cast<size_t>(at)];
  const auto barred = barredNotes(allowsTF32);
  std::string engine;
  return std::ranges::find_first_of(notes, barred) != notes.end() ||
         get_plan_name_at_index(at, engine).is_bad() ||
         engine.find(barredEngine) != engine.npos;
}

/// Whether plans for the graph may use tensor cores: operands of f32 may be
/// rounded to TF32, or operands have another type.
bool mayUseTensorCores(const CudnnGraph &graph) {
  return graph.allowsTF32 || graph.tensors[0].desc.type != DType::F32;
}

/// The description of the GPU if the GPU is in another machine, else null.
StatusOr<std::shared_ptr<fe::DeviceProperties>>
propertiesOf(const CudnnTarget &target) {
  if (target.handle)
    return std::shared_ptr<fe::DeviceProperties>();
  auto properties = std::make_shared<fe::DeviceProperties>();
  WEIR_RETURN_IF_ERROR(guarded("describing the GPU", [&] {
    return properties->deserialize(std::vector<uint8_t>(
        target.description.begin(), target.description.end()));
  }));
  return properties;
}

/// Describes `description` to cuDNN, and asks it for engines.
Status buildGraph(Building &building, const CudnnGraph &description,
                  const CudnnTarget &target) {
  FrontendGraph &graph = building.graph;
  // Nodes copy the properties of the graph when they are added.
  if (target.arch != 0)
    graph.set_sm_version(static_cast<int32_t>(target.arch));
  WEIR_RETURN_IF_ERROR(guarded("describing the graph", [&] {
    describeAll(building, description);
    return fe::error_t();
  }));
  WEIR_ASSIGN_OR_RETURN(auto properties, propertiesOf(target));
  if (properties)
    graph.set_device_properties(std::move(properties));
  graph.set_cuda_graph_retention(retention);
  WEIR_RETURN_IF_ERROR(
      guarded("validating the graph", [&] { return graph.validate(); }));
  WEIR_RETURN_IF_ERROR(guarded("building the graph", [&] {
    return graph.build_operation_graph(target.handle);
  }));
  WEIR_RETURN_IF_ERROR(guarded("choosing an engine", [&] {
    return graph.create_execution_plans(
        {fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK});
  }));
  graph.deselect_numeric_notes(barredNotes(mayUseTensorCores(description)));
  graph.deselect_engines({barredEngine});
  return guarded("checking the engines", [&] { return graph.check_support(); });
}

/// The plan of `building` that was built last.
StatusOr<std::unique_ptr<FrontendPlan>> takePlan(Building &building,
                                                 const CudnnGraph &graph) {
  std::string name;
  WEIR_RETURN_IF_ERROR(guarded("asking for the engine", [&] {
    return building.graph.get_plan_name(name);
  }));
  WEIR_ASSIGN_OR_RETURN(std::vector<FrontendNumber> own,
                        building.graph.ownNumbers(graph.tensors.size()));
  return std::make_unique<FrontendPlan>(building.graph.chosenPlan(), graph,
                                        std::move(own), std::move(name),
                                        building.graph.isChosenCompiled());
}

StatusOr<std::unique_ptr<FrontendPlan>> buildPlan(const CudnnGraph &graph,
                                                  const CudnnTarget &target) {
  Building building;
  WEIR_RETURN_IF_ERROR(buildGraph(building, graph, target));
  WEIR_RETURN_IF_ERROR(guarded("building a plan", [&] {
    return building.graph.build_plans(fe::BuildPlanPolicy_t::HEURISTICS_CHOICE);
  }));
  return takePlan(building, graph);
}

StatusOr<std::unique_ptr<FrontendPlan>> loadPlan(const CudnnGraph &graph,
                                                 const CudnnTarget &target,
                                                 const std::string &text) {
  WEIR_ASSIGN_OR_RETURN(auto properties, propertiesOf(target));
  const size_t end = text.find('\n');
  if (end == text.npos)
    return invalidArgument("the stored plan has no name");
  const std::string line = text.substr(0, end);
  const std::string name = line.substr(0, line.find(' '));
  WEIR_ASSIGN_OR_RETURN(
      std::vector<FrontendNumber> own,
      readNumbers(std::string_view(line).substr(name.size())));
  std::shared_ptr<fe::ExecutionPlan> plan;
  WEIR_RETURN_IF_ERROR(guarded("loading a plan", [&] {
    const std::string json = text.substr(end + 1);
    return target.handle ? fe::detail::create_cudnn_execution_plan(
                               plan, json, target.handle, retention)
                         : fe::detail::create_cudnn_execution_plan(
                               plan, json, properties, retention);
  }));
  return std::make_unique<FrontendPlan>(std::move(plan), graph, std::move(own),
                                        name, /*isCompiled=*/false);
}

/// The library of cuDNN. The front end gets its handle, too.
StatusOr<const CudnnLibrary *> openLibrary() {
  WEIR_ASSIGN_OR_RETURN(const CudnnLibrary *library, CudnnLibrary::get());
  // The handle is set only once, because other threads may be using it.
  static void *const opened = fe::cudnn_dlhandle = library->library;
  (void)opened;
  return library;
}

} // namespace

StatusOr<std::string> CudnnPlan::identify(const CudnnGraph &graph,
                                          const CudnnTarget &target) {
  WEIR_ASSIGN_OR_RETURN(const CudnnLibrary *library, openLibrary());
  return fmt::format("cuDNN {}, front end {}\n{}, sm_{}\n{}\n{}",
                     library->version, CUDNN_FRONTEND_VERSION, target.name,
                     target.arch, target.description, graph.toString());
}

StatusOr<std::unique_ptr<CudnnPlan>> CudnnPlan::load(const CudnnGraph &graph,
                                                     const CudnnTarget &target,
                                                     const std::string &text) {
  WEIR_RETURN_IF_ERROR(openLibrary().status());
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<FrontendPlan> plan,
                        loadPlan(graph, target, text));
  return std::unique_ptr<CudnnPlan>(std::move(plan));
}

StatusOr<std::unique_ptr<CudnnPlan>>
CudnnPlan::build(const CudnnGraph &graph, const CudnnTarget &target) {
  WEIR_ASSIGN_OR_RETURN(const std::string identity, identify(graph, target));
  std::string key;
  if (target.store) {
    key = target.store->keyOf({identity});
    if (const std::optional<std::string> text = target.store->find(key))
      if (auto plan = load(graph, target, *text); plan.isOk())
        return plan;
  }
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<FrontendPlan> plan,
                        buildPlan(graph, target));
  // A plan that cuDNN has not compiled takes as long to load as to make, so it
  // is not kept.
  if (target.store && plan->isCompiled())
    if (StatusOr<std::string> text = plan->serialise(); text.isOk()) {
      target.store->add(key, *std::move(text));
      target.store->flush();
    }
  return std::unique_ptr<CudnnPlan>(std::move(plan));
}

StatusOr<std::vector<std::unique_ptr<CudnnPlan>>>
CudnnPlan::buildFirst(const CudnnGraph &graph, const CudnnTarget &target,
                      size_t most, std::vector<std::string> &leftOut) {
  WEIR_RETURN_IF_ERROR(openLibrary().status());
  Building building;
  WEIR_RETURN_IF_ERROR(buildGraph(building, graph, target));
  const int64_t count = building.graph.get_execution_plan_count();
  std::vector<std::unique_ptr<CudnnPlan>> plans;
  for (int64_t at = 0; at < count && plans.size() < most; ++at) {
    if (building.graph.isBarred(at, mayUseTensorCores(graph)))
      continue;
    const Status built = guarded("building a plan", [&] {
      return building.graph.build_plan_at_index(at);
    });
    auto plan = built.isOk() ? takePlan(building, graph)
                             : StatusOr<std::unique_ptr<FrontendPlan>>(built);
    if (plan.isOk()) {
      plans.push_back(*std::move(plan));
      continue;
    }
    std::string engine;
    (void)building.graph.get_plan_name_at_index(at, engine);
    leftOut.push_back(fmt::format("{} ({})", engine, plan.status().message()));
  }
  return plans;
}

Status FrontendPlan::execute(cudnnContext *handle, void *const *buffers,
                             void *workspace) {
  std::array<void *, mostCudnnTensors> given;
  std::ranges::copy(pointers, given.begin());
  for (const Source &source : sources)
    given[source.place] = buffers[source.buffer];
  return guarded("cudnnBackendExecute", [&] {
    return fe::detail::execute(handle, plan.get(), given.data(), ids,
                               workspace);
  });
}
