#!/usr/bin/env bash
# From a fresh clone to a result: installs what is missing, builds Weir, then
# compiles a small network for two devices and lets it read a thousand digits,
# trains another one to do so, and compiles two larger ones that read the text
# of a picture.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ $# != 0 ]; then
  echo "usage: utils/quickstart.sh" >&2
  exit 2
fi

./utils/bootstrap.sh
# Only a configuration that fails is worth reading.
mkdir -p build
cmake --preset release -DWEIR_ASSERTIONS=OFF -DWEIR_WERROR=OFF \
  -DWEIR_UNITY_BUILD=ON >build/configure.log 2>&1 || {
  cat build/configure.log >&2
  exit 1
}
echo "quickstart: building in build/"
# All but the tests, so that `cmake --install build` works.
cmake --build --preset release --target weir-installed docs/all
echo
./docs/examples/digits/run.sh
echo
./docs/examples/training/run.sh
echo
./docs/examples/ocr/run.sh
cat <<'END'

README.md goes on with a graph of ten lines; build/bin/graph-compile --help.
`cmake --install build` installs all of it.
END
