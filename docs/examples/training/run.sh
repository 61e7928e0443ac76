#!/usr/bin/env bash
# Trains the network of digits.mlir on 4,000 handwritten digits, and compiles it
# with its weights for two CPU devices, which then read the 1,000 digits that
# were held out. Needs what `utils/quickstart.sh` installs and builds.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(cd "$here/../../.." && pwd)
deps=${WEIR_DEPS_DIR:-$repo/.deps}
bin=$repo/build/bin
out=$repo/build/examples/training-run

if [ ! -x "$bin/graph-run" ]; then
  echo "run.sh: error: $bin/graph-run is not there; build it with" \
    "utils/quickstart.sh" >&2
  exit 1
fi

cat <<END
A convolutional network learns to read handwritten digits from 4,000 examples.
docs/examples/training/digits.mlir has its step.

END
rm -rf "$out"
"$deps/venv/bin/python" "$here/prepare.py" "$out"
"$bin/graph-compile" "$here/digits.mlir" -o "$out/digits.weir"
"$bin/graph-run" "$out/digits.weir" \
  --data "image=$out/train.npz:images,label=$out/train.npz:labels" \
  --validation-data "image=$out/test.npz:images,label=$out/test.npz:labels" \
  --map image=scale:255 --shuffle 1 --epochs 10 \
  --checkpoint "$out/checkpoints" --save-variables "$out/trained.safetensors" \
  --log "$out/log.jsonl" --curve "$out/loss.html" --plot \
  --json >"$out/report.json"

# The trained network for use: its text reads the weights from beside it.
cp "$here/predict.mlir" "$out"
"$bin/graph-compile" "$out/predict.mlir" -o "$out/predict.weir" \
  --devices=cpu:0-1
"$bin/graph-run" "$out/predict.weir" --input "image=$out/images.npy" \
  --input "label=$out/labels.npy" --output "scores=$out/scores.npy"
echo
"$deps/venv/bin/python" "$here/count_right.py" "$out/report.json" \
  "$out/scores.npy" "$out/labels.npy"
echo "The curve of the loss is in $out/loss.html."
