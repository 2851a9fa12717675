//! Packed chunks: half a byte per position.
//!
//! A group of 126 positions is one cache line: the base value, then 126 nibbles, the earlier position in the
//! low nibble. A nibble k below 15 encodes base + k * step; 15 marks an exception. The exceptions follow the
//! groups of a chunk, in order: position in the chunk (2 bytes) and value (1 byte), padded with bytes of 255 to
//! a whole cache line. The step is 2, since values of a layer differ by even numbers, or 1 if seeds can be
//! lost.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

const LINE: usize = 64;
const GROUP: usize = 2 * (LINE - 1);
const EXCEPTION: u8 = 15;
const ENTRY: usize = 3;

/// The bytes of the groups of `positions` positions.
pub(crate) fn groups_len(positions: usize) -> usize {
    positions.div_ceil(GROUP) * LINE
}

/// Packs the values of a chunk.
pub(crate) fn pack(values: &[i8], step: u8) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(groups_len(values.len()) + LINE);
    let mut exceptions = Vec::new();
    for (index, group) in values.chunks(GROUP).enumerate() {
        let base = base(group, step);
        let mut line = [0_u8; LINE];
        line[0] = base as u8;
        for (place, value) in group.iter().enumerate() {
            let above = i32::from(*value) - i32::from(base);
            let steps = above / i32::from(step);
            let fits = above >= 0 && above % i32::from(step) == 0 && steps < i32::from(EXCEPTION);
            if !fits {
                let position = (index * GROUP + place) as u16;
                exceptions.extend_from_slice(&position.to_le_bytes());
                exceptions.push(*value as u8);
            }
            let nibble = if fits { steps as u8 } else { EXCEPTION };
            line[1 + place / 2] |= nibble << (4 * (place % 2));
        }
        bytes.extend_from_slice(&line);
    }
    bytes.extend_from_slice(&exceptions);
    bytes.resize(bytes.len().next_multiple_of(LINE), 0xff);
    bytes
}

/// The base with the most values within fifteen steps.
fn base(group: &[i8], step: u8) -> i8 {
    let step = usize::from(step);
    let min = group.iter().copied().min().unwrap_or(0);
    let mut counts = [0_u32; 256 + 2 * 16];
    for value in group {
        counts[(i32::from(*value) - i32::from(min)) as usize] += 1;
    }
    let span = |start: usize| (0..15).map(|k| counts[start + k * step]).sum::<u32>();
    let max = group.iter().copied().max().unwrap_or(0);
    let starts = 0..=(i32::from(max) - i32::from(min)) as usize;
    let most = starts.max_by_key(|start| (span(*start), std::cmp::Reverse(*start)));
    (i32::from(min) + most.unwrap_or(0) as i32) as i8
}

/// The value of a position in a packed chunk of `positions` positions; `None` if the chunk is damaged.
///
/// Another process may write to the bytes at any time: each is loaded once.
#[inline]
pub(crate) fn unpack(
    bytes: &[AtomicU8],
    positions: usize,
    step: u8,
    position: usize,
) -> Option<i8> {
    let (group, place) = (position / GROUP, position % GROUP);
    let line = bytes.get(group * LINE..(group + 1) * LINE)?;
    let nibble = line[1 + place / 2].load(Relaxed) >> (4 * (place % 2)) & 15;
    if nibble != EXCEPTION {
        return Some(line[0].load(Relaxed).wrapping_add(nibble.wrapping_mul(step)) as i8);
    }
    find_exception(bytes.get(groups_len(positions)..)?, position)
}

#[cold]
fn find_exception(entries: &[AtomicU8], position: usize) -> Option<i8> {
    let entry = |index: usize| {
        let [low, high, value] = [0, 1, 2].map(|byte| entries[index * ENTRY + byte].load(Relaxed));
        (usize::from(u16::from_le_bytes([low, high])), value as i8)
    };
    let (mut low, mut high) = (0, entries.len() / ENTRY);
    while low < high {
        let middle = low.midpoint(high);
        if entry(middle).0 < position {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    (low < entries.len() / ENTRY)
        .then(|| entry(low))
        .filter(|(found, _)| *found == position)
        .map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use sowing_rules::SeededRng;

    use super::*;

    fn atomic(bytes: Vec<u8>) -> Vec<AtomicU8> {
        bytes.into_iter().map(AtomicU8::new).collect()
    }

    #[test]
    fn a_damaged_chunk_has_no_value() {
        let mut values = [0; GROUP + 1];
        values[5] = 100;
        let bytes = pack(&values, 1);
        assert_eq!(unpack(&atomic(bytes.clone()), values.len(), 1, 5), Some(100));
        // The entry of the exception names another position, or is cut off.
        let entries = groups_len(values.len());
        let mut other = bytes.clone();
        other[entries] += 1;
        assert_eq!(unpack(&atomic(other), values.len(), 1, 5), None);
        assert_eq!(unpack(&atomic(bytes[..entries].to_vec()), values.len(), 1, 5), None);
        assert_eq!(unpack(&atomic(bytes[..LINE].to_vec()), values.len(), 1, GROUP), None);
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        let mut random = SeededRng::new(1, 0);
        for (len, step, spread) in
            [(1, 2, 3), (126, 1, 9), (127, 2, 40), (5000, 2, 100), (65536, 1, 255), (65536, 2, 120)]
        {
            let values: Vec<i8> = (0..len).map(|_| random.below(spread) as i8).collect();
            let bytes = atomic(pack(&values, step));
            assert_eq!(bytes.len() % 64, 0);
            for (position, value) in values.iter().enumerate() {
                assert_eq!(unpack(&bytes, len, step, position), Some(*value));
            }
        }
    }
}
