#!/usr/bin/env python3
"""Code compiled for AVX2 or AVX-512 must not define a symbol that code for every machine could be linked to.

Usage: instruction_sets.py LIBRARY.a   Looks at the members leg_lanes_*, where each mergeable symbol must carry its set's name, and
batch_*_own, where there must be none, nor another that others see but the entry.
"""

import re
import subprocess
import sys

MEMBER = re.compile(r"^leg_lanes_(\w+)\.cpp\.o:$")
OWN = re.compile(r"^batch_(\w+)_own\.o:$")
SEEN = re.compile(r"^[0-9a-f]* *[A-Zu] (.*)$")
MERGEABLE = re.compile(r"^[0-9a-f]* *[WVu] (.*)$")


def main(library):
    listing = subprocess.run(["nm", "-C", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    instructions, own, seen, bad, objects = None, None, 0, [], 0
    for line in listing.splitlines():
        if line.endswith(".o:"):
            member = MEMBER.match(line)
            instructions = member.group(1) if member else None
            member = OWN.match(line)
            own = member.group(1) if member else None
            objects += 1 if own else 0
        elif own and (symbol := SEEN.match(line)):
            if f"gough::batch_kernel_{own}()" != symbol.group(1):
                bad.append(f"{own}: {symbol.group(1)}")
        elif instructions and (symbol := MERGEABLE.match(line)):
            seen += 1
            if f"gough::{instructions}::" not in symbol.group(1):
                bad.append(f"{instructions}: {symbol.group(1)}")
    for line in bad:
        print("shared by machines that may not run it:", line)
    print(f"{seen} mergeable symbols of packed kernels and {objects} whole ones looked at")
    return 1 if bad or seen == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
