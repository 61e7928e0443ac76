// RUN: graph-opt %s --split-input-file --verify-diagnostics

// A launch says of static tensors what it reads, writes and copies.

func.func @post_op(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{has a post-op that reads none of its 1 operands: #weir.post_op<algorithm = "binary_add", alpha = 0.000000e+00 : f64, beta = 0.000000e+00 : f64, operand = 1>}}
  %y = weir.launch "eltwise"(%x) {} then [#weir.post_op<algorithm = "binary_add", alpha = 0.0, beta = 0.0, operand = 1>] : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @no_post_op(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{has a post-op that reads none of its 1 operands: 7}}
  %y = weir.launch "eltwise"(%x) {} then [7] : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @no_copy(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects copies, found "all"}}
  %y = weir.launch "reorder"(%x) {} copies ["all"] : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @operand(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects copies between its 1 operands and 1 results, found #weir.element_copy<operand = 1,}}
  %y = weir.launch "reorder"(%x) {} copies [#weir.element_copy<operand = 1, result = 0, dims = [2], from_offset = 0, from_strides = [1], to_offset = 0, to_strides = [1]>] : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @result(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects copies between its 1 operands and 1 results, found #weir.element_copy<operand = 0, result = -1,}}
  %y = weir.launch "reorder"(%x) {} copies [#weir.element_copy<operand = 0, result = -1, dims = [2], from_offset = 0, from_strides = [1], to_offset = 0, to_strides = [1]>] : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// One stride for two dims.
func.func @strides(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects copies of elements inside of 'tensor<2xf32>' and 'tensor<2xf32>', found}}
  %y = weir.launch "reorder"(%x) {} copies [#weir.element_copy<operand = 0, result = 0, dims = [2, 1], from_offset = 0, from_strides = [1], to_offset = 0, to_strides = [1, 1]>] : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// One element behind the operand.
func.func @behind(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects copies of elements inside of}}
  %y = weir.launch "reorder"(%x) {} copies [#weir.element_copy<operand = 0, result = 0, dims = [2], from_offset = 1, from_strides = [1], to_offset = 0, to_strides = [1]>] : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// Numbers whose product overflows.
func.func @overflow(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects copies of elements inside of}}
  %y = weir.launch "reorder"(%x) {} copies [#weir.element_copy<operand = 0, result = 0, dims = [281474976710656], from_offset = 0, from_strides = [9223372036854775807], to_offset = 0, to_strides = [0]>] : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @unsized(%x: tensor<?xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects tensors of static shape, found 'tensor<?xf32>'}}
  %y = weir.launch "eltwise"(%x) {} : (tensor<?xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @nothing(%x: tensor<2xf32>) {
  // expected-error@below {{expects a result}}
  weir.launch "eltwise"(%x) {} : (tensor<2xf32>) -> ()
  return
}

// -----

func.func @flops(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects flops from 0 up, found -2}}
  %y = weir.launch "eltwise"(%x) {} : (tensor<2xf32>) -> tensor<2xf32> flops -2
  return %y : tensor<2xf32>
}

// -----

func.func @copied_flops(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects no flops, since it copies elements, found 2}}
  %y = weir.launch "reorder"(%x) {} copies [#weir.element_copy<operand = 0, result = 0, dims = [2], from_offset = 0, from_strides = [1], to_offset = 0, to_strides = [1]>] : (tensor<2xf32>) -> tensor<2xf32> flops 2
  return %y : tensor<2xf32>
}

// -----

func.func @overwrite_count(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects a number for each of its 1 operands in 'overwritten_by', found 2}}
  %y = weir.launch "eltwise"(%x) {} overwritten_by [0, 0] : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @overwrite_number(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects -1 or one of its 1 results in 'overwritten_by', found 1}}
  %y = weir.launch "eltwise"(%x) {} overwritten_by [1] : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @overwrite_type(%x: tensor<2xf32>) -> tensor<1x2xf32> {
  // expected-error@below {{expects that a result overwrites an operand of its type, found 'tensor<1x2xf32>' over 'tensor<2xf32>'}}
  %y = weir.launch "eltwise"(%x) {} overwritten_by [0] : (tensor<2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// -----

func.func @overwrite_copies(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects no 'overwritten_by', since it copies elements}}
  %y = weir.launch "reorder"(%x) {} copies [#weir.element_copy<operand = 0, result = 0, dims = [2], from_offset = 0, from_strides = [1], to_offset = 0, to_strides = [1]>] overwritten_by [0] : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
