#!/usr/bin/env bash
# Installs what is missing, builds Weir and runs its tests. The last lines are
# ctest's own summary of the quick tests, or with --full of all.
#
#   utils/test.sh               the quick tests, with the compiler's assertions;
#                               before them those of the runtime half with
#                               AddressSanitizer and UndefinedBehaviorSanitizer
#                               (build-runtime-asan), and with ThreadSanitizer
#                               (build-runtime-tsan)
#   utils/test.sh --full        the long tests as well, and each fuzzer for a
#                               minute (build-fuzz)
#   utils/test.sh --sanitizers  the quick tests of both halves with
#                               AddressSanitizer and UndefinedBehaviorSanitizer
#                               (build-asan)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# ccache finds in other checkouts what was compiled in this one.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=true
# Each commit compares other random graphs, and the same ones whenever it is
# tested.
WEIR_SEED="${WEIR_SEED:-$(git rev-parse HEAD 2>/dev/null || echo 0)}"
export WEIR_SEED
# Sources in which clang-tidy finds nothing are not checked again.
export WEIR_TIDY_CACHE=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/weir-tidy

# runTests FOLDER CTEST-ARGUMENT...
runTests() {
  ctest --test-dir "$1" --output-on-failure -j "$(nproc)" "${@:2}"
}

# buildRuntimeHalf SANITIZER
buildRuntimeHalf() {
  cmake --preset "runtime-$1" -DWEIR_COMPILER_DIR="$PWD/build/bin" \
    -DWEIR_UNITY_BUILD=ON
  nice cmake --build --preset "runtime-$1"
  utils/build-times.py "build-runtime-$1" || true
}

# The second build does not take time from the tests of the first.
testRuntimeHalf() {
  buildRuntimeHalf asan
  mkdir -p build-runtime-tsan
  buildRuntimeHalf tsan >build-runtime-tsan/build.log 2>&1 &
  building=$!
  trap 'pkill -P "$building" || true' EXIT
  runTests build-runtime-asan -LE 'long|once|sources'
  wait "$building" || {
    cat build-runtime-tsan/build.log
    return 1
  }
  trap - EXIT
  runTests build-runtime-tsan -LE 'long|once|sources'
}

runFuzzers() {
  cmake --preset fuzz
  cmake --build --preset fuzz --target weir-fuzzers
  runTests build-fuzz -R '^Fuzz'
}

case "${1-}" in
"" | --full | --sanitizers) ;;
*)
  echo "usage: utils/test.sh [--full | --sanitizers]" >&2
  exit 2
  ;;
esac

./utils/bootstrap.sh --checks
if [ "${1-}" = --sanitizers ]; then
  cmake --preset asan
  cmake --build --preset asan
  runTests build-asan -LE 'long|once|sources'
  exit
fi
# quickstart.sh switches assertions off again; ccache has either build. Users
# build with other compilers, whose new warnings should not stop them. A unity
# build hides includes that are missing. In sources that have changed, Lint.tidy
# finds them, as it looks at each source by itself.
cmake --preset release -DWEIR_ASSERTIONS=ON -DWEIR_WERROR=ON \
  -DWEIR_UNITY_BUILD=ON
runTests build -L sources
cmake --build --preset release
utils/build-times.py build || true
testRuntimeHalf
if [ "${1-}" = --full ]; then
  runFuzzers
  # LitFull.FOLDER runs what Lit.FOLDER does, and more.
  runTests build -LE sources -E '^Lit\.'
else
  runTests build -LE 'long|sources'
fi
