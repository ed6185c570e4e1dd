//! Ripples that running water carries along: detail of its surface that exists only where a pixel is shaded.
//!
//! Turbulence below raises waves in all directions, which the flow carries along. Two tiles of such waves, with
//! ω² = g k + (σ/ρ) k³ in the frame of the water [lamb1932], are sampled upstream of a point, where its water was (flow maps
//! [vlachos2010]):
//!
//!   ∇η(x, t) = a(|u|, d) Σᵢ wᵢ ∇ηᵢ(x − τᵢ u + sᵢ, t),  τᵢ = (φᵢ − ½) T,  φ₁ = frac(t / T),  φ₂ = frac(t / T + ½)
//!
//! Around the flow's bends the tiles are distorted the more the greater |τ| is; so each begins anew after T, with another
//! shift s. Its weight w = sin πφ is 0 then, so that nothing jumps. As w₁² + w₂² = 1 and the tiles are independent, the
//! variance of the slopes does not depend on time.
//!
//! Not modelled: waves that stand behind stones, and wakes.

use std::f32::consts::PI;

use glam::Vec2;

use super::ripples::{Spectrum, tile};
use super::slope_map::{SlopeMap, Slopes};
use crate::noise::{smoothstep, unit};

/// The waves of a tile: from 2.3 times the wavelength of the strongest to a quarter of it.
const TURBULENCE: Spectrum = Spectrum { waves: 80, longest: 7.0, range: 9.0, strongest: TILE, spread: None };
/// Side of a tile in wavelengths of the strongest waves.
const TILE: f32 = 16.0;
/// Water slower than this, in m/s, has no ripples: the least phase speed of waves on water, (4 g σ/ρ)^¼ [lamb1932].
const ONSET: f32 = 0.23;
/// Speed in m/s from which on the ripples have their full slope.
const FAST: f32 = 1.5;
/// Depth, in wavelengths of the strongest waves, from which on the ripples have their full slope.
const DEEP: f32 = 0.25;
/// Wavelengths that water of the speed `FAST` goes before a tile begins anew.
const WAY: f32 = 2.0;

/// The flow at a point of the surface; still by default.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Flow {
    /// Horizontal velocity in m/s.
    pub velocity: Vec2,
    /// Depth in metres.
    pub depth: f32,
}

/// The part of the ripples on running water that depends on time alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowPhases {
    /// Wavelength of the strongest waves in metres.
    pub scale: f32,
    /// The phases of both tiles.
    pub tiles: [FlowPhase; 2],
    time: f64,
    seed: u32,
}

/// The phase of one of the two tiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowPhase {
    /// Where it has begun, s, in sides of the tile.
    pub shift: Vec2,
    /// Time to or since the middle of its life in seconds, τ.
    pub age: f32,
    /// Its weight w.
    pub weight: f32,
}

impl FlowPhases {
    /// Phases at `time` seconds of ripples whose strongest waves are `scale` metres long.
    pub fn new(scale: f32, time: f64, seed: u32) -> FlowPhases {
        let period = period(scale);
        let phase_of = |tile: u8| {
            let turns = time / period + 0.5 * f64::from(tile);
            let (start, phase) = (turns.floor() as i64 as i32, (turns - turns.floor()) as f32);
            let seed = tile_seed(seed, tile);
            FlowPhase {
                shift: Vec2::new(unit(start, 0, seed), unit(start, 1, seed)),
                age: (phase - 0.5) * period as f32,
                weight: (PI * phase).sin(),
            }
        };
        FlowPhases { scale, tiles: [phase_of(0), phase_of(1)], time, seed }
    }

    /// Speeds in m/s at which the ripples begin and have their full slope.
    pub fn speeds(&self) -> [f32; 2] {
        [ONSET, FAST]
    }

    /// Depth in metres from which on they have their full slope.
    pub fn full_depth(&self) -> f32 {
        DEEP * self.scale
    }
}

/// The ripples on running water at one time.
#[derive(Debug, Clone)]
pub struct FlowRipples {
    tiles: [SlopeMap; 2],
    phases: FlowPhases,
    strength: f32,
}

impl FlowRipples {
    /// Ripples of root mean square slope `strength` on fast water; `None` if there are none.
    pub fn new(strength: f32, phases: &FlowPhases) -> Option<FlowRipples> {
        let FlowPhases { scale, time, seed, .. } = *phases;
        let is_drawn = strength > 0.0 && scale > 0.0 && scale.is_finite() && time.is_finite();
        is_drawn.then(|| FlowRipples {
            // The directions differ, so that the two tiles have no wave in common
            tiles: [0, 1].map(|index| {
                let heading = Vec2::from_angle(0.61 * f32::from(index));
                tile(&TURBULENCE, TILE * scale, heading, time, tile_seed(seed, index))
            }),
            phases: *phases,
            strength,
        })
    }

    /// The root mean square slope of the ripples on a flow, a(|u|, d).
    pub fn amplitude(&self, flow: Flow) -> f32 {
        let speed = flow.velocity.length();
        // Also false for what is not a number
        if speed > ONSET && speed.is_finite() && flow.depth > 0.0 {
            self.strength
                * smoothstep(ONSET, FAST, speed)
                * smoothstep(0.0, self.phases.full_depth(), flow.depth)
        } else {
            0.0
        }
    }

    /// Filtered slopes over a footprint of `footprint` metres.
    pub fn sample(&self, at: Vec2, flow: Flow, footprint: f32) -> Slopes {
        let amplitude = self.amplitude(flow);
        if amplitude <= 0.0 {
            return Slopes::default();
        }
        let layer = |index: usize| {
            let FlowPhase { shift, age, weight } = self.phases.tiles[index];
            let from = at - flow.velocity * age + shift * (TILE * self.phases.scale);
            self.tiles[index].sample(from, footprint).times(weight)
        };
        layer(0).plus(layer(1)).times(amplitude)
    }
}

fn tile_seed(seed: u32, tile: u8) -> u32 {
    seed ^ [0xd4, 0xe5][usize::from(tile & 1)]
}

// Time in seconds after which a tile begins anew, T.
fn period(scale: f32) -> f64 {
    f64::from(WAY * scale / FAST)
}

#[cfg(test)]
mod tests {
    use std::f32::consts::TAU;

    use undine_frame::{Frame, FrameRequest, Heights, Surface};
    use undine_surface::{Tessellation, tessellate};

    use super::super::ripples::{frequency, waves};
    use super::*;
    use crate::preview::{self, Beyond, PreviewSpec, RippleSpec, Viewpoint};
    use crate::sky::SkySpec;
    use crate::{Picture, difference, trace};

    const SCALE: f32 = 2.0;
    const STRENGTH: f32 = 0.1;
    const STREAM: Flow = Flow { velocity: Vec2::new(2.0, 0.8), depth: 1.0 };

    fn at_time(time: f64) -> FlowRipples {
        FlowRipples::new(STRENGTH, &FlowPhases::new(SCALE, time, 7)).unwrap()
    }

    // Points spread evenly over many tiles.
    fn points(count: usize) -> impl Iterator<Item = Vec2> {
        let along = |index: usize, factor: f64| (960.0 * (index as f64 * factor).fract()) as f32;
        (0..count).map(move |index| Vec2::new(along(index, 0.754_877_666), along(index, 0.569_840_291)))
    }

    fn mean_square(ripples: &FlowRipples, footprint: f32) -> f32 {
        let squares = points(4096).map(|at| ripples.sample(at, STREAM, footprint).mean.length_squared());
        squares.sum::<f32>() / 4096.0
    }

    #[test]
    fn still_shallow_and_unknown_water_has_none() {
        let ripples = at_time(3.0);
        let with = |x: f32, depth: f32| Flow { velocity: Vec2::new(x, 0.0), depth };
        for flow in [
            Flow::default(),
            with(0.0, 9.0),
            with(0.22, 9.0),
            with(2.0, 0.0),
            with(2.0, -1.0),
            with(f32::NAN, 1.0),
            with(f32::INFINITY, 1.0),
            with(2.0, f32::NAN),
        ] {
            assert_eq!(ripples.sample(Vec2::new(3.0, 4.0), flow, 0.1), Slopes::default(), "{flow:?}");
        }
        assert!(FlowRipples::new(0.0, &FlowPhases::new(SCALE, 3.0, 7)).is_none());
    }

    #[test]
    fn the_slope_grows_with_speed_and_depth_up_to_the_given_one() {
        let ripples = at_time(3.0);
        let at = |speed: f32, depth: f32| {
            ripples.amplitude(Flow { velocity: Vec2::from_angle(2.0) * speed, depth })
        };
        let (speeds, depths) = ([0.2, 0.5, 0.9, 1.4].map(|speed| at(speed, 1.0)), [0.0, 0.1, 0.3]);
        assert!(speeds.is_sorted_by(|slower, faster| slower < faster), "{speeds:?}");
        assert!(depths.map(|depth| at(2.0, depth)).is_sorted_by(|less, more| less < more));
        assert_eq!([at(1.6, 1.0), at(30.0, 100.0)], [STRENGTH; 2]);
    }

    #[test]
    fn the_pattern_drifts_with_the_water() {
        let dt = 0.1;
        for time in [0.3, 17.0, 1234.5] {
            let (early, late) = (at_time(time), at_time(time + dt));
            let before: Vec<(Vec2, Vec2)> =
                points(16_000).map(|at| (at, early.sample(at, STREAM, 0.0).mean)).collect();
            let correlation = |shift: Vec2| -> f64 {
                let product = |(at, slope): &(Vec2, Vec2)| {
                    f64::from(slope.dot(late.sample(*at + shift, STREAM, 0.0).mean))
                };
                before.iter().map(product).sum()
            };
            // The greatest correlation on a lattice of displacements, then the vertex of parabolas through it
            let step = 0.05_f32;
            let lattice = (0..17 * 17).map(|n| Vec2::new((n % 17 - 8) as f32, (n / 17 - 8) as f32) * step);
            let correlated = lattice.map(|shift| (shift, correlation(shift)));
            let (best, _) = correlated.max_by(|(_, one), (_, other)| one.total_cmp(other)).unwrap();
            let vertex = |axis: Vec2| {
                let [low, here, high] = [-step, 0.0, step].map(|away| correlation(best + axis * away));
                0.5 * step * ((low - high) / (low - 2.0 * here + high)) as f32
            };
            let moved = best + Vec2::new(vertex(Vec2::X), vertex(Vec2::Y));
            let expected = STREAM.velocity * dt as f32;
            let error = (moved - expected).length() / expected.length();
            assert!(error < 0.05, "{moved} instead of {expected} at {time} s");
        }
    }

    #[test]
    fn a_time_lapse_has_the_ripples_of_its_own_clock() {
        let spec = RippleSpec { flow_rate: 1.0 / 240.0, ..RippleSpec::default() };
        let (slow, usual) = (spec.flow_phases(SCALE, 240.0, 7), FlowPhases::new(SCALE, 1.0, 7));
        for (slow, usual) in slow.tiles.iter().zip(usual.tiles) {
            assert!((slow.age - usual.age).abs() < 1e-5 && slow.shift == usual.shift);
        }
    }

    #[test]
    fn nothing_jumps_when_a_tile_begins_anew() {
        // |∂∇η/∂t| ≤ Σ a k (ω + k |u| + π/T) over all waves of both tiles
        let length = TILE * SCALE;
        let bound: f32 = [0, 1]
            .iter()
            .flat_map(|&index| waves(&TURBULENCE, length, 0.0, tile_seed(7, index)))
            .map(|wave| {
                let wavenumber = wave.cycles.length() * TAU / length;
                let rate =
                    frequency(wavenumber) + wavenumber * STREAM.velocity.length() + PI / period(SCALE) as f32;
                wave.amplitude * wavenumber * rate
            })
            .sum();
        let (dt, half) = (2e-4, 0.5 * period(SCALE));
        // Both tiles begin anew within a period: just before, just after, and at times between
        let instants = (0..12).map(|n| 100.0 * half + f64::from(n) * half / 6.0 - 0.5 * dt);
        for time in instants {
            let (early, late) = (at_time(time), at_time(time + dt));
            for at in points(400) {
                let change = late.sample(at, STREAM, 0.0).mean - early.sample(at, STREAM, 0.0).mean;
                assert!(change.length() < STRENGTH * bound * dt as f32, "{change} at {time} s");
            }
        }
        // A jump of the usual slope would be noticed
        assert!(bound * (dt as f32) < 0.2, "{bound}");
    }

    #[test]
    fn the_variance_of_the_slopes_is_the_same_at_all_times() {
        for index in 0..24 {
            let time = 900.0 + f64::from(index) * period(SCALE) / 24.0;
            let ratio = mean_square(&at_time(time), 0.0) / (STRENGTH * STRENGTH);
            assert!((ratio - 1.0).abs() < 0.1, "{ratio} at {time} s");
        }
    }

    #[test]
    fn ripples_smaller_than_a_pixel_are_roughness() {
        let ripples = at_time(5.0);
        let longest = TILE / TURBULENCE.longest * SCALE;
        let left = mean_square(&ripples, 2.0 * longest) / (STRENGTH * STRENGTH);
        assert!(left < 0.01, "{left}");
        let far = ripples.sample(Vec2::new(5.0, 7.0), STREAM, 1e4);
        assert!(far.mean.length() < 1e-4);
        assert!((2.0 * far.variance / (STRENGTH * STRENGTH) - 1.0).abs() < 0.02, "{}", far.variance);
        // None of the energy is lost in between
        for footprint in [0.2, 1.0, 3.0] {
            let hidden: f32 = points(4096).map(|at| ripples.sample(at, STREAM, footprint).variance).sum();
            let energy = mean_square(&ripples, footprint) + 2.0 * hidden / 4096.0;
            assert!((energy / (STRENGTH * STRENGTH) - 1.0).abs() < 0.15, "{energy} over {footprint} m");
        }
    }

    #[test]
    fn slopes_have_the_same_bits_on_any_number_of_threads() {
        let slopes = |threads: usize| -> Vec<Slopes> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let ripples = pool.install(|| at_time(77.7));
            points(200).map(|at| ripples.sample(at, STREAM, 0.3)).collect()
        };
        assert_eq!(slopes(1), slopes(5));
    }

    #[test]
    fn extreme_numbers_do_not_panic() {
        for (scale, time) in [(1e-30, 1.0), (1e30, 1.0), (2.0, -1e18), (2.0, 1e200), (100.0, 0.0)] {
            let ripples = FlowRipples::new(0.5, &FlowPhases::new(scale, time, 0)).unwrap();
            for velocity in [1e30, -1e3, 1.0] {
                let flow = Flow { velocity: Vec2::splat(velocity), depth: f32::MAX };
                for at in [Vec2::NAN, Vec2::splat(1e30), Vec2::ZERO] {
                    ripples.sample(at, flow, 0.1);
                }
            }
        }
        for (scale, time) in [(f32::NAN, 1.0), (0.0, 1.0), (1.0, f64::INFINITY)] {
            assert!(FlowRipples::new(0.1, &FlowPhases::new(scale, time, 0)).is_none());
        }
    }

    /// A canal 2 m deep in a plain, whose water runs at `speed`.
    fn canal(speed: f32, time: f64) -> Frame {
        let side = 48_usize;
        let is_wet = |n: usize| (12..36).contains(&(n / side));
        let heights = Heights {
            size: [side as u32; 2],
            origin: [0.5; 2],
            spacing: [1.0; 2],
            level: vec![0.0; side * side].into(),
            bed: Some((0..side * side).map(|n| if is_wet(n) { -2.0 } else { 1.0 }).collect()),
            velocity: Some((0..side * side).map(|n| [if is_wet(n) { speed } else { 0.0 }, 0.0]).collect()),
            dry_depth: 1e-3,
        };
        let mut frame = Frame { surfaces: Surface::with_bed("canal", heights), ..Frame::new(0, time) };
        tessellate(&mut frame, &FrameRequest::ALL, &Tessellation::default());
        frame
    }

    fn spec(flow_strength: f32) -> PreviewSpec {
        let ripples = RippleSpec { strength: 0.0, flow_strength, ..RippleSpec::default() };
        PreviewSpec { ripples, beyond: Beyond::Land, foam: 0.0, level: Some(0.0), ..PreviewSpec::default() }
    }

    fn above_the_bank() -> Viewpoint {
        Viewpoint {
            eye: Some([24.0, -6.0, 12.0].into()),
            target: Some([24.0, 24.0, 0.0].into()),
            ..Viewpoint::default()
        }
    }

    fn previewed(frame: &Frame, flow_strength: f32) -> Picture {
        preview::draw(&spec(flow_strength), &SkySpec::default(), &above_the_bank(), [128, 72], frame).unwrap()
    }

    fn traced(frame: &Frame, flow_strength: f32) -> Picture {
        let spec =
            trace::TraceSpec { scene: spec(flow_strength), paths: Some(4), ..trace::TraceSpec::default() };
        trace::draw(&spec, &SkySpec::default(), &above_the_bank(), [64, 36], frame, None).unwrap().picture
    }

    #[test]
    fn pictures_show_ripples_on_running_water_only() {
        for draw in [previewed, traced] {
            let still = canal(0.0, 4.0);
            assert_eq!(draw(&still, 0.1), draw(&still, 0.0));
            let running = canal(1.8, 4.0);
            let (mean, _) = difference(&draw(&running, 0.1), &draw(&running, 0.0)).unwrap();
            assert!(mean > 0.01, "{mean}");
        }
        let (now, later) = (previewed(&canal(1.8, 4.0), 0.1), previewed(&canal(1.8, 4.2), 0.1));
        assert!(difference(&now, &later).unwrap().0 > 0.005);
    }
}
