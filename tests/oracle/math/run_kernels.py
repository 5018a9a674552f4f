"""Runs the hash kernels on the first CUDA device and compares with the host: for a machine with a GPU.

    check_math.py --cubin FILE prints lines "hash NAME SUM count N stride S"; give them here on standard input:
    python3 run_kernels.py FILE < lines
"""
import ctypes
import sys


def check(status, what):
    if status:
        raise SystemExit(f"{what}: CUDA error {status}")


def main():
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context, module, kernel = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    sum_at, value = ctypes.c_uint64(), ctypes.c_uint64()
    check(cuda.cuInit(0), "cuInit")
    check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    check(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    check(cuda.cuModuleLoadData(ctypes.byref(module), open(sys.argv[1], "rb").read()), "cuModuleLoadData")
    check(cuda.cuMemAlloc_v2(ctypes.byref(sum_at), 8), "cuMemAlloc")
    different = 0
    for line in sys.stdin:
        if not line.startswith("hash "):
            continue
        _, name, want, _, count, _, stride, *_ = line.split()
        check(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"hash_kernel_" + name.encode()), name)
        registers, local = ctypes.c_int(), ctypes.c_int()
        cuda.cuFuncGetAttribute(ctypes.byref(local), 3, kernel)
        cuda.cuFuncGetAttribute(ctypes.byref(registers), 4, kernel)
        check(cuda.cuMemsetD8_v2(sum_at, 0, ctypes.c_size_t(8)), "cuMemsetD8")
        values = [ctypes.c_uint64(int(count)), ctypes.c_uint32(int(stride)), sum_at]
        pointers = (ctypes.c_void_p * 3)(*[ctypes.addressof(v) for v in values])
        check(cuda.cuLaunchKernel(kernel, 2048, 1, 1, 256, 1, 1, 0, None, pointers, None), name)
        check(cuda.cuMemcpyDtoH_v2(ctypes.byref(value), sum_at, ctypes.c_size_t(8)), name)
        same = value.value == int(want, 16)
        different += not same
        verdict = "same" if same else "host has " + want
        print(f"{name:13} {value.value:016x} {verdict}, {registers.value} registers, {local.value} local bytes")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
