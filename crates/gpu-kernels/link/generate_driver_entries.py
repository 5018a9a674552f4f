"""Writes the list of names in src/cuda/driver_entries.rs: every cu* function that cust_raw declares.

    python3 crates/gpu-kernels/link/generate_driver_entries.py          rewrites the list
    python3 crates/gpu-kernels/link/generate_driver_entries.py --check  fails if the list is stale

Needs the sources of cust_raw where cargo keeps them (`cargo fetch`). Only a new version of cust changes the list; a
name that cust calls and the list lacks is an undefined symbol at link time.
"""

import json
import pathlib
import re
import subprocess
import sys

CRATE = pathlib.Path(__file__).resolve().parent.parent
ENTRIES = CRATE / "src/cuda/driver_entries.rs"
# These have their own lines in driver_entries.rs, because they must answer before there is a driver.
WRITTEN_BY_HAND = {"cuInit", "cuGetErrorName", "cuGetErrorString"}
# Newer than cust_raw; declared where they are called.
BEYOND_CUST = {"cuLaunchKernelEx"}


def declared_names() -> list[str]:
    metadata = json.loads(subprocess.check_output(["cargo", "metadata", "--format-version=1"], cwd=CRATE))
    manifest = next(p["manifest_path"] for p in metadata["packages"] if p["name"] == "cust_raw")
    source = (pathlib.Path(manifest).parent / "src/cuda.rs").read_text()
    return sorted(set(re.findall(r"pub fn (cu[A-Z]\w+)", source)) - WRITTEN_BY_HAND | BEYOND_CUST)


def main() -> None:
    old = ENTRIES.read_text()
    lines, line = [], "   "
    for name in declared_names():
        if len(line) + 1 + len(name) > 118:
            lines, line = [*lines, line], "   "
        line += " " + name
    names = "\n".join([*lines, line])
    new = re.sub(r"(?s)(?<=\ndriver_entries! \{\n).*?(?=\n\}\n)", lambda _: names, old)
    if "--check" in sys.argv and new != old:
        sys.exit(f"{ENTRIES} is stale: run {sys.argv[0]}")
    ENTRIES.write_text(new)


main()
