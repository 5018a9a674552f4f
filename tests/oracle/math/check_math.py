"""Checks kernels/math against the C library in double, mpmath, Random123 and NVRTC.

    python3 tests/oracle/math/check_math.py [--stride 997] [--cubin FILE]

- Errors in units in the last place over every stride-th float (stride 1: all 2^32), and over 2^32 / stride pairs.
- The same bits from g++ without and with -mfma, by an order-free hash of all results, and the bits kept in hashes.txt. On a
  GPU functions_kernel.h must give the same sums: run_kernels.py.
- Philox 4x32-10 against Random123's known answers and a transcription of the paper in Python.
- NVRTC for sm_75 and sm_90: no approximate instruction in the PTX, bytes of code. Needs `pip install nvidia-cuda-nvrtc`.
"""
import argparse
import concurrent.futures
import ctypes
import glob
import math
import os
import random
import re
import site
import struct
import subprocess
import sys
import sysconfig
import tempfile

import mpmath

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.normpath(os.path.join(HERE, "../../../kernels"))
FUNCTIONS = ("sine", "cosine", "exponential", "logarithm", "arc_tangent2", "power")
LIMITS = {"sine": 1.5, "cosine": 1.5, "exponential": 1, "logarithm": 1, "arc_tangent2": 2, "power": 1.5}
HASHES = ("sine_cosine", "exponential", "logarithm", "arc_tangent2", "power", "random")


def to_float(value):
    return struct.unpack("f", struct.pack("f", value))[0]


class Worst(ctypes.Structure):
    _fields_ = [("units", ctypes.c_double), ("input", ctypes.c_uint64)]


def build(folder, name, *flags):
    path = os.path.join(folder, name + ".so")
    subprocess.run(["g++", "-O2", "-std=c++17", "-ffp-contract=off", "-Wall", "-Wextra", "-shared", "-fPIC", "-I", KERNELS,
                    "-I", HERE, *flags, os.path.join(HERE, "shim.cpp"), "-o", path], check=True)
    library = ctypes.CDLL(path)
    for function in HASHES if "-DPHALANX_F64" not in flags else ("random",):
        hasher = getattr(library, "hash_" + function)
        hasher.argtypes, hasher.restype = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32], ctypes.c_uint64
    library.uniform_between.argtypes = [ctypes.c_uint32, ctypes.c_float, ctypes.c_float]
    library.uniform_between.restype = ctypes.c_float
    if "-DPHALANX_F64" not in flags:
        library.worst_over.argtypes = [ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32]
        library.worst_over.restype = Worst
        library.call_one.argtypes = [ctypes.c_int, ctypes.c_float, ctypes.c_float, ctypes.c_void_p, ctypes.c_void_p]
    return library


def in_parts(function, count):
    """function(first, count) over parts of 0 .. count, on every core (ctypes lets go of Python's lock)."""
    size = max(1, min(1 << 22, count // 16))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda first: function(first, min(size, count - first)), range(0, count, size)))


def operands(library, function, i):
    if function < 4:
        return struct.unpack("f", struct.pack("I", i))[0], 0.0
    a, b = ctypes.c_float(), ctypes.c_float()
    library.operands_of(ctypes.c_uint32(i), ctypes.byref(a), ctypes.byref(b))
    return a.value, b.value


def exact(function, a, b):
    mpmath.mp.prec = 400
    a, b = mpmath.mpf(a), mpmath.mpf(b)
    return (lambda: mpmath.sin(a), lambda: mpmath.cos(a), lambda: mpmath.exp(a), lambda: mpmath.log(a),
            lambda: mpmath.atan2(a, b), lambda: mpmath.power(a, b))[function]()


def check_errors(library, stride):
    failures = []
    count = ((1 << 32) + stride - 1) // stride
    for function, name in enumerate(FUNCTIONS):
        worst = max(in_parts(lambda first, n: library.worst_over(function, first, n, stride), count), key=lambda w: w.units)
        a, b = operands(library, function, worst.input)
        print(f"{name:13} largest error {worst.units:.3f} units at ({a!r}, {b!r}) over {count} inputs")
        if not worst.units <= LIMITS[name]:
            failures.append(f"{name}: {worst.units} units, {LIMITS[name]} allowed")
        # The reference itself: the C library's double against mpmath, at the worst input and at random ones.
        got, want = ctypes.c_float(), ctypes.c_double()
        draws = random.Random(function)
        for i in [worst.input] + [draws.getrandbits(32) for _ in range(2000)]:
            a, b = operands(library, function, i)
            library.call_one(function, a, b, ctypes.byref(got), ctypes.byref(want))
            # What is left out is judged by the C library alone: NaN, infinities, zeros, negative bases.
            if not (1e-300 < abs(want.value) < 1e300 and abs(a) < 1e300 and abs(b) < 1e300 and (function != 5 or a > 0)):
                continue
            truth = exact(function, a, b)
            if abs(truth - mpmath.mpf(want.value)) > abs(truth) * mpmath.mpf(2) ** -48:
                failures.append(f"{name}: the C library is wrong at ({a!r}, {b!r})")
    return failures


def check_special(library):
    """The cases that a caller may rely on, one by one: bits, not sizes."""
    inf, nan = float("inf"), float("nan")
    cases = [(5, (x, y), w) for x, y, w in (
        (0.0, 0.0, 1.0), (nan, 0.0, 1.0), (1.0, nan, 1.0), (1.0, inf, 1.0), (-1.0, inf, 1.0), (0.0, 3.0, 0.0),
        (-0.0, 3.0, -0.0), (-0.0, 2.5, 0.0), (0.0, -1.0, inf), (-0.0, -1.0, -inf), (-0.0, -2.0, inf), (0.7, 1.0, 0.7),
        (3.0, 2.0, 9.0), (0.1, 2.0, to_float(to_float(0.1) ** 2)), (-2.0, 3.0, -8.0), (-2.0, 0.5, nan), (-inf, 3.0, -inf),
        (-inf, -3.0, -0.0), (-inf, 0.5, inf), (0.5, inf, 0.0), (0.5, -inf, inf), (2.0, inf, inf), (nan, 2.0, nan),
        (nan, 1.0, nan), (2.0, nan, nan))]
    cases += [(4, (y, x), w) for y, x, w in (
        (0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (0.0, -0.0, math.pi), (-0.0, -0.0, -math.pi), (inf, inf, math.pi / 4),
        (-inf, -inf, -3 * math.pi / 4), (inf, 1.0, math.pi / 2), (1.0, -inf, math.pi), (-1.0, inf, -0.0), (nan, 1.0, nan))]
    cases += [(f, (x, 0.0), w) for f, x, w in (
        (0, -0.0, -0.0), (0, 0.0, 0.0), (1, -0.0, 1.0), (0, inf, nan), (1, nan, nan), (2, -inf, 0.0), (2, inf, inf),
        (2, 0.0, 1.0), (2, nan, nan), (3, 1.0, 0.0), (3, 0.0, -inf), (3, -0.0, -inf), (3, -1.0, nan), (3, -inf, nan),
        (3, inf, inf), (3, nan, nan))]
    failures = []
    for function, (a, b), want in cases:
        got, reference = ctypes.c_float(), ctypes.c_double()
        library.call_one(function, a, b, ctypes.byref(got), ctypes.byref(reference))
        bits = lambda v: 0x7FFFFFFF if v != v else struct.unpack("I", struct.pack("f", v))[0]
        if struct.unpack("I", bytes(got))[0] != bits(want):
            failures.append(f"{FUNCTIONS[function]}({a}, {b}) is {got.value}, not {want}")
    print(f"special cases: {len(cases) - len(failures)} of {len(cases)} as they should be")
    return failures


def philox(counter, key):
    """Salmon et al. 2011, as the paper writes it: (R, L) pairs, mulhi and mullo."""
    c, k = list(counter), list(key)
    for _ in range(10):
        left, right = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(right >> 32) ^ c[1] ^ k[0], right & 0xFFFFFFFF, (left >> 32) ^ c[3] ^ k[1], left & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def check_random(library, double_build):
    """The first three are Random123's kat_vectors for philox4x32 10."""
    ones = 0xFFFFFFFF
    cases = [([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
             ([ones] * 4, [ones] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
             ([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0],
              [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1])]
    draws = random.Random(0)
    for _ in range(1000):
        counter, key = [draws.getrandbits(32) for _ in range(4)], [draws.getrandbits(32) for _ in range(2)]
        cases.append((counter, key, philox(counter, key)))
    failures = []
    for counter, key, want in cases:
        out = (ctypes.c_uint32 * 4)()
        library.philox_words((ctypes.c_uint32 * 4)(*counter), (ctypes.c_uint32 * 2)(*key), out)
        if list(out) != want or philox(counter, key) != want:
            failures.append(f"philox{counter, key} is {list(out)}, not {want}")
    for _ in range(10000):
        low, high = sorted(to_float(draws.uniform(-2, 2)) for _ in range(2))
        for word in (0, ones, draws.getrandbits(32)):
            x = library.uniform_between(word, low, high)
            if not (low <= x < high or low == high) or x != double_build.uniform_between(word, low, high):
                failures.append(f"uniform({word}, {low}, {high}) is {x}")
    print(f"random numbers: {len(failures)} failures in {len(cases)} counters and 30000 intervals")
    return failures


def check_bits(libraries, double_build, stride):
    failures = []
    count = ((1 << 32) + stride - 1) // stride
    for name in HASHES:
        tried = dict(libraries, double=double_build) if name == "random" else libraries
        sums = {build: sum(in_parts(lambda first, n: getattr(library, "hash_" + name)(first, n, stride), count)) % (1 << 64)
                for build, library in tried.items()}
        line = f"hash {name:13} {next(iter(sums.values())):016x} count {count} stride {stride}"
        print(f"{line}  {', '.join(sums)}")
        if len(set(sums.values())) > 1:
            failures.append(f"{name}: builds differ: {sums}")
        golden = [kept for kept in open(os.path.join(HERE, "hashes.txt")) if kept.split()[1::5] == [name, str(stride)]]
        if golden and golden[0].strip() != line:
            failures.append(f"{name}: not the bits of hashes.txt: if the change is meant, put the lines above there")
    return failures


def open_nvrtc():
    folders = [os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/lib64"]
    for root in {sysconfig.get_path("purelib"), *site.getsitepackages(), site.getusersitepackages()}:
        folders += glob.glob(root + "/nvidia/*/lib")
    for folder in folders:
        for path in glob.glob(folder + "/libnvrtc.so*"):
            return ctypes.CDLL(path)
    return None


def compile_kernels(nvrtc, architecture, kind):
    source = b'#include "functions_kernel.h"\n'
    program = ctypes.c_void_p()
    options = [f"--gpu-architecture={architecture}", "--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true",
               "--prec-sqrt=true", "-default-device", "-I" + KERNELS, "-I" + HERE]
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"functions.cu", 0, None, None)
    status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*[o.encode() for o in options]))
    get_size, get = {"ptx": (nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX), "cubin": (nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN)}[kind]
    if status:
        get_size, get = nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog
    size = ctypes.c_size_t()
    get_size(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    get(program, text)
    if status:
        raise SystemExit(text.value.decode())
    return text.raw


def sections(elf):
    """Name and bytes of each section of a 64-bit ELF file."""
    table, = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQII", elf, table + i * size) for i in range(count)]
    for header in headers:
        start = headers[names][4] + header[0]
        yield elf[start:elf.index(b"\0", start)].decode(), header[5]


def check_gpu_code(cubin_path):
    nvrtc = open_nvrtc()
    if nvrtc is None:
        print("NVRTC not found: GPU code not checked")
        return []
    failures = []
    for architecture in ("sm_75", "sm_90"):
        ptx = compile_kernels(nvrtc, architecture.replace("sm", "compute"), "ptx").decode()
        found = sorted(set(re.findall(r"^\s*(?:@\S+\s+)?(\S*(?:\.approx|\.ftz|\.full|\.f64)\S*)", ptx, re.M)))
        if found:
            failures.append(f"{architecture}: {found}")
        cubin = compile_kernels(nvrtc, architecture, "cubin")
        if cubin_path and architecture == "sm_90":
            open(cubin_path, "wb").write(cubin)
        sizes = dict(sections(cubin))
        prefix = ".text.size_of_"
        nothing = sizes[prefix + "nothing"]
        print(f"{architecture}: bytes of code:", ", ".join(f"{name[len(prefix):]} {size - nothing}"
              for name, size in sorted(sizes.items()) if name.startswith(prefix) and size != nothing))
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stride", type=int, default=997, help="odd; 1 tests every float")
    parser.add_argument("--cubin", help="where to leave the sm_90 kernels")
    parser.add_argument("--skip-errors", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        libraries = {"baseline": build(folder, "baseline"), "fma": build(folder, "fma", "-mfma")}
        double_build = build(folder, "double", "-DPHALANX_F64")
        failures = check_special(libraries["baseline"]) + check_random(libraries["baseline"], double_build)
        failures += check_gpu_code(arguments.cubin)
        if not arguments.skip_errors:
            failures += check_errors(libraries["fma"], arguments.stride)
        failures += check_bits(libraries, double_build, arguments.stride)
    print("\n".join(failures) or "all good")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
