#!/usr/bin/env bash
# Builds a wheel with the given Python, installs it into a clean environment and uses it there, far from the sources.
set -euo pipefail
python=$(realpath -s "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

(cd "$root" && "$python" -m build --wheel --outdir "$place" . >"$place/log" 2>&1) || { tail -n 60 "$place/log"; exit 1; }
"$python" -m venv "$place/clean"
"$place/clean/bin/pip" install -q --disable-pip-version-check "$place"/gough-*.whl
cd "$place"
"$place/clean/bin/python" - <<'PYTHON'
import gough

robot = gough.load(gough.shipped / "robots/hexapod.yaml")
assert robot.check().mobility == 6
states = robot.random_states(100)
forces = robot.inverse_dynamics(states.q, states.v, states.a)
again = robot.forward_dynamics(states.q, states.v, forces)
assert abs(again - states.a).max() < 1e-9
report = robot.inverse_dynamics(gough.shipped / "motions/hexapod_circle.yaml", step=1e-2)
assert len(report.table) == 201
assert gough.has_report_page() and len(robot.show().html) > 100_000
print(f"gough {gough.__version__}: the wheel works in a clean environment")
PYTHON
ls -l "$place"/*.whl | awk '{print $NF ": " int($5 / 1024) " kB"}' | sed "s|$place/||"
