//! A machine without a driver: every way in gives a clean error that says what to do, and the report says what is missing.

use phalanx_gpu_kernels::cuda::{self, CudaError, DoctorReport};

fn has_driver() -> bool {
    let found = cuda::driver_version().is_ok();
    if found {
        eprintln!("skipped: this machine has a driver");
    }
    found
}

#[test]
fn every_way_in_says_that_there_is_no_driver_and_what_to_do() {
    if has_driver() {
        return;
    }
    let errors = [cuda::driver_version().unwrap_err(), cuda::device_count().unwrap_err(), cuda::devices().unwrap_err()];
    for error in errors {
        let advice = match error {
            CudaError::NotBuilt => "build on Linux with the feature `cuda`",
            CudaError::NoDriver { .. } => "without one use the CPU",
            ref other => panic!("{other}"),
        };
        assert!(error.to_string().contains(advice), "{error}");
        assert_eq!((error.code(), error.is_sticky()), (None, false));
    }
}

#[cfg(all(feature = "cuda", target_os = "linux"))]
#[test]
fn a_device_does_not_open_without_a_driver() {
    if has_driver() {
        return;
    }
    for ordinal in [0, 7] {
        assert!(matches!(cuda::Device::open(ordinal), Err(CudaError::NoDriver { .. })));
    }
}

#[test]
fn the_report_names_the_lack_and_survives_serialisation() {
    let report = DoctorReport::of_this_machine();
    let text = report.to_string();
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["missing"].as_array().unwrap().len(), report.missing.len());
    if report.driver.is_none() {
        assert!(!report.is_gpu_usable());
        assert!(text.contains("driver   none") && text.contains("missing  "), "{text}");
    }
    if let Some(nvrtc) = &report.nvrtc {
        assert!(text.contains(&nvrtc.path.display().to_string()), "{text}");
    }
}
