#!/usr/bin/env bash
# What utils/gpu-check.sh runs out of the unpacked archive.
#   on_gpu.sh check|time|tune
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
export LD_LIBRARY_PATH=$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
failures=0

# Libraries of CUDA that Python packages brought along are on no search path.
if [ -z "${WEIR_CUDA_LIB_PATH:-}" ]; then
  WEIR_CUDA_LIB_PATH=$(python3 - 2>/dev/null <<'END'
import pathlib, sysconfig
site = pathlib.Path(sysconfig.get_paths()["purelib"])
print(":".join(str(path) for path in sorted(site.glob("nvidia/*/lib"))))
END
  ) || WEIR_CUDA_LIB_PATH=
  export WEIR_CUDA_LIB_PATH
fi

section() { printf '\n== %s (%s s so far)\n' "$*" "$SECONDS"; }

# step NAME COMMAND...: runs the command, and says whether it failed.
step() {
  local name=$1
  shift
  section "$name"
  if "$@"; then
    printf 'ok: %s\n' "$name"
  else
    printf 'FAILED: %s (exit status %s)\n' "$name" "$?"
    failures=$((failures + 1))
  fi
}

describe() {
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv
  printf 'WEIR_CUDA_LIB_PATH=%s\n' "$WEIR_CUDA_LIB_PATH"
  python3 -c 'import torch; print("torch", torch.__version__, "CUDA",
torch.version.cuda, "cuDNN", torch.backends.cudnn.version())' 2>/dev/null ||
    echo "PyTorch is not installed"
  bin/graph-run --list-devices
}

has_gpu() { bin/graph-run --list-devices | grep '^cuda:0'; }

# The ops that compute-sanitizer looks at: a reduction, a scatter, a softmax and
# windows have all kinds of accesses.
sanitized=(ops/add.weir ops/conv.weir ops/gather.weir ops/matmul.weir
  ops/max_pool.weir ops/reduce_sum.weir ops/scatter_sum.weir ops/softmax.weir)

find_sanitizer() {
  command -v compute-sanitizer ||
    ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null
}

sanitize() {
  local sanitizer
  if ! sanitizer=$(find_sanitizer); then
    echo "left out: compute-sanitizer is not installed"
    return 0
  fi
  # Libraries make calls that fail on purpose.
  timeout 40 "$sanitizer" "--tool=$1" --report-api-errors no \
    --error-exitcode=9 bin/weir-artifact-check --device=cuda:0 \
    "${sanitized[@]}"
}

# check_all SECONDS ARTIFACT...: compares the results of each in a process of
# its own, since a fault on the GPU ends all work of the process.
check_all() {
  local limit=$1
  shift
  printf '%s\n' "$@" | timeout "$limit" xargs -P 4 -n 1 \
    timeout 60 bin/weir-artifact-check --device=cuda:0
}

check_steps() {
  printf '%s\n' "$@" | timeout 60 xargs -n 1 \
    timeout 60 bin/weir-artifact-check --device=cuda:0 --steps
}

check() {
  if [ -x bin/CudaSmokeTests ]; then
    step "launches, copies, events and graphs" timeout 60 bin/CudaSmokeTests
  fi
  step "each op against stored results" check_all 150 ops/*.weir
  if [ -d steps ]; then
    step "steps of training against the CPU's" check_steps steps/*.weir
  fi
  if [ -d networks ]; then
    step "networks against stored results" check_all 200 networks/*.weir
  fi
  local tool
  for tool in memcheck racecheck synccheck; do
    step "$tool on some ops" sanitize "$tool"
  done
}

# time_one ARTIFACT FLAGS...: the times of an artifact whose inputs and outputs
# are in the GPU's memory. The first runs of a frame load and capture.
time_one() {
  local artifact=$1
  shift
  # The inputs are words of a file that the archive has.
  # shellcheck disable=SC2046
  timeout 25 bin/graph-run "$artifact" $(cat "${artifact%.weir}.inputs") "$@" \
    2>&1 | tail -n 30
}

measure() {
  local artifact
  for artifact in timed/*.weir; do
    step "$artifact" time_one "$artifact" --warmup 20 --repeat 200
    step "launches of $artifact" \
      time_one "$artifact" --warmup 5 --repeat 5 --profile-summary
  done
  section "PyTorch"
  if python3 -c 'import torch' 2>/dev/null; then
    timeout 190 python3 torch_times.py 180
  else
    echo "left out: PyTorch is not installed"
  fi
}

# tune_one ARTIFACT: what --tune chose for its launches, and how often, and the
# times with that.
tune_one() {
  local artifact=$1
  # shellcheck disable=SC2046
  timeout 60 bin/graph-run "$artifact" $(cat "${artifact%.weir}.inputs") \
    --warmup 20 --repeat 200 --tune --verbose 2>&1 |
    grep -E 'tuned|note:|error:|latency:' | sort | uniq -c
}

tune() {
  local artifact
  XDG_CACHE_HOME=$PWD/caches
  export XDG_CACHE_HOME
  mkdir -p "$XDG_CACHE_HOME"
  for artifact in timed/*.weir; do
    step "$artifact" time_one "$artifact" --warmup 20 --repeat 200
    step "$artifact, tuned" tune_one "$artifact"
  done
}

section "machine"
describe
step "the GPU is there" has_gpu
if [ "$failures" = 0 ]; then
  case $1 in
  check) check ;;
  time) measure ;;
  tune) tune ;;
  esac
fi
section "done"
[ "$failures" = 0 ] && echo "nothing failed" || echo "$failures steps failed"
exit "$((failures > 0))"
