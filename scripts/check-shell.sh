#!/bin/bash
# Shell scripts pass shellcheck and have no syntax of another shell.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t scripts < <(grep -lE '^#!.*\b(ba)?sh\b' -r scripts .ci tests packaging 2>/dev/null | sort)
shellcheck "${scripts[@]}"
shellcheck -s bash -e SC2034,SC2154 tests/bats/*.bash
