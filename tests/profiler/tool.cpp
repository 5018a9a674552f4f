// A profiler's library for tests: writes the ranges that it hears of to PROFILER_FILE, one a line, indented by depth.
//
// It is the tool's side of NVTX 3, with the names and numbers of NVTX's header nvtxDetail/nvtxTypes.h.
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace {

using Function = void (*)();

struct NvtxExportTableCallbacks {
  size_t struct_size;
  int (*GetModuleFunctionTable)(int module, Function*** table, unsigned* size);
};

constexpr int NVTX_ETID_CALLBACKS = 1;
constexpr int NVTX_CB_MODULE_CORE = 1;
constexpr int NVTX_CBID_CORE_RangePushA = 9;
constexpr int NVTX_CBID_CORE_RangePop = 11;

FILE* file = nullptr;
thread_local int depth = 0;

int push(const char* name) {
  fprintf(file, "%*s%s\n", 2 * depth, "", name);
  return depth++;
}

int pop() { return --depth; }

}  // namespace

extern "C" int InitializeInjectionNvtx2(const void* (*export_table)(unsigned)) {
  file = fopen(getenv("PROFILER_FILE"), "w");
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  Function** functions = nullptr;
  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, nullptr);
  *functions[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<Function>(push);
  *functions[NVTX_CBID_CORE_RangePop] = reinterpret_cast<Function>(pop);
  return file != nullptr;
}
