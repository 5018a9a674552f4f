fn main() {
    std::fs::write("kernels/generated/view.h", phalanx_gpu_kernels::view::generic_header()).unwrap();
    std::fs::write("kernels/generated/pair_table.h", phalanx_gpu_kernels::pairs::pair_header()).unwrap();
    println!("{} slots", phalanx_gpu_kernels::view::slot_names().len());
}
