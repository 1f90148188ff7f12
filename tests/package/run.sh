#!/usr/bin/env bash
# Installs the given build, then builds and runs a program that uses the installed package.
#   run.sh BUILD_DIR
set -euo pipefail

build=$1
source=$(dirname "$0")
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

cmake --install "$build" --prefix "$temp/prefix" >/dev/null
cmake -G Ninja -S "$source" -B "$temp/build" -DCMAKE_PREFIX_PATH="$temp/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$temp/build" >/dev/null

expected="hexapod has 19 bodies"
actual=$("$temp/build/package_test" "$temp/prefix/share/gough/robots/hexapod.yaml")
[[ $actual == "$expected" ]] || { echo "expected: $expected"; echo "actual:   $actual"; exit 1; }
"$temp/prefix/bin/gough" --help >/dev/null
