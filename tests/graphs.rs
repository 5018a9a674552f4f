//! Steps that are captured into a CUDA graph and replayed leave the states of steps that are launched one by one. Needs a GPU:
//! `PHALANX_TEST_DEVICE=cuda`.
#![cfg(all(feature = "cuda", target_os = "linux"))]

mod scenes;

use libloading::{Library, Symbol};
use phalanx::{DeviceChoice, Model, Options, Simulation};
use scenes::{asset, device};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;

/// The driver, with a stream in the first device's primary context.
struct Driver {
    library: Library,
    stream: *mut c_void,
}

/// A graph that can be launched.
struct Graph<'a>(&'a Driver, *mut c_void);

type Call<A> = unsafe extern "C" fn(A) -> c_int;
type Call2<A, B> = unsafe extern "C" fn(A, B) -> c_int;
type Call3<A, B, C> = unsafe extern "C" fn(A, B, C) -> c_int;
type Pointer = *mut c_void;

impl Driver {
    /// `None` with a message if the tests are not to run on a GPU.
    fn open() -> Option<Driver> {
        if device() == DeviceChoice::Cpu {
            eprintln!("skipped: graphs are a GPU's (PHALANX_TEST_DEVICE=cuda)");
            return None;
        }
        // SAFETY: loading the driver runs its own initialisers only.
        let library = unsafe { Library::new("libcuda.so.1") }.unwrap();
        let mut driver = Driver { library, stream: null_mut() };
        let (mut context, mut stream) = (null_mut(), null_mut());
        // SAFETY: the signatures are the driver's, the pointers places for results.
        unsafe {
            driver.ok(driver.get::<Call<c_uint>>("cuInit")(0));
            driver.ok(driver.get::<Call2<*mut Pointer, c_int>>("cuDevicePrimaryCtxRetain")(&mut context, 0));
            driver.ok(driver.get::<Call<Pointer>>("cuCtxSetCurrent")(context));
            driver.ok(driver.get::<Call2<*mut Pointer, c_uint>>("cuStreamCreate")(&mut stream, 1));
        }
        driver.stream = stream;
        Some(driver)
    }

    fn get<T>(&self, name: &str) -> Symbol<'_, T> {
        // SAFETY: callers name the type that the driver's documentation gives.
        unsafe { self.library.get(name.as_bytes()) }.unwrap()
    }

    fn ok(&self, code: c_int) {
        assert_eq!(code, 0, "the driver refused");
    }

    /// A batch on this stream.
    fn batch(&self, model: &Model, options: Options) -> Simulation {
        let stream = Some(self.stream as u64);
        Simulation::new(model, Options { device: DeviceChoice::Cuda(0), stream, ..options }).unwrap()
    }

    /// What `work` puts into the stream, as a graph.
    fn capture(&self, work: impl FnOnce()) -> Graph<'_> {
        const RELAXED: c_int = 2;
        let (mut graph, mut launchable) = (null_mut(), null_mut());
        // SAFETY: as above; the stream is ours.
        unsafe {
            self.ok(self.get::<Call2<Pointer, c_int>>("cuStreamBeginCapture_v2")(self.stream, RELAXED));
            work();
            self.ok(self.get::<Call2<Pointer, *mut Pointer>>("cuStreamEndCapture")(self.stream, &mut graph));
            let instantiate = self.get::<Call3<*mut Pointer, Pointer, u64>>("cuGraphInstantiateWithFlags");
            self.ok(instantiate(&mut launchable, graph, 0));
        }
        Graph(self, launchable)
    }
}

impl Graph<'_> {
    fn replay(&self) {
        // SAFETY: as above; what the graph uses lives.
        unsafe { self.0.ok(self.0.get::<Call2<Pointer, Pointer>>("cuGraphLaunch")(self.1, self.0.stream)) };
    }
}

/// The states after so many steps on the CPU.
fn expected(model: &Model, num_envs: u64, steps: u32) -> Vec<u64> {
    let mut sim = Simulation::new(model, Options { device: DeviceChoice::Cpu, ..Options::envs(num_envs) }).unwrap();
    start(&mut sim);
    sim.step_many(steps).unwrap();
    sim.env_hashes().unwrap()
}

/// Controls that stay.
fn start(sim: &mut Simulation) {
    sim.draw_random_controls(0).unwrap();
}

#[test]
fn replayed_steps_are_those_that_are_launched_one_by_one() {
    let Some(driver) = Driver::open() else { return };
    for name in ["cartpole", "ant", "humanoid"] {
        let model = asset(name);
        for (num_envs, fast_contacts) in [(1, None), (100, None), (100, Some(1)), (9000, None)] {
            let fixed_workspace = fast_contacts.is_some();
            let own = Options { fast_contacts, fixed_workspace, wait_for_specialised: true, ..Options::envs(num_envs) };
            let mut sim = driver.batch(&model, own);
            start(&mut sim);
            sim.step_many(2).unwrap();
            let graph = driver.capture(|| sim.step_many(3).unwrap());
            for _ in 0..10 {
                graph.replay();
                sim.step().unwrap();
            }
            let hashes = expected(&model, num_envs, 2 + 10 * 4);
            assert!(sim.env_hashes().unwrap() == hashes, "{num_envs} of {name}, {fast_contacts:?} contacts");
        }
    }
}

/// No model with contacts: 3000 of them are stepped at once, which no retry launch follows, but not by the kernel that stands in.
#[test]
fn a_graph_of_the_kernel_that_stands_in_may_be_replayed_after_the_models_own_took_over() {
    let Some(driver) = Driver::open() else { return };
    let num_envs = 3000;
    let chain = |links: usize| {
        let body = "<body pos='0 0 -0.3'><joint axis='0 1 0'/><geom size='0.05' contype='0' conaffinity='0'/>";
        let xml = format!("<mujoco><worldbody>{}{}</worldbody></mujoco>", body.repeat(links), "</body>".repeat(links));
        Model::from_xml(&xml, "chain.xml").unwrap()
    };
    // Puts the generic kernel into the cache. The model's length differs from run to run, so that its own are mostly not there.
    drop(driver.batch(&chain(3), Options { generic_only: true, ..Options::envs(1) }));
    let model = chain(4 + std::process::id() as usize % 16);
    let mut sim = driver.batch(&model, Options::envs(num_envs));
    sim.write("qvel", &vec![0.5; model.nv]).unwrap();
    sim.step().unwrap();
    if sim.step_kernels().specialised_calls > 0 || sim.plan().step().waves > 1 {
        eprintln!("skipped: the model's kernels were compiled before, or the device steps fewer at once");
        return;
    }
    let graph = driver.capture(|| sim.step().unwrap());
    let mut steps = 1;
    while sim.step_kernels().specialised_calls < 3 {
        sim.step().unwrap();
        sim.synchronize().unwrap();
        steps += 1;
    }
    for _ in 0..3 {
        graph.replay();
        sim.step().unwrap();
        steps += 2;
    }
    let mut cpu = Simulation::new(&model, Options { device: DeviceChoice::Cpu, ..Options::envs(num_envs) }).unwrap();
    cpu.write("qvel", &vec![0.5; model.nv]).unwrap();
    cpu.step_many(steps).unwrap();
    assert!(sim.env_hashes().unwrap() == cpu.env_hashes().unwrap(), "after {steps} steps");
}
