#!/usr/bin/env bash
# Measures generated code of palida on a GPU: inverse and forward dynamics, double and float. Needs nvcc, and in FOLDER what
#   for w in inverse forward; do for l in c cuda; do build/gough generate robots/palida.yaml --what $w --from platform --lang $l -o FOLDER; done; done
# wrote. Prints a table; with REGISTERS=N the compiler is kept to N registers a thread.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:?expected the folder of the generated code}"
flags="-O3 -I. -std=c++17 -arch=${ARCH:-sm_90} ${REGISTERS:+-maxrregcount=$REGISTERS}"
echo "| program | numbers | 1e9 states/s | only moving the data | of that | largest difference to C | other status |"
echo "|---|---|---|---|---|---|---|"
for what in inverse forward; do
  name=palida_$what
  numbers="-DIN=18 -DOUT=6 $([ $what = inverse ] || echo -DFORWARD)"
  ${CC:-cc} -O2 -c $name.c -o $name.o
  for single in "" "-D${name^^}_CUDA_SINGLE"; do
    nvcc $flags $single -Xptxas -v -c ${name}_cuda.cu -o ${name}_cuda.o 2> $name.ptxas
    nvcc $flags $single $numbers -DNAME_C=$name -DNAME_CUDA=${name}_cuda "$here/measure.cu" ${name}_cuda.o $name.o -o measure_$name
    ./measure_$name
    grep -A1 "_kernel" $name.ptxas | grep -o "[0-9]* bytes spill stores\|Used [0-9]* registers" | tr '\n' ' ' >&2 || true
    echo >&2
  done
done
