#!/usr/bin/env bash
# Installs what is missing, builds Weir and runs its tests: the quick whole, or
# with --full the long ones as well. The last lines are ctest's own summary.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1-}" in
# LitFull runs what Lit does, and more.
--full) selection=(-E '^Lit$') ;;
"") selection=(-LE long) ;;
*)
  echo "usage: utils/test.sh [--full]" >&2
  exit 2
  ;;
esac

./utils/bootstrap.sh
cmake --preset release
cmake --build --preset release
ctest --test-dir build --output-on-failure -j "$(nproc)" "${selection[@]}"
