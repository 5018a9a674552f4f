"""Compiles every narrow-phase header with NVRTC and prints the bytes of code of each pair.

No GPU is needed. A pair's bytes are the .text section of a kernel that only calls it, so shared routines count in each.
"""

import ctypes
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
OPTIONS = ["--gpu-architecture=sm_90", "--std=c++17", "--fmad=false", "-default-device", "-prec-div=true", "-prec-sqrt=true",
           f"-I{ROOT / 'kernels'}"]


def library():
    for folder in map(pathlib.Path, sys.path):
        for path in sorted(folder.glob("nvidia/*/lib/libnvrtc.so*")):
            return ctypes.CDLL(str(path))
    raise SystemExit("no NVRTC: pip install nvidia-cuda-nvrtc")


def cubin(nvrtc, source):
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"pair.cu", 0, None, None)
    options = (ctypes.c_char_p * len(OPTIONS))(*[o.encode() for o in OPTIONS])
    failed = nvrtc.nvrtcCompileProgram(program, len(OPTIONS), options)
    size = ctypes.c_size_t()
    if failed:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise SystemExit(log.value.decode())
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    binary = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, binary)
    return binary.raw


def code_bytes(elf):
    """The sizes of the .text sections of a 64-bit ELF file."""
    table, = struct.unpack_from("<Q", elf, 0x28)
    entry, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    section = [struct.unpack_from("<IIQQQQ", elf, table + i * entry) for i in range(count)]
    strings = section[names][4]
    text = [s for s in section if elf[strings + s[0]:].startswith(b".text")]
    return sum(s[5] for s in text)


def kernel(pair):
    return f"""#include "collision/narrowphase/{pair}.h"
extern "C" __global__ void collide(const Geom* geoms, real margin, ContactPoint* contacts, int* count) {{
  *count = {pair}(geoms[0], geoms[1], margin, contacts);
}}"""


def main():
    nvrtc = library()
    shapes = ("plane", "sphere", "capsule", "ellipsoid", "cylinder", "box")
    total = 0
    for pair in (f"{a}_{b}" for i, a in enumerate(shapes) for b in shapes[i:]):
        if not (ROOT / "kernels/collision/narrowphase" / f"{pair}.h").exists():
            continue
        size = code_bytes(cubin(nvrtc, kernel(pair)))
        total += size
        print(f"{pair:22} {size:7}")
    print(f"{'sum':22} {total:7}")


if __name__ == "__main__":
    main()
