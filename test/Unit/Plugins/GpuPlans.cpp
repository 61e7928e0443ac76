//===- GpuPlans.cpp - Plans for GPUs and their code -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GpuPlans.h"

#include "FakeCuda/FakeCubin.h"

#include "weir/Artifact/Convert.h"
#include "weir/Artifact/GpuCode.h"
#include "weir/Support/IndexCheckAttrs.h"

#include <cmath>

using namespace weir;
using namespace weir::test;
using artifact::GpuImage;

/// An entry whose threads read an element of each of `numReads` vectors into
/// %v0 and %v1, and write %v2, which `body` makes.
static std::string entryText(uint32_t number, int numReads,
                             const std::string &body, bool hasFlags = false) {
  std::string text =
      ".visible .entry weir_kernel_" + std::to_string(number) + "(\n";
  const int last = numReads + hasFlags;
  for (int i = 0; i <= last; ++i)
    text +=
        "  .param .u64 p" + std::to_string(i) + (i < last ? ",\n" : "\n)\n{\n");
  text += "  .reg .pred %is;\n  .reg .u32 %i<4>;\n  .reg .u64 %a<3>;\n"
          "  .reg .f32 %v<3>;\n"
          "  mov.u32 %i0, %ctaid.x;\n  mov.u32 %i1, %ntid.x;\n"
          "  mov.u32 %i2, %tid.x;\n  mad.lo.u32 %i3, %i0, %i1, %i2;\n"
          "  mul.wide.u32 %a0, %i3, 4;\n";
  const auto address = [](int parameter) {
    return "  ld.param.u64 %a1, [p" + std::to_string(parameter) +
           "];\n  cvta.to.global.u64 %a1, %a1;\n"
           "  add.u64 %a2, %a1, %a0;\n";
  };
  for (int i = 0; i < numReads; ++i)
    text +=
        address(i) + "  ld.global.f32 %v" + std::to_string(i) + ", [%a2];\n";
  return text + body + address(numReads) +
         "  st.global.f32 [%a2], %v2;\n  ret;\n}\n";
}

/// The entries as PTX.
static std::string codeText() {
  return ".version 7.0\n.target sm_80\n.address_size 64\n" +
         entryText(add, 2, "  add.f32 %v2, %v0, %v1;\n") +
         entryText(twice, 1, "  add.f32 %v2, %v0, %v0;\n") +
         entryText(makesNan, 1,
                   "  setp.eq.u32 %is, %i3, 0;\n"
                   "  selp.f32 %v2, 0f7FC00000, %v0, %is;\n") +
         entryText(twiceChecked, 1,
                   "  add.f32 %v2, %v0, %v0;\n"
                   "  setp.gt.f32 %is, %v0, 0f40A00000;\n"
                   "  ld.param.u64 %a1, [p2];\n"
                   "  cvta.to.global.u64 %a1, %a1;\n"
                   "  mov.u32 %i3, 1;\n"
                   "  @%is st.global.u32 [%a1], %i3;\n",
                   /*hasFlags=*/true);
}

std::vector<std::byte>
test::makeCode(const std::vector<std::pair<bool, uint32_t>> &images,
               const std::string &comment) {
  std::vector<std::string> texts;
  for (const auto &[isCubin, arch] : images)
    texts.push_back((isCubin ? "cubin " : "// ptx ") + std::to_string(arch) +
                    "\n// " + comment + "\n" + codeText());
  std::vector<GpuImage> packed;
  for (size_t i = 0; i < texts.size(); ++i) {
    // The size of the blob is a multiple of 4, and a zero byte is at its end.
    texts[i].resize((texts[i].size() + 4) / 4 * 4 - 1, ' ');
    texts[i] = images[i].first ? makeFakeCubin(texts[i]) : texts[i] + '\0';
    packed.push_back(
        {images[i].first ? GpuImage::Kind::Cubin : GpuImage::Kind::Ptx,
         images[i].second, std::as_bytes(std::span(texts[i]))});
  }
  return artifact::packGpuCode(packed);
}

/// Adds the launches of a chain that begins with `value`. The last result is
/// `last`, if that is not 0, else the one that is returned.
static uint32_t addChain(PlanBuilder &plan, uint32_t value, int numLaunches,
                         int64_t size, uint32_t lastEntry, uint32_t last = 0) {
  const uint32_t code = plan.gpuCode(makeCode());
  for (int i = 0; i < numLaunches; ++i) {
    const bool isLast = i + 1 == numLaunches;
    const uint32_t next = isLast && last ? last : plan.scratch(size);
    const uint32_t entry = isLast ? lastEntry : twice;
    AttrMap attrs;
    if (entry == twiceChecked) {
      attrs.set(std::string(indexChecksAttr), std::vector<int64_t>{0, 1, 8});
      attrs.set(std::string(indexOpsAttr), std::string("pick"));
    }
    plan.launchOnGpu("launch" + std::to_string(i), code, entry, {value}, next,
                     attrs);
    value = next;
  }
  return value;
}

PlanBuilder test::makeChain(const std::string &device, int numLaunches,
                            uint32_t last) {
  PlanBuilder plan;
  plan.device(device, /*isolated=*/true);
  const uint32_t x = plan.hostInput("x", 1), y = plan.hostOutput("y", 1);
  const uint32_t arrived = plan.event(), computed = plan.event();
  const uint32_t begin = plan.scratch(1);
  plan.on(0, QueueRole::CopyIn).copy("x", x, begin);
  plan.record(arrived);
  plan.on(0).wait(arrived);
  const uint32_t end = addChain(plan, begin, numLaunches, 1, last);
  plan.record(computed);
  plan.on(0, QueueRole::CopyIn).wait(computed);
  plan.copy("y", end, y);
  return plan;
}

PlanBuilder test::makeDeviceChain(int numLaunches, int64_t size,
                                  uint32_t last) {
  PlanBuilder plan;
  plan.device("cuda:0", /*isolated=*/true);
  const uint32_t x = plan.input("x", size), y = plan.output("y", size);
  plan.on(0);
  addChain(plan, x, numLaunches, size, last, y);
  return plan;
}

PlanBuilder test::makeMixed(const std::string &kernel,
                            const std::string &second) {
  PlanBuilder plan;
  const uint16_t gpu0 = plan.device("cuda:0", true),
                 gpu1 = second == "cuda:0" ? gpu0 : plan.device(second, true),
                 cpu0 = plan.device("test:0"), cpu1 = plan.device("test:1");
  const uint32_t code = plan.gpuCode(makeCode());
  const uint32_t x = plan.hostInput("x", 1), y = plan.hostOutput("y", 1);
  const uint32_t at0 = plan.scratch(1, gpu0), doubled = plan.scratch(1, gpu0),
                 tripled = plan.scratch(1, cpu0), left = plan.scratch(1, gpu1),
                 right = plan.scratch(1, gpu1), sum = plan.scratch(1, gpu1),
                 back = plan.scratch(1, cpu1);
  const uint32_t gotX = plan.event(), got2x = plan.event(),
                 got3x = plan.event(), crossed = plan.event(),
                 summed = plan.event(), returned = plan.event();
  plan.on(gpu0, QueueRole::CopyIn).copy("x", x, at0);
  plan.record(gotX);
  plan.on(gpu0).wait(gotX);
  plan.launchOnGpu("double", code, twice, {at0}, doubled);
  plan.record(got2x);
  plan.on(cpu0).launch("triple", kernel, {x}, {tripled}, affine(3));
  plan.record(got3x);
  plan.on(gpu1, QueueRole::CopyIn).wait(got3x);
  plan.copy("right", tripled, right, true);
  plan.wait(got2x);
  plan.copy("left", doubled, left, gpu0 != gpu1);
  plan.record(crossed);
  plan.on(gpu1).wait(crossed);
  plan.launchOnGpu("sum", code, add, {left, right}, sum);
  plan.record(summed);
  plan.on(gpu1, QueueRole::CopyIn).wait(summed);
  plan.copy("back", sum, back, true);
  plan.record(returned);
  plan.on(cpu1).wait(returned);
  plan.launch("last", "affine", {back}, {y}, affine(2));
  return plan;
}

PlanBuilder test::makeLoop(int numAround) {
  PlanBuilder plan;
  plan.device("cuda:0", /*isolated=*/true);
  const uint32_t code = plan.gpuCode(makeCode());
  const uint32_t x = plan.hostInput("x", 12), y = plan.hostOutput("y", 12);
  const auto doubled = [&](uint32_t value) {
    for (int i = 0; i < numAround; ++i) {
      const uint32_t next = plan.scratch(12);
      plan.launchOnGpu("around", code, twice, {value}, next);
      value = next;
    }
    return value;
  };
  uint32_t at = plan.scratch(12), to = plan.scratch(12);
  const uint32_t filled = plan.event(), done = plan.event(3),
                 behind = plan.event();
  plan.on(0, QueueRole::CopyIn).copy("x", x, at);
  plan.record(filled);
  plan.on(0).wait(filled);
  at = doubled(at);
  plan.repeat(3);
  plan.launchPartOnGpu(4, "part", code, twice, {at}, to);
  plan.move(0, {4});
  plan.move(1, {4});
  plan.record(done, 1);
  plan.move(-1, {1});
  plan.endRepeat();
  to = doubled(to);
  plan.record(behind);
  plan.on(0, QueueRole::CopyIn).wait(done, 3);
  plan.wait(behind);
  plan.copy("y", to, y);
  return plan;
}

PlanBuilder test::makeShown() {
  PlanBuilder plan;
  plan.device("cuda:0", /*isolated=*/true);
  const uint32_t code = plan.gpuCode(makeCode());
  const uint32_t x = plan.hostInput("x", 1), y = plan.hostOutput("y", 1);
  const uint32_t at = plan.scratch(1), to = plan.scratch(1);
  plan.on(0).copy("x", x, at);
  plan.launchOnGpu("first", code, twice, {at}, to);
  plan.tensor("doubled", to);
  plan.launchOnGpu("second", code, twice, {to}, at);
  plan.tensor("again", at);
  plan.copy("y", at, y);
  return plan;
}

/// The number of f32 in the memory of a tensor.
static int64_t countFloats(const TensorDesc &desc) {
  return static_cast<int64_t>(desc.spanBytes() / sizeof(float));
}

PlanBuilder test::makeKernelPlan(const KernelSpec &spec, const Floats &last) {
  PlanBuilder plan;
  plan.device("cuda:0", /*isolated=*/true);
  std::vector<uint32_t> outside, inside;
  const size_t numInputs = spec.operands.size() - !last.empty();
  for (size_t i = 0; i < numInputs; ++i) {
    const int64_t size = countFloats(spec.operands[i]);
    outside.push_back(
        plan.hostInput("x" + std::to_string(outside.size()), size));
    inside.push_back(plan.scratch(size));
  }
  const int64_t size = countFloats(spec.results[0]);
  const uint32_t y = plan.hostOutput("y", size), result = plan.scratch(size);
  const uint32_t arrived = plan.event(), computed = plan.event();
  plan.on(0, QueueRole::CopyIn);
  for (size_t i = 0; i < inside.size(); ++i)
    plan.copy("x", outside[i], inside[i]);
  plan.record(arrived);
  if (!last.empty())
    inside.push_back(plan.parameter(last));
  plan.on(0).wait(arrived);
  plan.launch("product", spec.name, inside, {result}, spec.attrs);
  artifact::KernelT &kernel = *plan.variant().kernels.back();
  for (size_t i = 0; i < inside.size(); ++i)
    kernel.operands[i] = artifact::fromTensorDesc(spec.operands[i]);
  kernel.results[0] = artifact::fromTensorDesc(spec.results[0]);
  for (const PostOp &op : spec.postOps) {
    auto made = std::make_unique<artifact::PostOpT>();
    made->algorithm = op.algorithm;
    made->operand = op.operand;
    kernel.post_ops.push_back(std::move(made));
  }
  plan.record(computed);
  plan.on(0, QueueRole::CopyIn).wait(computed);
  plan.copy("y", result, y);
  return plan;
}

float test::resultOf(Session &session) {
  OneRun one;
  const Status status = one.run(session);
  EXPECT_TRUE(status.isOk()) << status.message();
  return status.isOk() ? one.y : NAN;
}

Status TensorCollector::observe(size_t tensor, const void *data) {
  seen.emplace_back(tensor, *static_cast<const float *>(data));
  return Status::ok();
}

std::string test::errorOfNan() {
  PlanBuilder plan = makeChain("cuda:0", 2, /*last=*/makesNan);
  SessionOptions options;
  options.checkNumerics = true;
  const auto session = load(plan, options);
  OneRun one;
  return std::string(one.run(*session).message());
}

std::vector<uint64_t> test::launchTimes(const Trace &trace) {
  std::vector<uint64_t> times;
  for (const auto &row : trace.rows())
    for (const TraceSpan &span : row->held())
      if (span.category == "launch")
        times.push_back(span.endNs - span.beginNs);
  return times;
}
