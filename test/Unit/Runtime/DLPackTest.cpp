//===- DLPackTest.cpp - Tensors from and for other libraries ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/DLPack.h"

#include "SmallPlans.h"
#include "weir/Support/DLPackABI.h"

#include <cstddef>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

using namespace weir;
using namespace weir::test;

namespace {

// Offsets of the published layout on machines of 64 bits.
static_assert(sizeof(DLTensor) == 48 && offsetof(DLTensor, ndim) == 16 &&
              offsetof(DLTensor, dtype) == 20 &&
              offsetof(DLTensor, shape) == 24 &&
              offsetof(DLTensor, strides) == 32 &&
              offsetof(DLTensor, byte_offset) == 40);
static_assert(sizeof(DLManagedTensor) == 64 &&
              offsetof(DLManagedTensor, manager_ctx) == 48 &&
              offsetof(DLManagedTensor, deleter) == 56);
static_assert(sizeof(DLManagedTensorVersioned) == 80 &&
              offsetof(DLManagedTensorVersioned, manager_ctx) == 8 &&
              offsetof(DLManagedTensorVersioned, deleter) == 16 &&
              offsetof(DLManagedTensorVersioned, flags) == 24 &&
              offsetof(DLManagedTensorVersioned, dl_tensor) == 32);

/// A tensor that another library lends: numbers from 0 on, and how often its
/// deleter was called.
template <typename Managed> struct Lender {
  explicit Lender(std::vector<int64_t> dims, std::vector<int64_t> by = {},
                  size_t numElements = 8)
      : shape(std::move(dims)), strides(std::move(by)), values(numElements) {
    std::iota(values.begin(), values.end(), 0.0f);
    if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>)
      managed.version = {1, 0};
    managed.dl_tensor = {values.data(),
                         {kDLCPU, 0},
                         static_cast<int32_t>(shape.size()),
                         {kDLFloat, 32, 1},
                         shape.data(),
                         strides.empty() ? nullptr : strides.data(),
                         0};
    managed.manager_ctx = this;
    managed.deleter = [](Managed *self) {
      ++static_cast<Lender *>(self->manager_ctx)->numReturns;
    };
  }
  std::vector<int64_t> shape, strides;
  Floats values;
  int numReturns = 0;
  Managed managed = {};
};
using Unversioned = Lender<DLManagedTensor>;
using Versioned = Lender<DLManagedTensorVersioned>;

Floats valuesOf(const ImportedTensor &tensor) {
  const ConstTensorView view = tensor.asInput();
  const auto *first = static_cast<const float *>(view.data);
  return {first, first + tensor.desc().numElements()};
}

template <typename T> class DLPack : public testing::Test {};
using Lenders = testing::Types<Unversioned, Versioned>;
TYPED_TEST_SUITE(DLPack, Lenders);

// A row-major tensor stays where it is, and is given back once, by the last of
// those that share it.
TYPED_TEST(DLPack, BorrowsRowMajorTensors) {
  // Dims of size 1 may have any stride.
  TypeParam lender({2, 1, 3}, {3, 77, 1});
  lender.managed.dl_tensor.byte_offset = 2 * sizeof(float);
  {
    auto tensor = fromDLPack(&lender.managed);
    ASSERT_TRUE(tensor.isOk()) << tensor.status().message();
    EXPECT_FALSE(tensor->isCopy());
    EXPECT_EQ(tensor->desc(), TensorDesc::rowMajor(DType::F32, {2, 1, 3}));
    EXPECT_EQ(tensor->asInput().data, &lender.values[2]);
    EXPECT_EQ(valuesOf(*tensor), (Floats{2, 3, 4, 5, 6, 7}));
    const ImportedTensor copy = *tensor, moved = std::move(*tensor);
    EXPECT_EQ(tensor->asInput().data, nullptr);
    EXPECT_EQ(copy.asInput().data, moved.asInput().data);
    EXPECT_EQ(lender.numReturns, 0);
  }
  EXPECT_EQ(lender.numReturns, 1);
}

// Strides of any sign become row-major by a copy, and the lender has its tensor
// back at once.
TYPED_TEST(DLPack, CopiesOtherStrides) {
  const auto import = [](TypeParam lender, size_t first) {
    lender.managed.dl_tensor.data = &lender.values[first];
    lender.managed.dl_tensor.shape = lender.shape.data();
    lender.managed.dl_tensor.strides = lender.strides.data();
    lender.managed.manager_ctx = &lender;
    auto tensor = fromDLPack(&lender.managed);
    EXPECT_TRUE(tensor.isOk()) << tensor.status().message();
    EXPECT_EQ(lender.numReturns, 1);
    EXPECT_TRUE(tensor->isCopy());
    EXPECT_TRUE(tensor->desc().isRowMajor());
    return valuesOf(*tensor);
  };
  EXPECT_EQ(import(TypeParam({2, 3}, {1, 2}), 0), (Floats{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(import(TypeParam({4}, {-2}), 7), (Floats{7, 5, 3, 1}));
  EXPECT_EQ(import(TypeParam({2, 2}, {0, 1}), 3), (Floats{3, 4, 3, 4}));
}

// So does an address at which no float may lie.
TEST(DLPackImport, CopiesMisalignedTensors) {
  Versioned lender({1}, {}, 2);
  const float number = 1;
  std::memcpy(reinterpret_cast<char *>(lender.values.data()) + 1, &number,
              sizeof(float));
  lender.managed.dl_tensor.byte_offset = 1;
  auto tensor = fromDLPack(&lender.managed);
  ASSERT_TRUE(tensor.isOk());
  EXPECT_TRUE(tensor->isCopy());
  EXPECT_EQ(valuesOf(*tensor), Floats{1});
}

TEST(DLPackImport, TakesScalarsAndNothing) {
  Unversioned scalar({}), empty({2, 0});
  scalar.managed.dl_tensor.shape = nullptr;
  empty.managed.dl_tensor.data = nullptr;
  // A lender may have nothing to do.
  empty.managed.deleter = nullptr;
  auto number = fromDLPack(&scalar.managed);
  ASSERT_TRUE(number.isOk());
  EXPECT_EQ(valuesOf(*number), Floats{0});
  auto none = fromDLPack(&empty.managed);
  ASSERT_TRUE(none.isOk());
  EXPECT_EQ(none->desc().toString(), "2x0xf32");
  EXPECT_EQ(none->asInput().bytes, 0u);
}

// An imported tensor is an input of a run and a value for a variable.
TEST(DLPackImport, IsAnInputOfRuns) {
  PlanBuilder plan = diamond(false);
  auto session = load(plan);
  Versioned lender({4});
  auto x = fromDLPack(&lender.managed);
  ASSERT_TRUE(x.isOk());
  Floats results(4);
  auto y = view(results, {4});
  const ConstTensorView inputs[] = {x->asInput()};
  const TensorView outputs[] = {*y};
  ASSERT_TRUE(session->run(inputs, outputs).isOk());
  EXPECT_EQ(results, (Floats{0, 5, 10, 15}));
}

/// A change to a valid tensor, and what is then said of it.
struct WrongLoan {
  std::function<void(Versioned &lender)> change;
  std::string message;
};

// What is refused still belongs to its lender.
TEST(DLPackImport, RefusesWhatWeirLacks) {
  const auto types = [](int code, int bits, int lanes) {
    return WrongLoan{
        [=](Versioned &lender) {
          lender.managed.dl_tensor.dtype = {static_cast<uint8_t>(code),
                                            static_cast<uint8_t>(bits),
                                            static_cast<uint16_t>(lanes)};
        },
        "type code " + std::to_string(code) + ", " + std::to_string(bits) +
            " bits and " + std::to_string(lanes) + " lanes"};
  };
  const WrongLoan cases[] = {
      types(kDLFloat, 32, 4),
      types(kDLFloat, 32, 0),
      types(kDLFloat, 8, 1),
      types(5, 64, 1),
      types(200, 8, 1),
      {[](Versioned &lender) {
         lender.managed.dl_tensor.device = {kDLCUDA, 1};
       },
       "the tensor lies on a device of type 2 (CUDA), number 1; copy it to the "
       "CPU first"},
      {[](Versioned &lender) { lender.managed.version.major = 2; },
       "the tensor is of DLPack 2.0; expected version 1"},
      {[](Versioned &lender) { lender.managed.dl_tensor.ndim = -1; },
       "the tensor has -1 dims; expected 0 to 16"},
      {[](Versioned &lender) { lender.managed.dl_tensor.ndim = 17; },
       "the tensor has 17 dims; expected 0 to 16"},
      {[](Versioned &lender) { lender.managed.dl_tensor.shape = nullptr; },
       "the shape of the tensor is null"},
      {[](Versioned &lender) { lender.managed.dl_tensor.data = nullptr; },
       "the data of the tensor is null"},
      {[](Versioned &lender) { lender.shape[0] = -2; },
       "the shape [-2,4] has a negative dim"},
      {[](Versioned &lender) { lender.shape[0] = INT64_MAX; },
       "is larger than"},
      {[](Versioned &lender) { lender.strides[0] = INT64_MIN; },
       "reaches over more than"},
      {[](Versioned &lender) {
         lender.strides = {int64_t{1} << 45, 1};
       },
       "reaches over more than"},
  };
  for (const WrongLoan &wrong : cases) {
    Versioned lender({2, 4}, {4, 1});
    wrong.change(lender);
    lender.managed.dl_tensor.strides = lender.strides.data();
    const Status status = fromDLPack(&lender.managed).status();
    EXPECT_NE(std::string(status.message()).find(wrong.message),
              std::string::npos)
        << status.message();
    EXPECT_EQ(lender.numReturns, 0);
  }
  EXPECT_EQ(fromDLPack(static_cast<DLManagedTensor *>(nullptr)).status().code(),
            StatusCode::InvalidArgument);
}

// The element types are told apart both ways.
TEST(DLPackExport, HasAllElementTypes) {
  for (int number = 0; number < numDTypes; ++number) {
    const auto type = static_cast<DType>(number);
    HostTensor tensor = *HostTensor::zeros(type, {2, 3});
    const void *data = tensor.data();
    auto lent = toDLPackVersioned(std::move(tensor));
    ASSERT_TRUE(lent.isOk()) << lent.status().message();
    EXPECT_EQ((*lent)->dl_tensor.data, data);
    EXPECT_EQ((*lent)->dl_tensor.dtype.bits, 8 * byteSize(type));
    EXPECT_EQ((*lent)->version.major, 1u);
    EXPECT_EQ((*lent)->flags, 0u);
    auto back = fromDLPack(*lent);
    ASSERT_TRUE(back.isOk()) << back.status().message();
    EXPECT_EQ(back->desc(), TensorDesc::rowMajor(type, {2, 3}));
    EXPECT_EQ(back->asInput().data, data);
  }
}

// The result of a run outlives its session as a tensor of another library.
TEST(DLPackExport, LendsResultsWithoutACopy) {
  PlanBuilder plan = diamond(false);
  auto session = load(plan);
  const float numbers[] = {1, 2, 3, 4};
  const HostTensor x = *HostTensor::of<float>(DType::F32, {4}, numbers);
  auto results = session->run({&x, 1});
  ASSERT_TRUE(results.isOk()) << results.status().message();
  session.reset();
  const void *data = results->front().data();
  auto lent = toDLPack(std::move(results->front()));
  ASSERT_TRUE(lent.isOk());
  const DLTensor &tensor = (*lent)->dl_tensor;
  EXPECT_EQ(tensor.data, data);
  EXPECT_EQ(tensor.device.device_type, kDLCPU);
  EXPECT_EQ(tensor.ndim, 1);
  EXPECT_EQ(tensor.shape[0], 4);
  EXPECT_EQ(tensor.strides[0], 1);
  EXPECT_EQ(static_cast<const float *>(tensor.data)[3], 20);
  (*lent)->deleter(*lent);
  // It was moved away.
  EXPECT_EQ(toDLPack(std::move(results->front())).status().message(),
            "the tensor has no memory, since it was moved to another one; pass "
            "that one");
}

// A tensor of the host that a session allocated is lent, one of a device is
// not.
TEST(DLPackExport, LendsWhatLiesInTheHostsMemory) {
  PlanBuilder plan;
  const uint16_t far = plan.device("test:0", /*isolated=*/true);
  const uint32_t x = plan.hostInput("x", 4), y = plan.output("y", 4, far);
  const uint32_t there = plan.scratch(4, far);
  plan.on(far).copy("x", x, there);
  plan.launch("y", "affine", {there}, {y}, affine(2));
  auto session = load(plan);
  auto near = session->allocate(session->inputs()[0]);
  auto away = session->allocate(session->outputs()[0]);
  ASSERT_TRUE(near.isOk() && away.isOk());
  const void *data = near->asInput().data;
  auto lent = toDLPackVersioned(std::move(*near));
  ASSERT_TRUE(lent.isOk()) << lent.status().message();
  EXPECT_EQ((*lent)->dl_tensor.data, data);
  (*lent)->deleter(*lent);
  EXPECT_EQ(toDLPack(std::move(*away)).status().message(),
            "the tensor lies in the memory of test:0; copy it to the host "
            "first");
  EXPECT_NE(away->asInput().data, nullptr);
}

} // namespace
