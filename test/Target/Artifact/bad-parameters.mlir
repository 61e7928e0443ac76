// A parameter that cannot be read is named, with its file and what is there.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/make-parameters.py %t/p.safetensors
// RUN: %python -c "open('%t/raw.bin', 'wb').write(bytes(range(16)))"
// RUN: sed "s|FOLDER|%t|" %s > %t/in.mlir
// RUN: graph-opt %t/in.mlir --split-input-file --verify-diagnostics --exec-write-artifact=output=%t/out.weir

module attributes {weir.source_dir = "FOLDER"} {
  // expected-error-re @+1 {{'weir.parameter' op cannot read '{{.*}}nosuch.safetensors{{.*}}; its folder has p.safetensors}}
  weir.parameter @half : tensor<2xf16> from "nosuch.safetensors"
  exec.entry @main on ["cpu:0"] {
    %w = exec.parameter @half on "cpu:0" : tensor<2xf16>
  }
}

// -----

module attributes {weir.source_dir = "FOLDER"} {
  // expected-error-re @+1 {{'weir.parameter' op cannot be read from 'p.safetensors': {{.*}}'nosuch'{{.*}}half{{.*}}some.name}}
  weir.parameter @nosuch : tensor<2xf16> from "p.safetensors"
  exec.entry @main on ["cpu:0"] {
    %w = exec.parameter @nosuch on "cpu:0" : tensor<2xf16>
  }
}

// -----

module attributes {weir.source_dir = "FOLDER"} {
  // expected-error @+1 {{'weir.parameter' op expects tensor 'half' of 'p.safetensors' to be 2xf32, found 2xf16; correct the declaration or the file}}
  weir.parameter @half : tensor<2xf32> from "p.safetensors"
  exec.entry @main on ["cpu:0"] {
    %w = exec.parameter @half on "cpu:0" : tensor<2xf32>
  }
}

// -----

module attributes {weir.source_dir = "FOLDER"} {
  // expected-error @+1 {{'weir.parameter' op expects tensor 'some.name' of 'p.safetensors' to be 4xi64, found 3xi64; correct the declaration or the file}}
  weir.parameter @half : tensor<4xi64> from "p.safetensors" key "some.name"
  exec.entry @main on ["cpu:0"] {
    %w = exec.parameter @half on "cpu:0" : tensor<4xi64>
  }
}

// -----

// expected-error @+1 {{'weir.parameter' op has neither a file nor a value to start with; add 'from "FILE.safetensors"' or '= dense<...> : TYPE'}}
weir.parameter @half : tensor<4xi64>
exec.entry @main on ["cpu:0"] {
  %w = exec.parameter @half on "cpu:0" : tensor<4xi64>
}

// -----

module attributes {weir.source_dir = "FOLDER"} {
  // expected-error @+1 {{'weir.parameter' op expects 16 bytes at offset 1 of 'raw.bin', which has 16; correct the declaration or the file}}
  weir.parameter @raw : tensor<4xf32> from "raw.bin" offset 1
  exec.entry @main on ["cpu:0"] {
    %w = exec.parameter @raw on "cpu:0" : tensor<4xf32>
  }
}

// -----

module attributes {weir.source_dir = "FOLDER"} {
  // expected-error-re @+1 {{'weir.parameter' op cannot read '{{.*}}nosuch.bin'}}
  weir.parameter @raw : tensor<4xf32> from "nosuch.bin" offset 0
  exec.entry @main on ["cpu:0"] {
    %w = exec.parameter @raw on "cpu:0" : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{expects numbers at an offset of a file, found booleans}}
weir.parameter @raw : tensor<4xi1> from "raw.bin" offset 0

// -----

// expected-error @+1 {{expects 'offset' with a file and without a key}}
weir.parameter @raw : tensor<4xf32> from "raw.bin" key "raw" offset 0
