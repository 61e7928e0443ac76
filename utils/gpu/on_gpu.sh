#!/usr/bin/env bash
# What utils/gpu-check.sh runs out of the unpacked archive.
#   on_gpu.sh check|time
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
  local tool
  for tool in memcheck racecheck synccheck; do
    timeout 90 "$sanitizer" --tool=$tool --error-exitcode=9 \
      bin/weir-artifact-check --device=cuda:0 "${sanitized[@]}" || return
  done
}

check() {
  step "the GPU is there" has_gpu
  [ "$failures" = 0 ] || return
  if [ -x bin/CudaSmokeTests ]; then
    step "launches, copies, events and graphs" timeout 120 bin/CudaSmokeTests
  fi
  step "each op against stored results" \
    timeout 240 bin/weir-artifact-check --device=cuda:0 ops/*.weir
  if [ -d networks ]; then
    step "networks against stored results" \
      timeout 240 bin/weir-artifact-check --device=cuda:0 networks/*.weir
  fi
  step "compute-sanitizer on some ops" sanitize
}

# Inputs and outputs of timed/ are in the GPU's memory.
measure() {
  local artifact name
  for artifact in timed/*.weir; do
    name=$(basename "$artifact" .weir)
    section "$name"
    # The first runs of a frame load and capture.
    # shellcheck disable=SC2046
    timeout 100 bin/graph-run "$artifact" $(random_inputs "$artifact") \
      --warmup 20 --repeat 200 2>&1 | tail -n 12
    # shellcheck disable=SC2046
    timeout 100 bin/graph-run "$artifact" $(random_inputs "$artifact") \
      --warmup 5 --repeat 5 --profile-summary 2>&1 | head -n 25
  done
  section "PyTorch"
  if python3 -c 'import torch' 2>/dev/null; then
    timeout 300 python3 torch_times.py 280
  else
    echo "left out: PyTorch is not installed"
  fi
}

random_inputs() {
  bin/graph-dump --json "$1" | python3 -c '
import json, sys
entry = json.load(sys.stdin)["variants"][0]["entries"][0]
print(*["--input " + port["name"] + "=random" for port in entry["inputs"]])'
}

section "machine"
describe
case $1 in
check) check ;;
time) measure ;;
esac
section "done"
[ "$failures" = 0 ] && echo "nothing failed" || echo "$failures steps failed"
exit "$((failures > 0))"
