#!/bin/bash
# Shell scripts pass shellcheck and have no syntax of another shell.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t scripts < <(find scripts .ci cmake tests -type f -exec awk 'FNR == 1 && /^#!.*sh$/ { print FILENAME } FNR == 1 { nextfile }' {} + 2>/dev/null | sort)
shellcheck "${scripts[@]}"
shellcheck -s bash -e SC2034,SC2154 tests/bats/*.bash
