//! A closed group of pictures (GOP) as H.264 [itu2021]: one key frame (IDR) followed by P frames.
//!
//! Every GOP is encoded by an encoder of its own, single-threaded, at a constant quantiser. It thus depends on its own
//! frames only, and the film is the same for any number of threads. Constrained baseline profile: the encoder crate offers
//! neither arithmetic coding (CABAC) nor B frames, which costs some size and no quality.

use std::path::{Path, PathBuf};

use openh264::OpenH264API;
use openh264::encoder::{
    BitRate, Complexity, EncodedBitStream, Encoder, EncoderConfig, FrameRate, IntraFramePeriod, QpRange,
    RateControlMode, SpsPpsStrategy, UsageType, VuiConfig,
};

use super::yuv::YuvFrame;
use super::{FilmError, FilmQuality};
use crate::png::{RgbImage, read_rgb8};

// NAL unit types of the sequence and picture parameter sets
const NAL_SPS: u8 = 7;
const NAL_PPS: u8 = 8;

/// The parameter sets that a decoder needs before the first frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ParameterSets {
    /// Sequence parameter set, without start code.
    pub sequence: Vec<u8>,
    /// Picture parameter set, without start code.
    pub picture: Vec<u8>,
}

/// An encoded group of pictures.
pub(super) struct Gop {
    /// Its parameter sets.
    pub parameters: ParameterSets,
    /// Its frames as MP4 samples: each NAL unit is preceded by its length in four bytes.
    pub samples: Vec<Vec<u8>>,
}

/// Encodes the groups of pictures of a film.
pub(super) struct GopEncoder {
    pub quality: FilmQuality,
    pub fps: f64,
    /// Size that every picture must have.
    pub size: [u32; 2],
}

impl GopEncoder {
    /// Encodes the pictures in these files; calls `tick` after each.
    pub fn encode(&self, frames: &[PathBuf], tick: impl Fn()) -> Result<Gop, FilmError> {
        let mut encoder = Encoder::with_api_config(OpenH264API::from_source(), self.config())?;
        let mut parameters = None;
        let mut samples = Vec::with_capacity(frames.len());
        for path in frames {
            let planes = YuvFrame::from_picture(&self.read(path)?);
            let stream = encoder.encode(&planes)?;
            let units = NalUnits::split(&stream);
            parameters = parameters.or(units.parameters());
            samples.push(units.sample().ok_or_else(|| FilmError::Dropped { path: path.clone() })?);
            tick();
        }
        let parameters = parameters.ok_or(FilmError::ParameterSets)?;
        Ok(Gop { parameters, samples })
    }

    fn read(&self, path: &Path) -> Result<RgbImage, FilmError> {
        let picture = read_rgb8(path)?;
        let found = [picture.width, picture.height];
        if found != self.size {
            return Err(FilmError::Size { path: path.to_owned(), found, expected: self.size });
        }
        Ok(picture)
    }

    fn config(&self) -> EncoderConfig {
        let qp = self.quality.quantiser();
        EncoderConfig::new()
            // The buffer-based mode only keeps the quantiser within its range: with a range of one value it is constant.
            // (With rate control off, the encoder would use a fixed quantiser of its own.)
            .rate_control_mode(RateControlMode::Bufferbased)
            .qp(QpRange::new(qp, qp))
            .bitrate(BitRate::from_bps(1_000_000))
            .adaptive_quantization(false)
            .background_detection(false)
            .scene_change_detect(false)
            .skip_frames(false)
            .intra_frame_period(IntraFramePeriod::auto())
            .sps_pps_strategy(SpsPpsStrategy::ConstantId)
            .usage_type(UsageType::CameraVideoRealTime)
            .complexity(Complexity::Medium)
            .max_frame_rate(FrameRate::from_hz(self.fps as f32))
            .num_threads(1)
            .vui(VuiConfig::bt709())
    }
}

/// The NAL units of one encoded frame, without start codes.
struct NalUnits(Vec<Vec<u8>>);

impl NalUnits {
    fn split(stream: &EncodedBitStream<'_>) -> NalUnits {
        let layers = (0..stream.num_layers()).filter_map(|index| stream.layer(index));
        let units = layers.flat_map(|layer| {
            let units =
                (0..layer.nal_count()).filter_map(|index| layer.nal_unit(index).map(without_start_code));
            units.collect::<Vec<_>>()
        });
        NalUnits(units.filter(|unit| !unit.is_empty()).collect())
    }

    fn of_type(&self, wanted: u8) -> Option<Vec<u8>> {
        self.0.iter().find(|unit| nal_unit_type(unit) == wanted).cloned()
    }

    fn parameters(&self) -> Option<ParameterSets> {
        let sequence = self.of_type(NAL_SPS).filter(|unit| unit.len() >= 4)?;
        Some(ParameterSets { sequence, picture: self.of_type(NAL_PPS)? })
    }

    /// The frame as an MP4 sample: all units but the parameter sets, each preceded by its length.
    fn sample(&self) -> Option<Vec<u8>> {
        let mut sample = Vec::new();
        let coded = |unit: &&Vec<u8>| !matches!(nal_unit_type(unit), NAL_SPS | NAL_PPS);
        for unit in self.0.iter().filter(coded) {
            sample.extend_from_slice(&u32::try_from(unit.len()).ok()?.to_be_bytes());
            sample.extend_from_slice(unit);
        }
        (!sample.is_empty()).then_some(sample)
    }
}

fn nal_unit_type(unit: &[u8]) -> u8 {
    unit.first().map_or(0, |header| header & 0x1f)
}

fn without_start_code(unit: &[u8]) -> Vec<u8> {
    let code: &[u8] = if unit.starts_with(&[0, 0, 0, 1]) { &[0, 0, 0, 1] } else { &[0, 0, 1] };
    unit.strip_prefix(code).unwrap_or(unit).to_vec()
}
