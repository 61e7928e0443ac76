#!/usr/bin/env bash
# From a fresh clone to a result: installs what is missing, builds Weir, then
# compiles a small network for two devices and lets it read a thousand digits.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

./utils/bootstrap.sh
cmake --preset release
cmake --build --preset release
./docs/examples/digits/run.sh
