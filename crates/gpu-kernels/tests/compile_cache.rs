//! The cache of compiled kernels: shared, checked, bounded, and never an error.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use phalanx_gpu_kernels::compile::{Architecture, Cache, CacheKey, Nvrtc, NvrtcVersion, Request, compile_cached};

const NO_LIMIT: u64 = u64::MAX;

fn files(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

fn age(folder: &Path, key: CacheKey, seconds: u64) {
    let file = fs::File::options().write(true).open(folder.join(format!("{:032x}.cubin", key.0))).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
}

#[test]
fn what_was_put_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path().join("made/when/needed"), NO_LIMIT);
    assert_eq!(cache.get(CacheKey(1)), None);
    cache.put(CacheKey(1), b"one");
    cache.put(CacheKey(2), b"");
    assert_eq!(cache.get(CacheKey(1)).unwrap(), b"one");
    assert_eq!(cache.get(CacheKey(2)).unwrap(), b"");
}

#[test]
fn many_writers_and_readers_of_one_key_never_see_half_an_entry() {
    let folder = tempfile::tempdir().unwrap();
    let content = |writer: u8| vec![writer; 300_000 + usize::from(writer)];
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let folder = folder.path();
            scope.spawn(move || {
                let cache = Cache::in_folder(folder, NO_LIMIT);
                for _ in 0..20 {
                    cache.put(CacheKey(7), &content(writer));
                    let read = cache.get(CacheKey(7)).expect("an entry is always whole");
                    assert_eq!(read, content(read[0]));
                }
            });
        }
    });
    assert_eq!(files(folder.path()).len(), 1, "no temporary file is left");
}

#[test]
fn a_corrupt_entry_is_a_miss_and_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path(), NO_LIMIT);
    cache.put(CacheKey(3), b"some machine code");
    let path = folder.path().join(&files(folder.path())[0]);
    let good = fs::read(&path).unwrap();
    let mut flipped = good.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for broken in [&flipped[..], &good[..good.len() - 1], &good[..5], b"", b"PHXCUBIN0123456789abcdefwrong hash"] {
        fs::write(&path, broken).unwrap();
        assert_eq!(cache.get(CacheKey(3)), None);
    }
    cache.put(CacheKey(3), b"some machine code");
    assert_eq!(cache.get(CacheKey(3)).unwrap(), b"some machine code");
}

#[test]
fn over_the_limit_the_least_recently_used_entries_go() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path(), 3500);
    for key in 0..3 {
        cache.put(CacheKey(key), &[0; 1000]);
        age(folder.path(), CacheKey(key), 1000 - 100 * key as u64);
    }
    assert!(cache.get(CacheKey(0)).is_some(), "reading renews the oldest");
    cache.put(CacheKey(3), &[0; 1000]);
    let kept: Vec<_> = (0..4).map(|key| cache.get(CacheKey(key)).is_some()).collect();
    assert_eq!(kept, [true, false, true, true]);
}

#[test]
fn unrelated_models_under_the_limit_do_not_evict_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path(), 1 << 20);
    (0..50).for_each(|key| cache.put(CacheKey(key), &[0; 20_000]));
    assert!((0..50).all(|key| cache.get(CacheKey(key)).is_some()));
}

#[test]
fn an_entry_larger_than_the_limit_is_not_kept_and_evicts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path(), 2000);
    cache.put(CacheKey(1), &[0; 1000]);
    cache.put(CacheKey(2), &[0; 3000]);
    assert!(cache.get(CacheKey(1)).is_some());
    assert_eq!(cache.get(CacheKey(2)), None);
}

#[test]
fn files_of_dead_writers_are_removed_and_those_of_live_ones_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (dead, live) = (folder.path().join("a.cubin.1-0.tmp"), folder.path().join("b.cubin.2-0.tmp"));
    fs::write(&dead, "half").unwrap();
    fs::write(&live, "half").unwrap();
    let yesterday = SystemTime::now() - Duration::from_secs(86_400);
    fs::File::options().write(true).open(&dead).unwrap().set_modified(yesterday).unwrap();
    Cache::in_folder(folder.path(), NO_LIMIT).put(CacheKey(1), b"x");
    assert!(!dead.exists() && live.exists());
}

#[test]
fn a_folder_that_cannot_be_written_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    fs::write(&file, "").unwrap();
    for cache in [Cache::in_folder(file.join("below a file"), NO_LIMIT), Cache::none()] {
        cache.put(CacheKey(1), b"x");
        assert_eq!(cache.get(CacheKey(1)), None);
    }
}

#[test]
fn the_key_changes_with_everything_that_changes_the_code() {
    let headers = [("a.h".to_string(), "x".to_string()), ("b.h".to_string(), "y".to_string())];
    let moved = [("a.h".to_string(), "xb".to_string()), (".h".to_string(), "y".to_string())];
    let options = ["-DA".to_string()];
    let base = Request {
        name: "step",
        source: "s",
        headers: &headers,
        options: &options,
        arch: Architecture(90),
        keep_ptx: false,
    };
    let nvrtc = NvrtcVersion { major: 13, minor: 5 };
    let key = CacheKey::of(&base, nvrtc);
    assert_eq!(key, CacheKey::of(&Request { name: "other", keep_ptx: true, ..base.clone() }, nvrtc));
    let others = [
        CacheKey::of(&Request { source: "t", ..base.clone() }, nvrtc),
        CacheKey::of(&Request { headers: &headers[..1], ..base.clone() }, nvrtc),
        CacheKey::of(&Request { headers: &moved, ..base.clone() }, nvrtc),
        CacheKey::of(&Request { options: &[], ..base.clone() }, nvrtc),
        CacheKey::of(&Request { arch: Architecture(89), ..base.clone() }, nvrtc),
        CacheKey::of(&base, NvrtcVersion { minor: 0, ..nvrtc }),
    ];
    for (i, other) in others.iter().enumerate() {
        assert!(*other != key && !others[..i].contains(other), "case {i}");
    }
}

#[test]
fn a_cached_kernel_equals_the_compiled_one() {
    let Ok(nvrtc) = Nvrtc::open() else { return eprintln!("skipped: no NVRTC on this machine") };
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path(), NO_LIMIT);
    let request = Request {
        name: "fill",
        source: r#"extern "C" __global__ void fill(float* x) { x[threadIdx.x] = 1; }"#,
        headers: &[],
        options: &[],
        arch: Architecture(90),
        keep_ptx: false,
    };
    let first = compile_cached(&nvrtc, &cache, &request).unwrap();
    let again = compile_cached(&nvrtc, &cache, &request).unwrap();
    assert!(!first.from_cache && again.from_cache);
    assert_eq!((&first.cubin, &first.contents), (&again.cubin, &again.contents));

    // A whole entry that is no cubin is compiled again too.
    cache.put(CacheKey::of(&request, nvrtc.version()), b"not a cubin");
    let third = compile_cached(&nvrtc, &cache, &request).unwrap();
    assert!(!third.from_cache);
    assert_eq!(third.cubin, first.cubin);
}
