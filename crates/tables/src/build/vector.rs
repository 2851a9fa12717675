//! The inner loops, over bytes: once as the compiler makes them for any machine, once for AVX2.

use super::maps::{CaptureMap, Map, Records};

/// A line to read, and what to add to its values turned negative.
pub(super) struct Gained<'a> {
    pub(super) line: &'a [i8],
    pub(super) gain: i8,
}

/// The inner loops for one kind of machine. All kinds give the same bytes.
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
    pub(super) pick: fn(out: &mut [i8], line: &[i8], map: &Map),
    /// `out[i] = gain - line` with the line and the place from the map
    pub(super) pick_capture: fn(out: &mut [i8], lines: &[Gained<'_>], map: &CaptureMap),
    /// `out[i] = ` the best of the candidates that the records of i name
    pub(super) best: fn(out: &mut [i8], candidates: &[i8], records: &Records),
}

impl Kernels {
    /// The best for the machine that this runs on.
    pub(super) fn detect() -> Kernels {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return avx2::KERNELS;
        }
        Kernels::PORTABLE
    }

    /// For any machine.
    pub(super) const PORTABLE: Kernels = Kernels {
        max_sub: body::max_sub,
        max_add: body::max_add,
        sub: body::sub,
        add: body::add,
        pick: body::pick,
        pick_capture: body::pick_capture,
        best: body::best,
    };
}

mod body {
    use super::{CaptureMap, Gained, Map, Records};
    use crate::build::maps::Index;

    #[inline(always)]
    pub(super) fn max_sub(out: &mut [i8], line: &[i8], gain: i8) {
        assert_eq!(out.len(), line.len());
        for (out, value) in out.iter_mut().zip(line) {
            *out = (*out).max(gain.wrapping_sub(*value));
        }
    }

    #[inline(always)]
    pub(super) fn max_add(out: &mut [i8], line: &[i8], gain: i8) {
        assert_eq!(out.len(), line.len());
        for (out, value) in out.iter_mut().zip(line) {
            *out = (*out).max(gain.wrapping_add(*value));
        }
    }

    #[inline(always)]
    pub(super) fn sub(out: &mut [i8], line: &[i8], gain: i8) {
        assert_eq!(out.len(), line.len());
        for (out, value) in out.iter_mut().zip(line) {
            *out = gain.wrapping_sub(*value);
        }
    }

    #[inline(always)]
    pub(super) fn add(out: &mut [i8], line: &[i8], gain: i8) {
        assert_eq!(out.len(), line.len());
        for (out, value) in out.iter_mut().zip(line) {
            *out = gain.wrapping_add(*value);
        }
    }

    #[inline(always)]
    pub(super) fn pick(out: &mut [i8], line: &[i8], map: &Map) {
        assert_eq!(out.len(), map.len());
        assert!(map.bound() <= line.len());
        match map.index() {
            Index::Runs(runs) => {
                let mut at = 0;
                for run in runs {
                    let from = run.from as usize;
                    let len = run.len as usize;
                    copy(&mut out[at..], &line[from..], len);
                    at += len;
                }
            }
            Index::Each(places) => {
                for (out, place) in out.iter_mut().zip(places) {
                    // SAFETY: a map's places are below its bound, which the line covers.
                    *out = unsafe { *line.get_unchecked(*place as usize) };
                }
            }
        }
    }

    /// Copies at least `len` values; what it writes beyond them comes later or nowhere.
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
    pub(super) fn pick_capture(out: &mut [i8], lines: &[Gained<'_>], map: &CaptureMap) {
        assert_eq!(out.len(), map.len());
        assert_eq!(lines.len(), map.bounds().len());
        let covered = lines.iter().zip(map.bounds()).all(|(line, bound)| line.line.len() >= *bound);
        assert!(covered, "every line covers the places that the map names in it");
        if let Some(runs) = map.runs() {
            let mut at = 0;
            for run in runs {
                let Gained { line, gain } = lines[run.taken as usize];
                let (from, len) = (run.from as usize, run.len as usize);
                for (out, value) in out[at..at + len].iter_mut().zip(&line[from..from + len]) {
                    *out = gain.wrapping_sub(*value);
                }
                at += len;
            }
            return;
        }
        for (out, entry) in out.iter_mut().zip(map.entries()) {
            // SAFETY: a map names only lines that it has bounds for, and places below those.
            *out = unsafe {
                let line = lines.get_unchecked(entry.taken());
                line.gain.wrapping_sub(*line.line.get_unchecked(entry.place()))
            };
        }
    }

    #[inline(always)]
    pub(super) fn best(out: &mut [i8], candidates: &[i8], records: &Records) {
        match records.houses() {
            1 => best_of::<1>(out, candidates, records),
            2 => best_of::<2>(out, candidates, records),
            3 => best_of::<3>(out, candidates, records),
            4 => best_of::<4>(out, candidates, records),
            5 => best_of::<5>(out, candidates, records),
            6 => best_of::<6>(out, candidates, records),
            7 => best_of::<7>(out, candidates, records),
            _ => best_of::<8>(out, candidates, records),
        }
    }

    #[inline(always)]
    fn best_of<const H: usize>(out: &mut [i8], candidates: &[i8], records: &Records) {
        assert!(records.bound() <= candidates.len());
        if let Some(places) = records.short() {
            assert_eq!(out.len() * H, places.len());
            for (out, places) in out.iter_mut().zip(places.chunks_exact(H)) {
                let mut best = i8::MIN;
                for place in places {
                    // SAFETY: records name places below their bound, which the candidates cover.
                    best = best.max(unsafe { *candidates.get_unchecked(usize::from(*place)) });
                }
                *out = best;
            }
            return;
        }
        let places = records.long();
        assert_eq!(out.len() * H, places.len());
        for (out, places) in out.iter_mut().zip(places.chunks_exact(H)) {
            let mut best = i8::MIN;
            for place in places {
                // SAFETY: records name places below their bound, which the candidates cover.
                best = best.max(unsafe { *candidates.get_unchecked(*place as usize) });
            }
            *out = best;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{CaptureMap, Gained, Kernels, Map, Records, body};

    /// Wraps a loop so that the compiler may use AVX2 for it.
    macro_rules! with_avx2 {
        ($name:ident($($arg:ident: $type:ty),*)) => {
            pub(super) fn $name($($arg: $type),*) {
                #[target_feature(enable = "avx2")]
                fn inner($($arg: $type),*) {
                    body::$name($($arg),*)
                }
                // SAFETY: these functions are reached through `KERNELS` alone, which `detect` hands
                // out only where AVX2 is there.
                unsafe { inner($($arg),*) }
            }
        };
    }

    with_avx2!(max_sub(out: &mut [i8], line: &[i8], gain: i8));
    with_avx2!(max_add(out: &mut [i8], line: &[i8], gain: i8));
    with_avx2!(sub(out: &mut [i8], line: &[i8], gain: i8));
    with_avx2!(add(out: &mut [i8], line: &[i8], gain: i8));
    with_avx2!(pick(out: &mut [i8], line: &[i8], map: &Map));
    with_avx2!(pick_capture(out: &mut [i8], lines: &[Gained<'_>], map: &CaptureMap));
    with_avx2!(best(out: &mut [i8], candidates: &[i8], records: &Records));

    pub(super) const KERNELS: Kernels =
        Kernels { max_sub, max_add, sub, add, pick, pick_capture, best };
}
