#!/usr/bin/env bash
# Installs what is missing, builds Weir and runs its tests: the quick whole,
# with --full the long ones as well, with --sanitizers the quick whole under
# AddressSanitizer and UndefinedBehaviorSanitizer (in build-asan), then under
# ThreadSanitizer (in build-tsan). The last lines are ctest's own summary.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# buildAndTest PRESET FOLDER CTEST-ARGUMENT...
buildAndTest() {
  cmake --preset "$1"
  cmake --build --preset "$1"
  ctest --test-dir "$2" --output-on-failure -j "$(nproc)" "${@:3}"
}

case "${1-}" in
"" | --full | --sanitizers) ;;
*)
  echo "usage: utils/test.sh [--full | --sanitizers]" >&2
  exit 2
  ;;
esac

./utils/bootstrap.sh
case "${1-}" in
--sanitizers)
  buildAndTest asan build-asan -LE long
  buildAndTest tsan build-tsan -LE long
  ;;
# LitFull runs what Lit does, and more.
--full) buildAndTest release build -E '^Lit$' ;;
*) buildAndTest release build -LE long ;;
esac
