//! Parallel loops and order-fixed reductions.
//!
//! All of it rests on [`join`]: work is halved until it is small, by its size alone, never by the number of threads.
//! So partial results are the same on any number of threads, and they are combined in the same tree. In a browser,
//! where there is one thread, the same tree is walked serially.

mod fold;
mod rows;

use std::ops::Range;

pub use fold::{dot, fold, max, min, sum};
pub use rows::{Slab, rows, rows_each, rows_sum, slabs};

/// Values a task should at least touch, so that handing it out costs little against doing it.
const TASK_VALUES: usize = 8192;

/// Number of pieces of this many values that make a task large enough for its overhead.
pub(crate) fn pieces_per_task(values: usize) -> usize {
    TASK_VALUES.div_ceil(values.max(1))
}

/// Threads that share the work.
#[cfg(not(target_arch = "wasm32"))]
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// Threads that share the work: one, in a browser.
#[cfg(target_arch = "wasm32")]
pub fn threads() -> usize {
    1
}

/// Does both, at the same time if a thread is free, and returns both results.
///
/// ```
/// let (sum, product) = undine_grid::par::join(|| 3 + 4, || 3 * 4);
/// assert_eq!((sum, product), (7, 12));
/// ```
#[cfg(not(target_arch = "wasm32"))]
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    rayon::join(a, b)
}

/// Does both one after the other: there is one thread in a browser.
#[cfg(target_arch = "wasm32")]
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    (a(), b())
}

/// Calls `work` on every `length` values of a slice, in parallel, with the index of the first of them. The last chunk
/// may be shorter.
///
/// ```
/// let mut squares = vec![0; 1000];
/// undine_grid::par::for_each_chunk(&mut squares, 64, |first, chunk| {
///     chunk.iter_mut().zip(first..).for_each(|(square, number)| *square = number * number);
/// });
/// assert_eq!(squares[999], 998001);
/// ```
pub fn for_each_chunk<T: Send>(values: &mut [T], length: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let length = length.max(1);
    pieces([values], length, &|piece, [chunk]| work(piece * length, chunk));
}

/// Like [`for_each_chunk`], with room to work in: chunk number n has `rooms[n]` to itself.
///
/// ```
/// let (mut values, mut rooms) = ([1, 2, 3, 4, 5], [0; 3]);
/// undine_grid::par::for_each_chunk_with(&mut values, 2, &mut rooms, |_, chunk, room| *room = chunk.iter().sum());
/// assert_eq!(rooms, [3, 7, 5]);
/// ```
///
/// # Panics
/// When there are fewer rooms than chunks.
pub fn for_each_chunk_with<T: Send, R: Send>(
    values: &mut [T],
    length: usize,
    rooms: &mut [R],
    work: impl Fn(usize, &mut [T], &mut R) + Sync,
) {
    let (length, total) = (length.max(1), values.len());
    let count = total.div_ceil(length);
    assert!(rooms.len() >= count, "{} rooms for {count} chunks", rooms.len());
    let (values, rooms) = (SharedStart(values.as_mut_ptr()), SharedStart(rooms.as_mut_ptr()));
    indexed_sum(0..count, &|piece| {
        let (values, rooms, first) = (&values, &rooms, piece * length);
        // SAFETY: chunk and room are within their slices, which are borrowed mutably until all chunks are done, and
        // `indexed_sum` calls with each index once, so that no two calls share a chunk or a room.
        let (chunk, room) = unsafe {
            let chunk = std::slice::from_raw_parts_mut(values.0.add(first), length.min(total - first));
            (chunk, &mut *rooms.0.add(piece))
        };
        work(first, chunk, room);
        0.0
    });
}

/// Calls `work` on the chunks of several slices that have one of the `chosen` numbers, in parallel: with the index of the
/// first value, the chunks of that number, and the room of that number. The time does not depend on what is not chosen.
///
/// ```
/// let (mut sums, mut squares, mut rooms) = ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [0; 3]);
/// undine_grid::par::for_chosen_chunks([&mut sums, &mut squares], 2, &mut rooms, &[0, 2], |first, [sums, squares], room| {
///     sums.iter_mut().for_each(|sum| *sum += *sum);
///     squares.iter_mut().for_each(|square| *square *= *square);
///     *room = first;
/// });
/// assert_eq!((sums, squares, rooms), ([2, 4, 3, 4, 10], [1, 4, 3, 4, 25], [0, 0, 4]));
/// ```
///
/// # Panics
/// When the chosen numbers do not rise, when there is no chunk or no room of such a number, or when the slices differ in
/// length.
pub fn for_chosen_chunks<T: Send, R: Send, const N: usize>(
    slices: [&mut [T]; N],
    length: usize,
    rooms: &mut [R],
    chosen: &[usize],
    work: impl Fn(usize, [&mut [T]; N], &mut R) + Sync,
) {
    let (length, total) = (length.max(1), slices.first().map_or(0, |slice| slice.len()));
    assert!(slices.iter().all(|slice| slice.len() == total), "slices of different lengths");
    assert!(chosen.is_sorted_by(|a, b| a < b), "the chosen numbers do not rise");
    let count = rooms.len().min(total.div_ceil(length));
    assert!(chosen.last().is_none_or(|&last| last < count), "{chosen:?} of {count} chunks");
    let (starts, rooms) =
        (slices.map(|slice| SharedStart(slice.as_mut_ptr())), SharedStart(rooms.as_mut_ptr()));
    indexed_sum(0..chosen.len(), &|index| {
        let (starts, rooms, piece) = (&starts, &rooms, chosen[index]);
        let first = piece * length;
        // SAFETY: chunks and room are within their slices, which are borrowed mutably until all chunks are done. The
        // chosen numbers differ, and `indexed_sum` calls with each index once, so that no two calls share any.
        let (chunks, room) = unsafe {
            let chunk = |start: &SharedStart<T>| {
                std::slice::from_raw_parts_mut(start.0.add(first), length.min(total - first))
            };
            (starts.each_ref().map(chunk), &mut *rooms.0.add(piece))
        };
        work(first, chunks, room);
        0.0
    });
}

/// Calls `work` with every index of a range, in parallel, and adds up what it returns in the order of the indices, pair
/// by pair in a tree that depends on the length of the range alone.
///
/// Takes `work` by reference to a trait object: rayon's join is then compiled once, here, and not again for each of the
/// hundreds of loops in the solvers. What one index stands for is large enough to pay for the indirect call.
fn indexed_sum(range: Range<usize>, work: &(dyn Fn(usize) -> f64 + Sync)) -> f64 {
    match range.len() {
        0 => 0.0,
        1 => work(range.start),
        count => {
            let middle = range.start + count / 2;
            let (low, high) =
                join(|| indexed_sum(range.start..middle, work), || indexed_sum(middle..range.end, work));
            low + high
        }
    }
}

/// Cuts slices of equal length into pieces of equal length, and works on the pieces with the same number together.
fn pieces<T: Send, const N: usize>(
    slices: [&mut [T]; N],
    length: usize,
    work: &(impl Fn(usize, [&mut [T]; N]) + Sync),
) {
    pieces_sum(slices, length, &|piece, chunks| {
        work(piece, chunks);
        0.0
    });
}

/// Like [`pieces`], and adds up what the pieces return, in the order in which they were cut.
///
/// # Panics
/// When the slices differ in length.
fn pieces_sum<T: Send, const N: usize>(
    slices: [&mut [T]; N],
    length: usize,
    work: &(impl Fn(usize, [&mut [T]; N]) -> f64 + Sync),
) -> f64 {
    let total = slices.first().map_or(0, |slice| slice.len());
    assert!(slices.iter().all(|slice| slice.len() == total), "slices of different lengths");
    let starts = slices.map(|slice| SharedStart(slice.as_mut_ptr()));
    indexed_sum(0..total.div_ceil(length), &|piece| {
        let first = piece * length;
        let count = length.min(total - first);
        let chunks = starts.each_ref().map(|start| {
            // SAFETY: `first + count` is within the slice, which is borrowed mutably until all pieces are done, and
            // `indexed_sum` calls with each index once, so that no two pieces overlap.
            unsafe { std::slice::from_raw_parts_mut(start.0.add(first), count) }
        });
        work(piece, chunks)
    })
}

/// Start of a slice of which several threads write disjoint pieces.
struct SharedStart<T>(*mut T);

// SAFETY: all users take disjoint pieces, and `T` may be sent to the threads that get them.
unsafe impl<T: Send> Sync for SharedStart<T> {}
