#!/usr/bin/env bash
# Compiles the networks of PP-OCRv4 and lets them read the stored picture. Needs
# what `utils/quickstart.sh` installs and builds. docs/tutorials/ocr.md goes
# through these commands one by one.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(cd "$here/../../.." && pwd)
deps=${WEIR_DEPS_DIR:-$repo/.deps}
build=$repo/build
out=$build/examples/ocr-run
boxes=$build/quickstart/ocr.png

if [ ! -x "$build/examples/ocr" ]; then
  echo "run.sh: error: $build/examples/ocr is not there; build it with" \
    "utils/quickstart.sh" >&2
  exit 1
fi

cat <<END
Two networks read the lines of a picture, docs/examples/ocr/picture.png. Of the
one that finds them, the backbone runs on cpu:0, the rest on cpu:1, and so does
the one that reads them.

END
mkdir -p "$out" "$(dirname "$boxes")"
models=$(echo "$deps"/venv/lib/python3*/site-packages/rapidocr_onnxruntime)
if [ ! -d "$models/models" ]; then
  echo "run.sh: error: the package rapidocr-onnxruntime, which holds the" \
    "networks, is not in $deps/venv; install it with utils/bootstrap.sh" >&2
  exit 1
fi
"$build/bin/graph-compile" "$models/models/ch_PP-OCRv4_det_infer.onnx" \
  -o "$out/detector.weir" --shape=x:1x3x736x992 --devices=cpu:0-1 \
  --place='*=cpu:0' --place='after:p2o.Conv.33=cpu:1' \
  --place='after:p2o.Conv.34=cpu:1' --place='after:p2o.Conv.35=cpu:1' \
  --place='after:p2o.Conv.36=cpu:1'
for width in 320 512 768; do
  "$build/bin/graph-compile" "$models/models/ch_PP-OCRv4_rec_infer.onnx" \
    -o "$out/recogniser-$width.weir" --shape="x:1x3x48x$width" --devices=cpu:1
done
"$deps/venv/bin/python" "$here/read_characters.py" \
  "$models/models/ch_PP-OCRv4_rec_infer.onnx" "$out/characters.txt"
"$build/examples/ocr" "$here/picture.png" "$boxes" "$out/detector.weir" \
  "$out/characters.txt" "$out"/recogniser-*.weir | tee "$out/reading.txt"
"$deps/venv/bin/python" "$here/compare_reading.py" "$here/expected.json" \
  <"$out/reading.txt"
