#!/usr/bin/env bash
# Compiles the network of digits.mlir for two CPU devices and lets it read a
# thousand handwritten digits. Needs what `utils/quickstart.sh` installs and
# builds.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(cd "$here/../../.." && pwd)
deps=${WEIR_DEPS_DIR:-$repo/.deps}
build=$repo/build
out=$build/examples/digits-run

if [ ! -x "$build/examples/digits" ]; then
  echo "run.sh: error: $build/examples/digits is not there; build it with" \
    "utils/quickstart.sh" >&2
  exit 1
fi

cat <<END
A small network reads handwritten digits that it was not trained on.
docs/examples/digits/digits.mlir splits it: convolution and pooling on cpu:0,
dense layer and softmax on cpu:1.

END
"$deps/venv/bin/python" "$here/read_mnist.py" "$out"
"$build/bin/graph-compile" "$here/digits.mlir" -o "$out/digits.weir" \
  --shape=image:32x1x28x28 --devices=cpu:0-1
"$build/examples/digits" "$out/digits.weir" "$out/images.npy" \
  "$out/labels.npy" "$here/expected_probabilities.npy"
