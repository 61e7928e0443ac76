// An error about the text says what was found, what was expected, and what to
// do, in the words of a graph. graph-compile reads text in the same way.
// RUN: graph-opt %s --split-input-file --verify-diagnostics

// A value that is not defined.
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{'%z' is not defined; define it above, or correct the name}}
  %y = weir.relu %z : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// An operand whose type is written differently.
// expected-note@below {{its type is given here}}
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x5xf32> {
  // expected-error@below {{'%x' is a 'tensor<2x4xf32>', but 'tensor<2x5xf32>' is written here; make them equal}}
  %y = weir.relu %x : tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-note@below {{the first one is here}}
  %y = weir.relu %x : tensor<2x4xf32>
  // expected-error@below {{'%y' is defined twice; give one of the two another name}}
  %y = weir.exp %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// expected-note@below {{the first one is here}}
func.func @main(%x: tensor<2xf32>,
                // expected-error@below {{two arguments are called '%x'; give one of them another name}}
                %x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected ':' and types, as in '%y = weir.relu %x : tensor<2x3xf32>', found 'tensor<2xf32>'}}
  %y = weir.relu %x tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected a device in quotes, found 'cpu:0'; write "cpu:0"}}
  %y = weir.relu %x on cpu:0 : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected an element type, found 'f33'; there are f32, f16, bf16, f64, i8, ui8, i16}}
  %y = weir.relu %x : tensor<2xf33>
  return %y : tensor<2xf32>
}

// -----

// expected-error@below {{expected the name of an argument, which begins with '%', as in %x: tensor<2x3xf32>, found 'x'}}
func.func @main(x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error@below {{expected a type, found '-2xf32'; a dim is a number from 0 up, or '?' if it is not known}}
func.func @main(%x: tensor<-2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error@below {{expected an 'x' behind each dim and an element type at the end, as in tensor<2x3xf32>, found ','}}
func.func @main(%x: tensor<2,f32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error@below {{expected a dim of at most 2^47, found '99999999999999999999'}}
func.func @main(%x: tensor<99999999999999999999xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{there is no op 'arith.addff'; did you mean 'weir.add'? (what later phases print is for graph-opt)}}
  %y = arith.addff %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{there is no op 'relu'; did you mean 'weir.relu'?}}
  %y = relu %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2x2xf32> {
  // expected-error@below {{there is no op 'weir.Dense'; did you mean 'weir.linear'?}}
  %y = weir.Dense %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{there is no op 'weir.fourier_transform'; Ops.md (in build/docs, or share/doc/weir/docs of an installation) lists the ops}}
  %y = weir.fourier_transform %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{there is no op 'y'; a result's name begins with '%', as in '%y = ...'}}
  y = weir.relu %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{2 names stand in front of the '=', but the number of results is 1}}
  %y, %z = weir.relu %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected operands without brackets, as in 'weir.relu %x', found '('}}
  %y = weir.relu(%x) : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
// expected-error@below {{expected an op, found '}', which closes nothing; remove it}}
} }

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{declare parameters outside of functions}}
  weir.parameter @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
  return %x : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  // expected-error@below {{attribute 'pads' expects numbers from 0 on, found [-1, 0, 0, 0]}}
  %y = weir.max_pool %x {kernel_shape = [1, 1], pads = [-1, 0, 0, 0]} : tensor<1x1x4x4xf32>
  return %y : tensor<1x1x4x4xf32>
}

// -----

func.func @main(%x: tensor<2xf8E4M3FN>) -> tensor<2xf8E4M3FN> {
  // expected-error@below {{operand 0 expects an element type of Weir (f32, f16, bf16, f64, i8, ui8, i16, i32, i64, i1, ui16, ui32, ui64), found f8E4M3FN}}
  %y = weir.relu %x : tensor<2xf8E4M3FN>
  return %y : tensor<2xf8E4M3FN>
}

// -----

// expected-error@below {{unexpected '#'; a comment begins with '//'}}
# A comment of another language.
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-note@below {{the other one is here}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
// expected-error@below {{there are two '@main'; give one of the two another name}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error@below {{expected a name that begins with '@', as in @main, found 'main'}}
func.func main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{attribute 'axis' expects an integer, found 1.5}}
  %y = weir.softmax %x {axis = 1.5} : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{attribute 'axes' expects a list of integers such as [0, 1], found [1.0]}}
  %y = weir.reduce_sum %x {axes = [1.0]} : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{attribute 'axis' is given twice; give it once}}
  %y = weir.softmax %x {axis = 1, axis = 0} : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{expected a float with a point, as in 1.0e-3, found '1e-3'}}
  %y = weir.leaky_relu %x {alpha = 1e-3} : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{expected ':' and types, found 'on'; a device stands in front of the attributes}}
  %y = weir.softmax %x {axis = 1} on "cpu:0" : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{the number of operands is 2, but that of the types behind the ':' is 1; give each operand its type}}
  %y = weir.add %x, %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{expected 'return %y : TYPE' at the end of a function, or 'weir.yield %y : TYPE' at the end of a group}}
  %y = weir.relu %x : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{the number of values returned is 0, but the function is declared with 1; make them equal}}
  return
}

// -----

func.func @main(%x: tensor<2x4xf32>) -> tensor<2x5xf32> {
  // expected-error@below {{a 'tensor<2x4xf32>' is returned, but the function is declared with 'tensor<2x5xf32>'; make them equal}}
  return %x : tensor<2x4xf32>
}

// -----

// expected-error@below {{the elements have the shape [2], but the type has [3]; make them equal}}
weir.parameter @w : tensor<3xf32> = dense<[1.0, 2.0]> : tensor<3xf32>

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected a float with a point, as in 1.0e-3, found '1e-3'}}
  %c = weir.constant dense<1e-3> : tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

func.func @main() -> tensor<2xi4> {
  // expected-error@below {{expects an element type of Weir (f32, f16, bf16, f64, i8, ui8, i16, i32, i64, i1, ui16, ui32, ui64), found 'tensor<2xi4>'}}
  %c = weir.constant dense<[1, 2]> : tensor<2xi4>
  return %c : tensor<2xi4>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected a value, which begins with '%', as in %x, found 'x'}}
  %y = weir.relu x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected attributes in braces, as in {axis = 1}, found 'axis'}}
  %y = weir.softmax %x axis = 0 : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{a device stands in front of the ':'}}
  %y = weir.relu %x : tensor<2xf32> on "cpu:0"
  return %y : tensor<2xf32>
}

// -----

// expected-error@below {{expected '->' and the types of the results, found ':'}}
func.func @main(%x: tensor<2xf32>) : tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// The place is that of the comment, not the end of the line before.
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected an op, found '/*'; a comment begins with '//'}}
  /* first */
  return %x : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected '"' at the end of a text, which ends with its line}}
  %y = weir.relu %x on "cpu:0 : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected '=' behind the name of a result, found 'st'; a name that begins with a digit is a number, as in %1}}
  %1st = weir.relu %x : tensor<2xf32>
  return %x : tensor<2xf32>
}

// -----

// One error, not two.
func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@below {{the result of 'weir.relu' is a 'tensor<2xf32>', but 'tensor<3xf32>' is written behind the '->'; make them equal, or leave it out}}
  %y = weir.relu %x : tensor<2xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<f32> {
  // expected-error@below {{expected a value such as 1, 0.5, true, "sum", [0, 1] or f32, found 'False'; write false}}
  %y = weir.reduce_sum %x {keepdims = False} : tensor<2xf32>
  return %y : tensor<f32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf16> {
  // expected-error@below {{expected a value such as 1, 0.5, true, "sum", [0, 1] or f32, found 'float16'}}
  %y = weir.cast %x {to = float16} : tensor<2xf32>
  return %y : tensor<2xf16>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xbf16> {
  // expected-error@below {{attribute 'to' expects an element type without quotes (f32, f16, bf16, f64, i8, ui8, i16, i32, i64, i1, ui16, ui32, ui64), found "bf16"}}
  %y = weir.cast %x {to = "bf16"} : tensor<2xf32>
  return %y : tensor<2xbf16>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xi128> {
  // expected-error@below {{attribute 'to' expects an element type of Weir (f32, f16, bf16, }}
  %y = weir.cast %x {to = i128} : tensor<2xf32>
  return %y : tensor<2xi128>
}

// -----

func.func @main(%x: tensor<2x8xf32>) -> tensor<8x2xf32> {
  // expected-error@below {{expected a value, found '('; a list is written in brackets, as in [0, 1]}}
  %y = weir.transpose %x {perm = (1, 0)} : tensor<2x8xf32>
  return %y : tensor<8x2xf32>
}

// -----

func.func @main(%x: tensor<2x8xf32>) -> tensor<8x2xf32> {
  // expected-error@below {{'weir.transpose' requires attribute 'perm'; give it in braces, as in {perm = ...}; Ops.md (in build/docs, or share/doc/weir/docs of an installation) describes it}}
  %y = weir.transpose %x : tensor<2x8xf32>
  return %y : tensor<8x2xf32>
}

// -----

// The value of an attribute may contain braces, and another attribute may be in
// front of it.
weir.parameter @w : tensor<f32> = dense<1.0> : tensor<f32>
func.func @main() -> tensor<f32> {
  %w = weir.read @w : tensor<f32>
  // expected-error@below {{attribute 'groups' expects a list of names and values in braces, as in [{...}, {...}], found {frozen = true}}}
  weir.minimize %w {optimizer = {name = "sgd", rate = 0.1}, groups = {frozen = true}} : tensor<f32>
  return %w : tensor<f32>
}

// -----

// The error says no more than the value.
// expected-error@below {{attribute 'offset' expects an integer from 0 up, found -4}}
weir.parameter @w : tensor<8xf32> from "w.bin" offset -4

// -----

// expected-error@below {{the lists of elements differ in length or depth; give each row as many elements as the others}}
weir.parameter @w : tensor<2x2xf32> = dense<[[1.0, 2.0], [3.0]]> : tensor<2x2xf32>

// -----

// expected-error@below {{found 5 bytes behind '0x', which are not those of a 'tensor<8xf32>'; give those of all elements, or of one for all}}
weir.parameter @w : tensor<8xf32> = dense<"0x0000803F00"> : tensor<8xf32>

// -----

// expected-error@below {{expected a number that the element type has, found '300'; correct it, or take a wider type}}
weir.parameter @w : tensor<8xui8> = dense<300> : tensor<8xui8>

// -----

// expected-error@below {{expected dims and an element type, as in tensor<2x3xf32>, found 'batchx8xf32'; a dim is a number, or '?' if it is not known}}
func.func @main(%x: tensor<batchx8xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{there is no op 'for'; a graph has no control flow: write the ops one after the other}}
  %y = for %i = 0 to 3 { }
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{calls 'g', and no function of the file has this name}}
  %y = call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{reads 'z', which another function defines; define it in this one, or correct the name}}
  %y = weir.relu %z : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  %z = weir.relu %x : tensor<2xf32>
  return %z : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32>
  %y = weir.relu %x : tensor<2xf32>
  // expected-error@below {{'return' stands outside of a function; its ops stand in braces, so write '{' behind the types of its results}}
  return %y : tensor<2xf32>

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected the next op, found '{'; attributes of an op stand in front of its ':'}}
  %y = weir.leaky_relu %x : tensor<2xf32> {alpha = 0.1}
  return %y : tensor<2xf32>
}

// -----

func.func private @net(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{calls 'net' as '(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>', but it is '(tensor<2xf32>) -> tensor<2xf32>'; make them equal}}
  %y = call @net(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func private @net(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{; make them equal: a dim is open (?) in both functions, and --shape sets it}}
  %y = call @net(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
  // expected-error@below {{dim 1 of operand 0 (1x8x8x3) is 8, expected 6, because 'g' is 2 by an attribute and 'c' is 3 by operand 1 (4x3x3x3)}}
  %y = weir.conv %x, %w {groups = 2} : tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>
  return %y : tensor<1x4x6x6xf32>
}

// -----

// expected-error@below {{expected several results in brackets, as in -> (tensor<2x3xf32>, tensor<2x3xf32>), found ','}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32> {
  return %x, %x : tensor<2xf32>, tensor<2xf32>
}

// -----

// expected-error@below {{expected ':' and a type behind an argument, as in %x: tensor<2x3xf32>, found ')'}}
func.func @main(%x) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{found '%x'; operands stand in front of the device}}
  %y = weir.relu on "cpu:0" %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{unexpected single quote; a text is in double quotes}}
  %y = weir.relu %x on 'cpu:0' : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main() -> tensor<2xf32> {
  // expected-error@below {{expected elements, such as dense<1.0>, found '[}}
  %y = weir.constant [1.0, 2.0] : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main() -> tensor<2xf32> {
  // expected-error@below {{a number is no tensor; write dense<1.0> for one with that number in all elements}}
  %y = weir.constant 1.0 : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main() -> tensor<2xf32> {
  // expected-error@below {{expected a parameter, such as @w, found '%w'}}
  %y = weir.read %w : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{the op has no result; remove the name and the '='}}
  %y = weir.assign @w, %x : tensor<2xf32>
  return %x : tensor<2xf32>
}

// -----

// expected-error@below {{expected a file in quotes, such as "net.safetensors", found 'w.safetensors'}}
weir.parameter @w : tensor<8xf32> from w.safetensors

// -----

// expected-error@below {{expected an initialiser, such as {name = "he_normal"}, found '"normal"'}}
weir.parameter @w : tensor<8xf32> initial "normal"

// -----

// expected-error@below {{the form is uniform <seed = 1, low = -0.1, high = 0.1>}}
weir.parameter @w : tensor<8xf32> uniform(1, -1.0, 1.0)

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected a name in quotes, found 'fc'; write loc("fc")}}
  %y = weir.relu %x : tensor<2xf32> loc(fc)
  return %y : tensor<2xf32>
}

// -----

// expected-error@below {{expected a number of at most 3.40282E+38, the largest f32, found '1.0e400'; an infinity is written as its bits, 0x7F800000}}
weir.parameter @w : tensor<2xf32> = dense<1.0e400> : tensor<2xf32>

// -----

func.func @main() -> tensor<2xf16> {
  // expected-error@below {{at most 65504, the largest f16, found '1.0e+06'; an infinity is written as its bits, 0xFC00}}
  %y = weir.constant dense<[1.0, -1.0e+06]> : tensor<2xf16>
  return %y : tensor<2xf16>
}

// -----

func.func @main(%x: tensor<2xf16>) -> tensor<2xf16> {
  // expected-error@below {{expected a number of at most 1.79769E+308, the largest f64, found '1.0e400'; an infinity is written as its bits, 0x7FF0000000000000 : f64}}
  %y = weir.clip %x {max = 1.0e400} : tensor<2xf16>
  return %y : tensor<2xf16>
}

// -----

// Infinities that are meant, and the largest numbers.
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf16>, tensor<2xf32>) {
  %a = weir.constant dense<[0x7F800000, 3.40282347E+38]> : tensor<2xf32>
  %b = weir.constant dense<[0xFC00, 65504.0]> : tensor<2xf16>
  %c = weir.clip %x {max = 0x7FF0000000000000 : f64} : tensor<2xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf16>, tensor<2xf32>
}

// -----

// expected-error@below {{expected '->' and the types of the results, found '='}}
func.func @main(%x: tensor<2xf32>) => tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected '->' in front of the types of results, found '='}}
  %y = weir.relu %x : tensor<2xf32> => tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected ':' and types, as in '%y = weir.relu %x : tensor<2x3xf32>', found '='}}
  %y = weir.relu %x => tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// expected-note@below {{its type is given here}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected the types of the operands alone behind the ':', without brackets and '->', found '(tensor<2xf32>) -> tensor<2xf32>'}}
  %y = weir.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected an op, found '#done'; a comment begins with '//'}}
  return %x : tensor<2xf32> #done
}

// -----

// expected-error@below {{a word with a '#' in front names an attribute and needs a '=', found 'of'; a comment begins with '//'}}
#comment of another language
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected the number of results, as in %y:2, found 'tensor<2xf32>'; types stand behind the ':' at the end of an op}}
  %y: tensor<2xf32> = weir.relu %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) {
  // expected-error@below {{the number of values returned is 1, but the function is declared with 0; write '->' and their types behind the arguments}}
  return %x : tensor<2xf32>
}

// -----

// expected-error@below {{expected the element type behind the dims, as in tensor<2x3xf32>, found 'f32x10'}}
func.func @main(%x: tensor<f32x10>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// The argument of a later function is no value here.
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{'%x' is not defined; define it above, or correct the name: the argument of another function is not seen}}
  return %x : tensor<2xf32>
}
func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error@below {{expected the name of an argument in front of its type, as in %x: tensor<2xf32>, found '%x'}}
func.func @main(tensor<2xf32> %x) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

func.func @main(%a: tensor<2xf32>,
                // expected-error@below {{expected the name of an argument in front of its type, as in %x: tensor<2x3xf32>, found 'tensor<2xf32>'}}
                tensor<2xf32> %x) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

func.func @main(%a: tensor<2xf32>,
                // expected-error@below {{expected the name of an argument, which begins with '%', as in %y: tensor<2x3xf32>, found 'y'}}
                y: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}

// -----

// expected-error@below {{expected a type such as tensor<2x3xf32>, found '%y'; a result has its name behind its type, as in {weir.name = "y"}}}
func.func @main(%x: tensor<2xf32>) -> (%y: tensor<2xf32>) {
  return %x : tensor<2xf32>
}

// -----

// expected-error@below {{expected ':' and the type of the parameter, as in @w : tensor<2x3xf32>, found '='}}
weir.parameter @w = dense<1.0> : tensor<2xf32>

// -----

// expected-error@below {{expected ':' and the type of the elements, as in dense<1.0> : tensor<2x3xf32>, found the end of the text}}
weir.parameter @w : tensor<2xf32> = dense<1.0>

// -----

func.func @main() -> tensor<2xf32> {
  // expected-error@below {{expected ':' and the type of the elements, as in dense<1.0> : tensor<2x3xf32>, found 'return'}}
  %c = weir.constant dense<[1.0, 2.0]>
  return %c : tensor<2xf32>
}

// -----

func.func @main() -> tensor<2xf32> {
  // expected-error@below {{a number is no tensor; write dense<5.0> for one with that number in all elements}}
  %c = weir.constant 5 : tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// expected-error@below {{expected elements, such as dense<1.0> : tensor<2xf32>, found '0.5'}}
weir.parameter @w : tensor<2xf32> = 0.5

// -----

// expected-error@below {{expected elements, such as dense<1.0> : tensor<2xf32>, found 'random'; without the '=', uniform <seed = 1, low = -0.1, high = 0.1> or initial {name = "he_normal"} makes random ones}}
weir.parameter @w : tensor<2xf32> = random {low = -0.1}

// -----

// expected-error@below {{expected from "FILE", = dense<1.0> : TYPE, uniform <seed = 1, low = -0.1, high = 0.1> or initial {name = "he_normal"} behind the type of a parameter, found 'random'}}
weir.parameter @w : tensor<2xf32> random {low = -0.1}

// -----

func.func @main(%x: tensor<2x4xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected ',' or '}' behind an attribute, found 'keepdims'}}
  %y = weir.reduce_sum %x {axes = [1] keepdims = false} : tensor<2x4xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error@below {{expected '=' behind the name of an attribute, as in axis = 1, found ':'}}
  %y = weir.softmax %x {axis: 1} : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x4xf32>) -> tensor<2x1xf32> {
  // expected-error@below {{attribute 'axes' expects a list of integers such as [0, 1], found 1; a list is in brackets: [1, ...]}}
  %y = weir.reduce_sum %x {axes = 1} : tensor<2x4xf32>
  return %y : tensor<2x1xf32>
}

// -----

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@below {{attribute 'parameters' expects a list of texts such as ["*.weight"], found "w1"; write ["w1"]}}
  weir.minimize %x {optimizer = {name = "sgd", rate = 0.1}, parameters = "w1"} : tensor<f32>
  return %x : tensor<f32>
}

// -----

func.func @main(%x: tensor<f32>) -> tensor<2xf32> {
  // expected-error@below {{expected a value, which begins with '%', found '@w'; a parameter is read first, as in '%w = weir.read @w : tensor<2x3xf32>'}}
  %dw = weir.gradient %x of @w : tensor<f32> of tensor<2xf32>
  return %dw : tensor<2xf32>
}

// -----

// A number of operands comes before their types.
func.func @main(%x: tensor<2xf32>, %i: tensor<2xi64>) -> tensor<2xf32> {
  // expected-error@below {{'weir.exp' op expects at most 1 operands, found 2}}
  %y = weir.exp %x, %i : tensor<2xf32>, tensor<2xi64>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected the types of a call's operands in brackets, and those of its results behind a '->', as in (tensor<2x3xf32>) -> tensor<2x3xf32>, found 'tensor<2xf32>'}}
  %y = func.call @net(%x) : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected '->' and the types of the results behind those of the operands, found 'return', as in (tensor<2x3xf32>) -> tensor<2x3xf32>}}
  %y = func.call @net(%x) : (tensor<2xf32>)
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected ':' and the types of the call, as in 'func.call @net(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>', found 'return'}}
  %y = func.call @net(%x)
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected a function, such as @net, found 'net'}}
  %y = func.call net(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expected the operands of a call in brackets, as in func.call @net(%x), found '%x'}}
  %y = func.call @net %x : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{found 'on'; a call has no device: place the ops of the function that it calls}}
  %y = func.call @net(%x) on "cpu:0" : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// Operands of a loss that another loss takes, or that were exchanged.
func.func @main(%x: tensor<8x3xf32>, %t: tensor<8xi64>) -> tensor<8xf32> {
  // expected-error@below {{'weir.sparse_softmax_cross_entropy' op operand 0 expects a float element type, found i64; exchange the operands}}
  %y = weir.sparse_softmax_cross_entropy %t, %x : tensor<8xi64>, tensor<8x3xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8x3xf32>, %t: tensor<8x3xf32>) -> tensor<8xf32> {
  // expected-error@below {{operand 1 expects an integer element type, found f32; weir.softmax_cross_entropy takes these operands}}
  %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<8x3xf32>, tensor<8x3xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8x3xf32>, %t: tensor<8x3xi64>) -> tensor<8xf32> {
  // expected-error@below {{; weir.softmax_cross_entropy takes them if operand 1 is converted to the element type of operand 0}}
  %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<8x3xf32>, tensor<8x3xi64>
  return %y : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8x3xf32>, %t: tensor<8xi64>) -> tensor<8xf32> {
  // expected-error@below {{operand 1 expects a float element type, found i64; weir.sparse_softmax_cross_entropy takes these operands}}
  %y = weir.softmax_cross_entropy %x, %t : tensor<8x3xf32>, tensor<8xi64>
  return %y : tensor<8xf32>
}

// -----

// Labels in a column, where the number of rows is not known yet.
func.func @main(%x: tensor<?x3xf32>, %t: tensor<?x1xi64>) -> tensor<?xf32> {
  // expected-error@below {{found 'tensor<?x1xi64>'; reshape operand 1 with weir.reshape {shape = [-1]}}}
  %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<?x3xf32>, tensor<?x1xi64>
  return %y : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<8x3xf32>, %t: tensor<8x3xi64>) -> tensor<f32> {
  // expected-error@below {{if these are one-hot labels, weir.arg_max {axis = -1, keepdims = false} makes them numbers of classes}}
  %y = weir.accuracy %x, %t : tensor<8x3xf32>, tensor<8x3xi64>
  return %y : tensor<f32>
}

// -----

// The error is about the labels, and not about the result that they would give
// if they were broadcast.
func.func @main(%x: tensor<8x3xf32>, %t: tensor<8x1xi64>) -> tensor<8xf32> {
  // expected-error@below {{expects operand 1 of 8, a target for each row of operand 0, found 'tensor<8x1xi64>'; reshape operand 1 with weir.reshape {shape = [8]}}}
  %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<8x3xf32>, tensor<8x1xi64>
  return %y : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<4x4xf32>, %t: tensor<4xi64>) -> tensor<4xf32> {
  // expected-error@below {{; weir.sparse_softmax_cross_entropy takes these operands}}
  %y = weir.softmax_cross_entropy %x, %t : tensor<4x4xf32>, tensor<4xi64>
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4x4xf32>, %t: tensor<4x4xi64>) -> tensor<4xf32> {
  // expected-error@below {{expects operand 1 of 4, a target for each row of operand 0, found 'tensor<4x4xi64>'; weir.softmax_cross_entropy takes them if operand 1 is converted to the element type of operand 0}}
  %y = weir.sparse_softmax_cross_entropy %x, %t : tensor<4x4xf32>, tensor<4x4xi64>
  return %y : tensor<4xf32>
}

// -----

// A device is behind the word 'on'.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{expected 'on' in front of a device, found '@'; write on "cpu:1"}}
  %y = weir.relu %x @ "cpu:1" : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{expected a device in quotes, found 'device'; write "cpu:1"}}
  %y = weir.relu %x on device("cpu:1") : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error@below {{the attributes of arguments and results begin with 'weir.', such as weir.name and weir.space; write the one that is meant}}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error@below {{expected the name of a parameter, which begins with '@', as in 'weir.parameter @w : tensor<2x3xf32>', found ':'; a function reads it with '%w = weir.read @w : tensor<2x3xf32>'}}
weir.parameter : tensor<4xf32> = dense<1.0> : tensor<4xf32>

// -----

// expected-error@below {{the type of elements has a dim '?'; write the number in its place}}
weir.parameter @w : tensor<?xf32> = dense<1.0> : tensor<?xf32>

// -----

func.func @main() -> tensor<4xf32> {
  // expected-error@below {{expected a number behind the '-', found 'inf'; minus infinity is written as its bits, in f32 0xFF800000}}
  %y = weir.constant dense<-inf> : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{expected ',' between operands, found '%x'}}
  %y = weir.add %x %x : tensor<4xf32>, tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Braces that are not closed.
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error@below {{a number is no tensor; write dense<6.0> for one with that number in all elements, or '}' in front of the ':' behind attributes}}
  %y = weir.clip %x {min = 0, max = 6 : tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@below {{expected '}' behind attributes, found ':'}}
  weir.minimize %x {optimizer = {name = "adam", rate = 0.001} : tensor<f32>
  return %x : tensor<f32>
}

// -----

// Attributes in brackets, or as operands.
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error@below {{expected attributes in braces, as in {axis = 1}, found '('}}
  %y = weir.softmax %x (axis = 1) : tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

func.func @main(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error@below {{expected attributes in braces and without a ',' before them, as in %x {axis = 1}, found 'axis'}}
  %y = weir.softmax %x, axis = 1 : tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

// expected-error@below {{expected the next op, found ','; the name of a tensor in a file stands behind the word 'key', as in from "net.safetensors" key "fc.weight"}}
weir.parameter @w : tensor<4xf32> from "w.safetensors", "fc.weight"

// -----

weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  // expected-error@below {{found 'on'; a parameter has no device: place the ops that use it}}
  %y = weir.read @w on "cpu:1" : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@below {{expected an optimizer, such as {name = "adam", rate = 0.001}, found 'adam'}}
  weir.minimize %x {optimizer = adam} : tensor<f32>
  return %x : tensor<f32>
}

// -----

weir.parameter @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
weir.derived @d : tensor<4xf32> {
  %w = weir.read @w : tensor<4xf32>
  // expected-error@below {{a derived parameter ends with 'weir.yield %y : TYPE', and not with 'return'}}
  return %w : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@below {{expected a tensor type, such as tensor<f32> for one number, found 'f32'}}
  weir.minimize %x {optimizer = {name = "sgd", rate = 0.1}} : f32
  return %x : tensor<f32>
}
