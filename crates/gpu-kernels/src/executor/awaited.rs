//! Something that a thread makes while a stand-in serves.
//!
//! Looking whether it is there never waits. What was made is finished on the caller's thread, once; if it cannot be made or
//! finished, the stand-in serves for good and the log says why. Dropping waits for the thread: a compiler that is cut off
//! keeps nothing for the next run, and must not run on while the program ends.
use super::ExecutorError;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread::JoinHandle;

/// A value `R`, ready or in the making from an `M`.
pub(super) struct Awaited<M, R> {
    what: &'static str,
    state: State<M, R>,
    thread: Option<JoinHandle<()>>,
}

enum State<M, R> {
    Making(Receiver<Result<M, ExecutorError>>),
    Ready(R),
    GivenUp,
}

impl<M: Send + 'static, R> Awaited<M, R> {
    /// A value that is there already.
    pub(super) fn ready(what: &'static str, value: R) -> Self {
        Awaited { what, state: State::Ready(value), thread: None }
    }

    /// Starts making one on a thread.
    pub(super) fn start(what: &'static str, make: impl FnOnce() -> Result<M, ExecutorError> + Send + 'static) -> Self {
        let (sender, receiver) = channel();
        let work = move || {
            // Nobody receives if the value was dropped meanwhile.
            let _ = sender.send(make());
        };
        match std::thread::Builder::new().name("phalanx-compiler".into()).spawn(work) {
            Ok(thread) => Awaited { what, state: State::Making(receiver), thread: Some(thread) },
            Err(error) => {
                tracing::warn!("{what}: no thread to make it ({error}); its stand-in goes on");
                Awaited { what, state: State::GivenUp, thread: None }
            }
        }
    }

    /// Whether it may still come.
    pub(super) fn is_making(&self) -> bool {
        matches!(self.state, State::Making(_))
    }

    /// The value, if it is there or was made meanwhile: then `finish` makes it ready.
    pub(super) fn poll(&mut self, finish: impl FnOnce(M) -> Result<R, ExecutorError>) -> Option<&mut R> {
        if let State::Making(receiver) = &self.state {
            let finished = match receiver.try_recv() {
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => Err("its thread panicked".to_owned()),
                Ok(made) => made.and_then(finish).map_err(|error| error.to_string()),
            };
            self.state = match finished {
                Ok(value) => State::Ready(value),
                Err(reason) => {
                    tracing::warn!("{}: {reason}; its stand-in goes on", self.what);
                    State::GivenUp
                }
            };
        }
        self.get()
    }

    /// The value, if it is ready.
    pub(super) fn get(&mut self) -> Option<&mut R> {
        match &mut self.state {
            State::Ready(value) => Some(value),
            State::Making(_) | State::GivenUp => None,
        }
    }
}

impl<M, R> Drop for Awaited<M, R> {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        if !thread.is_finished() {
            tracing::info!("waiting for {}, to keep it for the next run", self.what);
        }
        // A panic was reported when it happened.
        let _ = thread.join();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, mpsc};

    /// One that is made when the sender says so, from a number or a failure.
    fn on_command() -> (mpsc::Sender<Result<u32, ExecutorError>>, Awaited<u32, String>) {
        let (sender, receiver) = mpsc::channel();
        (sender, Awaited::start("a number", move || receiver.recv().expect("a command")))
    }

    fn failure() -> ExecutorError {
        ExecutorError::HostMemory { bytes: 1, what: "a test".into() }
    }

    /// Polls until it is no longer in the making.
    fn settle(awaited: &mut Awaited<u32, String>, finish: fn(u32) -> Result<String, ExecutorError>) {
        while awaited.is_making() {
            awaited.poll(finish);
            std::thread::yield_now();
        }
    }

    #[test]
    fn the_stand_in_serves_until_it_is_made_and_it_is_finished_once() {
        let (command, mut awaited) = on_command();
        for _ in 0..100 {
            assert_eq!(awaited.poll(|_| panic!("nothing is made yet")), None);
        }
        command.send(Ok(7)).unwrap();
        settle(&mut awaited, |n| Ok(format!("{n}")));
        assert_eq!(awaited.poll(|_| panic!("finished twice")), Some(&mut "7".to_owned()));
        assert_eq!(awaited.get(), Some(&mut "7".to_owned()));
    }

    #[test]
    fn what_cannot_be_made_or_finished_leaves_the_stand_in_for_good() {
        let (command, mut unmade) = on_command();
        command.send(Err(failure())).unwrap();
        settle(&mut unmade, |_| panic!("nothing was made"));
        let (command, mut unfinished) = on_command();
        command.send(Ok(7)).unwrap();
        settle(&mut unfinished, |_| Err(failure()));
        let mut panicked: Awaited<u32, String> = Awaited::start("a panic", || panic!("of a test"));
        settle(&mut panicked, |_| panic!("nothing was made"));
        for mut awaited in [unmade, unfinished, panicked] {
            assert_eq!(awaited.poll(|_| panic!("given up")), None);
        }
    }

    #[test]
    fn what_is_ready_needs_no_thread() {
        let mut awaited: Awaited<u32, u8> = Awaited::ready("a byte", 3);
        assert!(!awaited.is_making());
        assert_eq!(awaited.poll(|_| panic!("it is ready")), Some(&mut 3));
    }

    #[test]
    fn dropping_waits_for_the_thread() {
        let done = Arc::new(AtomicBool::new(false));
        let (command, receiver) = mpsc::channel::<()>();
        let seen = done.clone();
        let awaited: Awaited<u32, u32> = Awaited::start("a number", move || {
            receiver.recv().expect("a command");
            std::thread::sleep(std::time::Duration::from_millis(20));
            seen.store(true, Ordering::SeqCst);
            Ok(1)
        });
        command.send(()).unwrap();
        drop(awaited);
        assert!(done.load(Ordering::SeqCst));
    }
}
