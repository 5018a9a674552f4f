//! What the GPU tells of its calls in memory that the host reads without waiting: the marks, and on request the time of each
//! call.
//!
//! The last kernel of a call with retries, and of one call in some without, writes the marks (see `publish_marks` in
//! `kernels/run.h`). Where calls are timed each has a place of its own in a ring, between two events; places are read in order
//! once their second event has passed.
use super::MARK_WORDS;
use super::seen::{CallTimes, Needs, Seen};
use crate::cuda::{CudaError, Device, Event, PinnedBuffer, StreamHandle};
use std::sync::atomic::Ordering::Acquire;

/// Where words of the marks are, as in `kernels/run.h`.
pub(super) const BEFORE: usize = 4;
pub(super) const CALLS: usize = 8;
pub(super) const RETRIED_CALLS: usize = 9;
pub(super) const RETRIED: usize = 10;
pub(super) const RETRIED_LAST: usize = 11;
pub(super) const RETRIED_MOST: usize = 12;

/// Calls that are timed at a time. The driver queues fewer, so the ring is hardly ever full; a call that finds no place is not
/// timed.
const TIMED_CALLS: usize = 1024;

/// Memory that the GPU writes and the host reads.
pub(super) struct News {
    /// The first place is for calls that are not timed; the ring follows.
    places: PinnedBuffer,
    clock: Option<Clock>,
    /// The place that was read last.
    latest: usize,
}

/// The ring of timed calls.
struct Clock {
    events: Vec<(Event, Event)>,
    /// Calls that were begun, and those that were read.
    begun: u64,
    read: u64,
    times: CallTimes,
}

/// The words of one call's place.
pub(super) type Words = [u32; MARK_WORDS];

impl News {
    /// Takes the memory; `timed` for the times of calls too.
    pub(super) fn new(device: &Device, timed: bool) -> Result<News, CudaError> {
        let ring = if timed { TIMED_CALLS } else { 0 };
        let places = PinnedBuffer::allocate(device, (1 + ring) * 4 * MARK_WORDS, "news of the calls")?;
        let pair = |_| Ok((Event::with_timing(device)?, Event::with_timing(device)?));
        let events = (0..ring).map(pair).collect::<Result<Vec<_>, CudaError>>()?;
        let clock = timed.then(|| Clock { events, begun: 0, read: 0, times: CallTimes::default() });
        Ok(News { places, clock, latest: 0 })
    }

    /// Whether calls are timed.
    pub(super) fn is_timed(&self) -> bool {
        self.clock.is_some()
    }

    /// Begins a call; returns its place.
    pub(super) fn begin(&mut self, stream: StreamHandle) -> Result<usize, CudaError> {
        self.read_passed()?;
        let Some(clock) = &mut self.clock else { return Ok(0) };
        if clock.begun - clock.read == TIMED_CALLS as u64 {
            return Ok(0);
        }
        let index = (clock.begun % TIMED_CALLS as u64) as usize;
        clock.events[index].0.record(stream)?;
        Ok(1 + index)
    }

    /// Where the call of this place writes, as the GPU sees it.
    pub(super) fn address(&self, place: usize) -> u64 {
        self.places.device_pointer() + (place * 4 * MARK_WORDS) as u64
    }

    /// Ends the call of this place.
    pub(super) fn end(&mut self, place: usize, stream: StreamHandle) -> Result<(), CudaError> {
        let Some(clock) = self.clock.as_mut().filter(|_| place > 0) else { return Ok(()) };
        clock.begun += 1;
        clock.events[place - 1].1.record(stream)
    }

    /// The latest marks that have arrived, ledger words first. Words of a call that is being told may be of the call before: they
    /// decide when a workspace is re-sized, never bits.
    pub(super) fn latest(&self) -> Words {
        let words = &self.places.counters()[self.latest * MARK_WORDS..][..MARK_WORDS];
        let mut latest = Words::default();
        (0..MARK_WORDS).rev().for_each(|i| latest[i] = words[i].load(Acquire));
        latest
    }

    /// The times of the calls that are done, since they were last taken.
    pub(super) fn take_times(&mut self) -> Result<CallTimes, CudaError> {
        self.read_passed()?;
        Ok(self.clock.as_mut().map(|clock| std::mem::take(&mut clock.times)).unwrap_or_default())
    }

    /// Reads the timed calls that are done; never waits.
    fn read_passed(&mut self) -> Result<(), CudaError> {
        let Some(clock) = &mut self.clock else { return Ok(()) };
        while clock.read < clock.begun {
            let index = (clock.read % TIMED_CALLS as u64) as usize;
            let (start, end) = &clock.events[index];
            if !end.is_passed()? {
                break;
            }
            self.latest = 1 + index;
            let retried = self.places.counters()[self.latest * MARK_WORDS + RETRIED_LAST].load(Acquire);
            clock.times.add(f64::from(end.milliseconds_since(start)?) / 1e3, retried);
            clock.read += 1;
        }
        Ok(())
    }
}

/// The needs of the calls since the marks were last moved, and of those before.
pub(super) fn needs(words: &Words) -> (Needs, Needs) {
    (Needs::of(words), Needs::of(&words[BEFORE..]))
}

/// Brings `seen` up to date; words that are older change nothing. The GPU counts with 32 bits; fewer than 2^31 calls and retries
/// lie between two looks.
pub(super) fn catch_up(seen: &mut Seen, words: &Words) {
    let further = |count: u64, word: u32| {
        let more = word.wrapping_sub(count as u32);
        if more < 1 << 31 { count + u64::from(more) } else { count }
    };
    seen.calls = further(seen.calls, words[CALLS]);
    seen.retried_calls = further(seen.retried_calls, words[RETRIED_CALLS]);
    seen.retried = further(seen.retried, words[RETRIED]);
    seen.most_retried = seen.most_retried.max(words[RETRIED_MOST]);
    let (recent, before) = needs(words);
    seen.most = seen.most.at_least(recent).at_least(before);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The marks after so many calls, every other of which retried three environments.
    fn after(calls: u32, contacts: u32) -> Words {
        let mut words = Words::default();
        (words[0], words[BEFORE]) = (contacts, 5);
        (words[CALLS], words[RETRIED_CALLS]) = (calls, calls / 2);
        (words[RETRIED], words[RETRIED_LAST], words[RETRIED_MOST]) = ((calls / 2).wrapping_mul(3), 3, 3);
        words
    }

    #[test]
    fn words_that_are_older_than_what_is_known_change_nothing() {
        let mut seen = Seen::default();
        catch_up(&mut seen, &after(10, 7));
        let known = seen;
        catch_up(&mut seen, &after(8, 6));
        assert_eq!(seen, known);
        assert_eq!((seen.calls, seen.most.contacts, seen.most_retried), (10, 7, 3));
        catch_up(&mut seen, &after(11, 2));
        assert_eq!((seen.calls, seen.most.contacts), (11, 7), "what was needed before is kept");
    }

    #[test]
    fn counts_go_on_where_the_devices_words_begin_anew() {
        let mut seen = Seen::default();
        for calls in [1_000_000_000, 2_000_000_000, 3_000_000_000, 4_000_000_000] {
            catch_up(&mut seen, &after(calls, 7));
        }
        assert_eq!((seen.calls, seen.retried_calls, seen.retried), (4_000_000_000, 2_000_000_000, 6_000_000_000));
        let mut words = after(4_000_000_000, 7);
        words[CALLS] = words[CALLS].wrapping_add(1_000_000_000);
        catch_up(&mut seen, &words);
        assert_eq!(seen.calls, 5_000_000_000);
    }
}
