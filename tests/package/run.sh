#!/usr/bin/env bash
# Installs the given build, then builds and runs a program that uses the installed package, its tool and its robots.
#   run.sh BUILD_DIR
set -euo pipefail

build=$1
source=$(dirname "$0")
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

quietly() { "$@" >"$temp/log" 2>&1 || { cat "$temp/log"; exit 1; }; }

quietly cmake --install "$build" --prefix "$temp/prefix"
robots=$temp/prefix/share/gough/robots
quietly cmake -G Ninja -S "$source" -B "$temp/build" -DCMAKE_PREFIX_PATH="$temp/prefix" -DROBOTS="$robots" \
  -DCMAKE_BUILD_TYPE=Release
quietly cmake --build "$temp/build"

expect() {
  local actual
  actual=$("$temp/build/package_test" "$robots/palida.yaml")
  [[ $actual == "$1" ]] || { echo "expected: $1"; echo "actual:   $actual"; exit 1; }
}
expect "palida has 19 bodies, generated code agrees"

# Another mass in the robot file: the code follows, and so does the program.
sed -i 's/platform: {mass: 4.5 kg/platform: {mass: 5.5 kg/' "$robots/palida.yaml"
quietly cmake --build "$temp/build"
grep -q "platform_mass = 18.7" "$temp/build/gough_code/package_test/palida_inverse.c" || { echo "no new code"; exit 1; }
expect "palida has 19 bodies, generated code agrees"

# A project in C alone.
quietly cmake -G Ninja -S "$source/../../examples/controller" -B "$temp/controller" -DCMAKE_PREFIX_PATH="$temp/prefix"
quietly cmake --build "$temp/controller"
quietly "$temp/controller/controller" 1000
"$temp/prefix/bin/gough" --help >/dev/null
