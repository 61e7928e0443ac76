#!/usr/bin/env bash
# Installs what building, testing and running the examples of Weir needs: the
# packages of Debian 12 through apt-get, and those of utils/requirements.txt
# into a Python environment of their own. It may be run again at any time; when
# nothing is missing it takes a second. On another system it says what is
# missing and leaves installing it to you.
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=${WEIR_DEPS_DIR:-$repo/.deps}

# The suite that each package of Debian comes from, then the packages.
base_packages=(
  bookworm
  g++ cmake ninja-build ccache mold pkg-config
  python3 python3-venv
  flatbuffers-compiler libflatbuffers-dev libfmt-dev nlohmann-json3-dev
  libcli11-dev libhwloc-dev libxxhash-dev
  libjpeg62-turbo-dev libpng-dev zlib1g-dev
  libgtest-dev libgmock-dev
)
# libmlir's CMake files look for the libraries that LLVM itself was built with.
llvm_packages=(
  bookworm-security
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools llvm-22 lld-22
)
# What checks and fuzzes the code, and is not needed to build it.
check_packages=(
  bookworm-security
  clang-22 clang-tidy-22 libclang-rt-22-dev libomp-22-dev
)

# Elsewhere than on Debian 12: the same things, as a command, a header, a Python
# module or a file that is there when they are.
probes=(
  "command g++" "command cmake" "command ninja" "command ccache"
  "command mold" "command pkg-config" "command python3" "command flatc"
  "command flock" "module ensurepip" "module venv"
  "header flatbuffers/flatbuffers.h" "header fmt/core.h"
  "header nlohmann/json.hpp" "header CLI/CLI.hpp" "header hwloc.h"
  "header png.h" "header zlib.h" "header jpeglib.h"
  "header xxhash.h" "header gtest/gtest.h" "header gmock/gmock.h"
)
llvm_probes=(
  "file /usr/lib/llvm-22/lib/cmake/mlir/MLIRConfig.cmake"
  "file /usr/lib/llvm-22/bin/mlir-opt" "file /usr/lib/llvm-22/bin/FileCheck"
  "file /usr/lib/llvm-22/bin/ld.lld"
)
check_probes=(
  "file /usr/lib/llvm-22/bin/clang++" "file /usr/lib/llvm-22/bin/clang-tidy"
)

say() { printf 'bootstrap: %s\n' "$*"; }
fail() {
  printf 'bootstrap: error: %s\n' "$*" >&2
  exit 1
}

usage() {
  cat <<END
usage: utils/bootstrap.sh [--runtime-only] [--checks]
  --runtime-only  leave out LLVM and MLIR, which only the compiler needs
  --checks        install Clang, which clang-tidy and the fuzzers need, as well,
                  and write the node tests of the newest package onnx
The Python environment is made in \$WEIR_DEPS_DIR, by default .deps/ beside
utils/.
END
}

is_bookworm() {
  [ -r /etc/os-release ] || return 1
  (. /etc/os-release && [ "${ID:-}" = debian ] && [ "${VERSION_ID:-}" = 12 ])
}

# Prints those of the named packages that are not installed.
missing_packages() {
  local name status
  for name in "$@"; do
    status=$(dpkg-query -W -f '${db:Status-Abbrev}' "$name" 2>/dev/null) || true
    [ "$status" = "ii " ] || printf '%s\n' "$name"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "installing packages needs root; run this as root or install sudo"
  fi
}

# Stops when apt knows no version of one of the packages of a suite.
check_suite() {
  local suite=$1 name
  shift
  for name in "$@"; do
    if [ -z "$(apt-cache show --no-all-versions "$name" 2>/dev/null)" ]; then
      fail "apt does not know the package $name: add the suite '$suite' to" \
        "/etc/apt/sources.list, then run this again"
    fi
  done
}

install_debian_packages() {
  local missing
  mapfile -t missing < <(missing_packages "${base_packages[@]:1}" \
    ${with_llvm:+"${llvm_packages[@]:1}"} \
    ${with_checks:+"${check_packages[@]:1}"})
  if [ "${#missing[@]}" = 0 ]; then
    say "Debian's packages are all installed"
    return
  fi
  say "installing with apt-get: ${missing[*]}"
  local log=$deps/apt-get.log
  as_root apt-get update -qq >"$log" 2>&1 ||
    fail "apt-get cannot update its lists; see to the network and to" \
      "/etc/apt, then run this again; its last lines, all of them in $log:" \
      $'\n'"$(tail -n 15 "$log")"
  check_suite "${base_packages[@]}"
  [ -z "$with_llvm" ] || check_suite "${llvm_packages[@]}"
  [ -z "$with_checks" ] || check_suite "${check_packages[@]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 \
    "${missing[@]}" >"$log" 2>&1 ||
    fail "apt-get failed; its last lines, all of them in $log:" \
      $'\n'"$(tail -n 15 "$log")"
}

is_present() {
  case $1 in
  command) command -v "$2" >/dev/null ;;
  header) echo "#include <$2>" | g++ -std=c++20 -E -x c++ - >/dev/null 2>&1 ;;
  file) [ -e "$2" ] ;;
  module) python3 -c "import $2" 2>/dev/null ;;
  esac
}

check_other_system() {
  local probe absent=0
  for probe in "${probes[@]}" ${with_llvm:+"${llvm_probes[@]}"} \
    ${with_checks:+"${check_probes[@]}"}; do
    # Deliberately split into the kind and the name.
    if ! is_present $probe; then
      printf 'bootstrap: missing: %s\n' "$probe" >&2
      absent=1
    fi
  done
  [ "$absent" = 0 ] ||
    fail "this system is not Debian 12, so nothing was installed; install" \
      "what is listed above, then run this again"
}

# install_python_packages NAME LIST: the packages of utils/LIST into $deps/NAME.
install_python_packages() {
  local venv=$deps/$1 wanted=$repo/utils/$2
  if cmp -s "$wanted" "$venv/installed-requirements.txt"; then
    say "the Python environment $venv is up to date"
    return
  fi
  say "filling the Python environment $venv"
  local python=/usr/bin/python3
  [ -x "$python" ] || python=python3
  [ -x "$venv/bin/pip" ] || "$python" -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
    -r "$wanted" || return 1
  cp "$wanted" "$venv/installed-requirements.txt"
}

# The node tests of the newest onnx, which another environment computes, since
# the packages of both versions have the same name.
write_newest_node_tests() {
  local tests=$deps/onnx-node-tests writer=$repo/utils/onnx-node-data.py
  install_python_packages onnx-venv requirements-onnx.txt || {
    say "the newest onnx cannot be installed: its node tests are left out"
    return 0
  }
  cat "$repo/utils/requirements-onnx.txt" "$writer" |
    cmp -s - "$tests/written-by.txt" && return
  say "writing the node tests of onnx to $tests"
  rm -rf "$tests"
  "$deps/onnx-venv/bin/python3" "$writer" "$tests"
  cat "$repo/utils/requirements-onnx.txt" "$writer" >"$tests/written-by.txt"
}

with_llvm=yes
with_checks=
for argument in "$@"; do
  case $argument in
  --runtime-only) with_llvm= ;;
  --checks) with_checks=yes ;;
  --help) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
  esac
done

mkdir -p "$deps" 2>/dev/null && [ -w "$deps" ] ||
  fail "cannot write to the folder $deps; set WEIR_DEPS_DIR to one that you" \
    "can write to"
# Where flock is missing, the probes below say so.
if command -v flock >/dev/null; then
  exec 9>"$deps/lock" || fail "cannot write $deps/lock; remove that file"
  flock 9
fi
if is_bookworm; then
  install_debian_packages
else
  check_other_system
fi
install_python_packages venv requirements.txt
[ -z "$with_checks" ] || write_newest_node_tests
say "done"
