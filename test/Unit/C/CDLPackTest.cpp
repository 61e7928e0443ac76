//===- CDLPackTest.cpp - DLPack through the C API ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CModel.h"
#include "weir/C/dlpack.h"
#include "weir/Support/DLPackABI.h"

#include <gtest/gtest.h>
#include <string>

using namespace weir::test;

namespace {

/// A vector of another library, and how often that got it back.
struct Lender {
  Lender() {
    managed.dl_tensor = {values, {kDLCPU, 0}, 1, {kDLFloat, 32, 1},
                         shape,  &stride,     0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor *self) {
      ++static_cast<Lender *>(self->manager_ctx)->numReturns;
    };
  }
  float values[2 * width] = {1, 2, 3, 4, 5, 6, 7, 8};
  int64_t shape[1] = {width};
  int64_t stride = 1;
  int numReturns = 0;
  DLManagedTensor managed = {};
};

// Freeing the handle gives the tensor back.
TEST(CDLPack, BorrowsATensor) {
  Model model;
  Lender lender;
  weir_imported_tensor *tensor = nullptr;
  ASSERT_EQ(weir_import_dlpack(&lender.managed, &tensor), WEIR_OK);
  EXPECT_FALSE(weir_imported_tensor_is_copy(tensor));
  weir_tensor w;
  ASSERT_EQ(weir_imported_tensor_view(tensor, &w), WEIR_OK);
  EXPECT_EQ(w.data, lender.values);
  EXPECT_EQ(weir_session_set_variable(model.session, "w", &w), WEIR_OK);
  EXPECT_EQ(lender.numReturns, 0);
  weir_imported_tensor_free(tensor);
  EXPECT_EQ(lender.numReturns, 1);
}

TEST(CDLPack, CopiesOtherStrides) {
  Lender lender;
  lender.stride = 2;
  weir_imported_tensor *tensor = nullptr;
  ASSERT_EQ(weir_import_dlpack(&lender.managed, &tensor), WEIR_OK);
  EXPECT_EQ(lender.numReturns, 1);
  EXPECT_TRUE(weir_imported_tensor_is_copy(tensor));
  weir_tensor view;
  ASSERT_EQ(weir_imported_tensor_view(tensor, &view), WEIR_OK);
  EXPECT_EQ(static_cast<const float *>(view.data)[3], 7);
  weir_imported_tensor_free(tensor);
  EXPECT_EQ(lender.numReturns, 1);
}

// After an error each side has what it had.
TEST(CDLPack, SaysWhatItRefuses) {
  const Model model;
  Lender lender;
  weir_imported_tensor *tensor = nullptr;
  expectError(weir_import_dlpack(nullptr, &tensor), WEIR_INVALID_ARGUMENT,
              "weir_import_dlpack: managed is null");
  expectError(weir_import_dlpack(&lender.managed, nullptr),
              WEIR_INVALID_ARGUMENT, "weir_import_dlpack: tensor is null");
  expectError(weir_import_dlpack_versioned(nullptr, &tensor),
              WEIR_INVALID_ARGUMENT,
              "weir_import_dlpack_versioned: managed is null");
  lender.managed.dl_tensor.device = {kDLCUDA, 0};
  expectError(weir_import_dlpack(&lender.managed, &tensor),
              WEIR_INVALID_ARGUMENT,
              "weir_import_dlpack: the tensor lies on a device of type 2 "
              "(CUDA), number 0; copy it to the CPU first");
  EXPECT_EQ(lender.numReturns, 0);
  EXPECT_EQ(tensor, nullptr);
  weir_tensor view;
  expectError(weir_imported_tensor_view(nullptr, &view), WEIR_INVALID_ARGUMENT,
              "weir_imported_tensor_view: tensor is null");
  EXPECT_FALSE(weir_imported_tensor_is_copy(nullptr));
  weir_imported_tensor_free(nullptr);

  weir_device_tensor *far = nullptr;
  ASSERT_EQ(weir_entry_allocate_input(model.far, 0, 0, &far), WEIR_OK);
  DLManagedTensor *lent = nullptr;
  expectError(weir_device_tensor_to_dlpack(far, &lent), WEIR_UNIMPLEMENTED,
              "weir_device_tensor_to_dlpack: the tensor lies in the memory of "
              "cpu:1; copy it to the host first");
  expectError(weir_device_tensor_to_dlpack(far, nullptr), WEIR_INVALID_ARGUMENT,
              "weir_device_tensor_to_dlpack: managed is null");
  expectError(weir_device_tensor_to_dlpack(nullptr, &lent),
              WEIR_INVALID_ARGUMENT,
              "weir_device_tensor_to_dlpack: tensor is null");
  EXPECT_EQ(lent, nullptr);
  weir_device_tensor_free(far);
}

TEST(CDLPack, LendsATensor) {
  const Model model;
  weir_device_tensor *y = nullptr;
  ASSERT_EQ(weir_entry_allocate_output(model.step, 0, 0, &y), WEIR_OK);
  DLManagedTensor *lent = nullptr;
  ASSERT_EQ(weir_device_tensor_to_dlpack(y, &lent), WEIR_OK);
  EXPECT_EQ(lent->dl_tensor.ndim, 1);
  EXPECT_EQ(lent->dl_tensor.shape[0], width);
  EXPECT_EQ(static_cast<const float *>(lent->dl_tensor.data)[0], 0);
  lent->deleter(lent);
}

} // namespace
