//! The inner loops over bytes, compiled for any processor and for AVX2.

use super::row_maps::{CandidateTable, CaptureMap, CrossingMap};

/// A line of opponent's values, and the mover's gain: the mover's value is `gain - line`.
pub(super) struct GainedLine<'a> {
    pub(super) line: &'a [i8],
    pub(super) gain: i8,
}

/// The inner loops for one instruction set. All of them compute the same bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernels {
    /// `out = max(out, gain - line)`
    pub(super) max_sub: fn(out: &mut [i8], line: &[i8], gain: i8),
    /// `out = max(out, gain + line)`
    pub(super) max_add: fn(out: &mut [i8], line: &[i8], gain: i8),
    /// `out = gain - line`
    pub(super) sub: fn(out: &mut [i8], line: &[i8], gain: i8),
    /// `out = gain + line`
    pub(super) add: fn(out: &mut [i8], line: &[i8], gain: i8),
    /// `out[i] = line[map[i]]`
    pub(super) gather: fn(out: &mut [i8], line: &[i8], map: &CrossingMap),
    /// `out[i] = gain - line[index]` with `line` and `index` from the map
    pub(super) gather_capture: fn(out: &mut [i8], lines: &[GainedLine<'_>], map: &CaptureMap),
    /// `out[i] = max(candidates[index])` over the indices of i in the table
    pub(super) best: fn(out: &mut [i8], candidates: &[i8], table: &CandidateTable),
}

impl Kernels {
    /// The fastest for this processor.
    pub(super) fn detect() -> Kernels {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return avx2::KERNELS;
        }
        Kernels::PORTABLE
    }

    /// For any processor.
    pub(super) const PORTABLE: Kernels = Kernels {
        max_sub: portable::max_sub,
        max_add: portable::max_add,
        sub: portable::sub,
        add: portable::add,
        gather: portable::gather,
        gather_capture: portable::gather_capture,
        best: portable::best,
    };
}

mod portable {
    use super::{CandidateTable, CaptureMap, CrossingMap, GainedLine};
    use crate::build::row_maps::Gather;

    macro_rules! elementwise {
        ($($name:ident: $value:expr;)*) => {$(
            #[inline(always)]
            pub(super) fn $name(out: &mut [i8], line: &[i8], gain: i8) {
                assert_eq!(out.len(), line.len());
                for (out, value) in out.iter_mut().zip(line) {
                    *out = $value(*out, gain, *value);
                }
            }
        )*};
    }

    elementwise! {
        max_sub: |out: i8, gain: i8, value: i8| out.max(gain.wrapping_sub(value));
        max_add: |out: i8, gain: i8, value: i8| out.max(gain.wrapping_add(value));
        sub: |_, gain: i8, value: i8| gain.wrapping_sub(value);
        add: |_, gain: i8, value: i8| gain.wrapping_add(value);
    }

    #[inline(always)]
    pub(super) fn gather(out: &mut [i8], line: &[i8], map: &CrossingMap) {
        assert_eq!(out.len(), map.len());
        assert!(map.bound() <= line.len());
        match map.gather() {
            Gather::Runs(runs) => {
                let mut at = 0;
                for run in runs {
                    let from = run.from as usize;
                    let len = run.len as usize;
                    copy(&mut out[at..], &line[from..], len);
                    at += len;
                }
            }
            Gather::Indices(indices) => {
                for (out, index) in out.iter_mut().zip(indices) {
                    // SAFETY: the indices of a map are below its bound, which is at most the line's length.
                    *out = unsafe { *line.get_unchecked(*index as usize) };
                }
            }
        }
    }

    /// Copies `len` values, and up to 31 more that a later copy overwrites.
    #[inline(always)]
    fn copy(out: &mut [i8], line: &[i8], len: usize) {
        const STEP: usize = 32;
        let mut done = 0;
        while done < len {
            if out.len() - done < STEP || line.len() - done < STEP {
                out[done..len].copy_from_slice(&line[done..len]);
                return;
            }
            out[done..done + STEP].copy_from_slice(&line[done..done + STEP]);
            done += STEP;
        }
    }

    #[inline(always)]
    pub(super) fn gather_capture(out: &mut [i8], lines: &[GainedLine<'_>], map: &CaptureMap) {
        assert_eq!(out.len(), map.len());
        assert_eq!(lines.len(), map.bounds().len());
        let covered = lines.iter().zip(map.bounds()).all(|(line, bound)| line.line.len() >= *bound);
        assert!(covered, "a line is shorter than its indices in the map");
        if let Some(runs) = map.runs() {
            let mut at = 0;
            for run in runs {
                let GainedLine { line, gain } = lines[run.taken as usize];
                let (from, len) = (run.from as usize, run.len as usize);
                for (out, value) in out[at..at + len].iter_mut().zip(&line[from..from + len]) {
                    *out = gain.wrapping_sub(*value);
                }
                at += len;
            }
            return;
        }
        for (out, entry) in out.iter_mut().zip(map.entries()) {
            // SAFETY: a map has a bound for each line, and all indices are below it.
            *out = unsafe {
                let line = lines.get_unchecked(entry.taken());
                line.gain.wrapping_sub(*line.line.get_unchecked(entry.index()))
            };
        }
    }

    #[inline(always)]
    pub(super) fn best(out: &mut [i8], candidates: &[i8], table: &CandidateTable) {
        match table.houses() {
            1 => best_of::<1>(out, candidates, table),
            2 => best_of::<2>(out, candidates, table),
            3 => best_of::<3>(out, candidates, table),
            4 => best_of::<4>(out, candidates, table),
            5 => best_of::<5>(out, candidates, table),
            6 => best_of::<6>(out, candidates, table),
            7 => best_of::<7>(out, candidates, table),
            _ => best_of::<8>(out, candidates, table),
        }
    }

    #[inline(always)]
    fn best_of<const H: usize>(out: &mut [i8], candidates: &[i8], table: &CandidateTable) {
        assert!(table.bound() <= candidates.len());
        if let Some(indices) = table.short() {
            assert_eq!(out.len() * H, indices.len());
            for (out, indices) in out.iter_mut().zip(indices.chunks_exact(H)) {
                let mut best = i8::MIN;
                for index in indices {
                    // SAFETY: the indices of the table are below its bound, at most the number of candidates.
                    best = best.max(unsafe { *candidates.get_unchecked(usize::from(*index)) });
                }
                *out = best;
            }
            return;
        }
        let indices = table.long();
        assert_eq!(out.len() * H, indices.len());
        for (out, indices) in out.iter_mut().zip(indices.chunks_exact(H)) {
            let mut best = i8::MIN;
            for index in indices {
                // SAFETY: the indices of the table are below its bound, at most the number of candidates.
                best = best.max(unsafe { *candidates.get_unchecked(*index as usize) });
            }
            *out = best;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{CandidateTable, CaptureMap, CrossingMap, GainedLine, Kernels, portable};

    /// Compiles a loop for AVX2.
    macro_rules! with_avx2 {
        ($name:ident($($arg:ident: $type:ty),*)) => {
            pub(super) fn $name($($arg: $type),*) {
                #[target_feature(enable = "avx2")]
                fn inner($($arg: $type),*) {
                    portable::$name($($arg),*)
                }
                // SAFETY: these functions are only reachable through `KERNELS`, which `detect` returns
                // only if the processor has AVX2.
                unsafe { inner($($arg),*) }
            }
        };
    }

    with_avx2!(max_sub(out: &mut [i8], line: &[i8], gain: i8));
    with_avx2!(max_add(out: &mut [i8], line: &[i8], gain: i8));
    with_avx2!(sub(out: &mut [i8], line: &[i8], gain: i8));
    with_avx2!(add(out: &mut [i8], line: &[i8], gain: i8));
    with_avx2!(gather(out: &mut [i8], line: &[i8], map: &CrossingMap));
    with_avx2!(gather_capture(out: &mut [i8], lines: &[GainedLine<'_>], map: &CaptureMap));
    with_avx2!(best(out: &mut [i8], candidates: &[i8], table: &CandidateTable));

    pub(super) const KERNELS: Kernels =
        Kernels { max_sub, max_add, sub, add, gather, gather_capture, best };
}

#[cfg(test)]
mod tests {
    use sowing_rules::{Capture, SeededRng};

    use super::super::row_maps::RowMaps;
    use super::super::sow_effect::SowEffects;
    use super::*;
    use crate::RowIndex;

    fn both() -> [Kernels; 2] {
        [Kernels::PORTABLE, Kernels::detect()]
    }

    fn values(random: &mut SeededRng, len: usize) -> Vec<i8> {
        (0..len).map(|_| random.below(101) as i8 - 50).collect()
    }

    #[test]
    fn elementwise_kernels() {
        type Kernel = fn(&mut [i8], &[i8], i8);
        type Formula = fn(i8, i8, i8) -> i8;
        let mut random = SeededRng::new(1, 0);
        for len in [0, 1, 31, 32, 33] {
            let (line, before) = (values(&mut random, len), values(&mut random, len));
            for kernels in both() {
                let formulas: [(Kernel, Formula); 4] = [
                    (kernels.max_sub, |out, gain, value| out.max(gain - value)),
                    (kernels.max_add, |out, gain, value| out.max(gain + value)),
                    (kernels.sub, |_, gain, value| gain - value),
                    (kernels.add, |_, gain, value| gain + value),
                ];
                for (kernel, formula) in formulas {
                    let mut out = before.clone();
                    kernel(&mut out, &line, 7);
                    let expected =
                        before.iter().zip(&line).map(|(out, value)| formula(*out, 7, *value));
                    assert!(out.iter().copied().eq(expected), "{len} values");
                }
            }
        }
    }

    /// Maps with an index per row, and maps of runs.
    const ROWS: [(u8, usize); 5] = [(1, 5), (2, 31), (3, 6), (6, 4), (8, 5)];

    #[test]
    fn gathering_kernels() {
        let mut random = SeededRng::new(2, 0);
        for (houses, seeds) in ROWS {
            let (row_index, maps) = (RowIndex::new(houses), RowMaps::default());
            for crossing in [1, 2, 9] {
                let map = maps.crossing(&row_index, seeds, crossing);
                let line = values(&mut random, map.bound());
                for kernels in both() {
                    let mut out = vec![0; map.len()];
                    (kernels.gather)(&mut out, &line, &map);
                    assert!((0..map.len()).all(|row| out[row] == line[map.index(row)]));
                }
                let map = maps.capture(&row_index, seeds, crossing, houses as usize - 1);
                let lines: Vec<_> =
                    map.bounds().iter().map(|bound| values(&mut random, *bound)).collect();
                let lines: Vec<_> =
                    lines.iter().zip(0..).map(|(line, gain)| GainedLine { line, gain }).collect();
                for kernels in both() {
                    let mut out = vec![0; map.len()];
                    (kernels.gather_capture)(&mut out, &lines, &map);
                    for (out, entry) in out.iter().zip(map.entries()) {
                        let GainedLine { line, gain } = lines[entry.taken()];
                        assert_eq!(*out, gain - line[entry.index()]);
                    }
                }
            }
        }
    }

    #[test]
    fn the_best_candidate_of_each_row() {
        let mut random = SeededRng::new(3, 0);
        // The last table needs indices of more than 16 bits.
        for (houses, seeds) in ROWS.into_iter().chain([(4, 3), (5, 3), (7, 3), (8, 10)]) {
            let (row_index, maps) = (RowIndex::new(houses), RowMaps::default());
            let effects = SowEffects::new(houses.into(), seeds);
            let table = maps.candidate_table(&row_index, &effects, Capture::Standard, seeds);
            let candidates = values(&mut random, table.bound());
            let indices: Vec<usize> = match table.short() {
                Some(short) => short.iter().map(|index| usize::from(*index)).collect(),
                None => table.long().iter().map(|index| *index as usize).collect(),
            };
            assert_eq!(table.short().is_none(), seeds == 10);
            for kernels in both() {
                let mut out = vec![0; row_index.count(seeds)];
                (kernels.best)(&mut out, &candidates, &table);
                let best = indices
                    .chunks(houses.into())
                    .map(|row| row.iter().map(|index| candidates[*index]).max().unwrap());
                assert!(out.into_iter().eq(best), "{houses} houses");
            }
        }
    }
}
