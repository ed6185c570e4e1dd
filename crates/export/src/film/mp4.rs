//! The MP4 container for one H.264 track [iso2022, iso2019].
//!
//! The index (`moov`) precedes the media data (`mdat`), so that playback can start while the file is still downloading
//! ("fast start"). Its size depends only on the number of frames, which is known from the start: a placeholder is written,
//! the samples are streamed, and the index is filled in at the end. Only the sizes of the samples are kept in memory. No
//! edit list, no sound, no dates: the same pictures give the same bytes.

use std::io::{self, Seek, SeekFrom, Write};

use super::gop::ParameterSets;
use super::rate::Rate;

/// Properties of the video track.
pub(super) struct Track {
    /// Width and height in pixels.
    pub size: [u16; 2],
    pub rate: Rate,
    pub parameters: ParameterSets,
    /// Frames of the whole film.
    pub frames: u32,
    /// Frames per chunk (GOP length); the first of each is a key frame.
    pub chunk: u32,
}

/// Writes chunk after chunk, then the index.
pub(super) struct Mp4Writer<W: Write + Seek> {
    writer: W,
    track: Track,
    moov_at: u64,
    mdat_at: u64,
    position: u64,
    chunk_offsets: Vec<u64>,
    sample_sizes: Vec<u32>,
}

impl<W: Write + Seek> Mp4Writer<W> {
    /// Starts a file: writes `ftyp`, a placeholder of `moov` and the header of `mdat`.
    pub fn new(mut writer: W, track: Track) -> io::Result<Self> {
        let brand = mp4_box(b"ftyp", &[b"isom", &be32(0x200), b"isom", b"iso2", b"avc1", b"mp41"]);
        let chunks = track.frames.div_ceil(track.chunk) as usize;
        let index = track.index(&vec![0; chunks], &vec![0; track.frames as usize]);
        let moov_at = brand.len() as u64;
        let mdat_at = moov_at + index.len() as u64;
        writer.write_all(&brand)?;
        writer.write_all(&index)?;
        writer.write_all(&mdat_header(0))?;
        let position = mdat_at + MDAT_HEADER;
        let (chunk_offsets, sample_sizes) = (Vec::with_capacity(chunks), Vec::new());
        Ok(Mp4Writer { writer, track, moov_at, mdat_at, position, chunk_offsets, sample_sizes })
    }

    /// Appends the frames of one chunk.
    pub fn write_chunk(&mut self, samples: &[Vec<u8>]) -> io::Result<()> {
        self.chunk_offsets.push(self.position);
        for sample in samples {
            let size = u32::try_from(sample.len()).map_err(io::Error::other)?;
            self.sample_sizes.push(size);
            self.position += u64::from(size);
            self.writer.write_all(sample)?;
        }
        Ok(())
    }

    /// Fills in the index; returns the writer and the size of the file.
    pub fn finish(mut self) -> io::Result<(W, u64)> {
        let index = self.track.index(&self.chunk_offsets, &self.sample_sizes);
        if self.moov_at + index.len() as u64 != self.mdat_at {
            return Err(io::Error::other("the number of frames changed while the film was written"));
        }
        self.writer.seek(SeekFrom::Start(self.moov_at))?;
        self.writer.write_all(&index)?;
        self.writer.write_all(&mdat_header(self.position - self.mdat_at))?;
        self.writer.seek(SeekFrom::Start(self.position))?;
        Ok((self.writer, self.position))
    }
}

impl Track {
    fn index(&self, chunk_offsets: &[u64], sample_sizes: &[u32]) -> Vec<u8> {
        let track = mp4_box(b"trak", &[&self.track_header(), &self.media(chunk_offsets, sample_sizes)]);
        mp4_box(b"moov", &[&self.movie_header(), &track])
    }

    fn duration(&self) -> [u8; 4] {
        be32(self.frames.saturating_mul(self.rate.ticks))
    }

    fn movie_header(&self) -> Vec<u8> {
        let times = [be32(0), be32(0), be32(self.rate.timescale), self.duration()].concat();
        let (speed, volume) = (be32(0x1_0000), be16(0x100));
        mp4_box(
            b"mvhd",
            &[&NO_FLAGS, &times, &speed, &volume, &[0; 10], &identity_matrix(), &[0; 24], &be32(2)],
        )
    }

    fn track_header(&self) -> Vec<u8> {
        // Flags 3: track enabled, track in movie
        let flags = be32(3);
        let times = [be32(0), be32(0), be32(1), be32(0), self.duration()].concat();
        let size = self.size.map(|pixels| be32(u32::from(pixels) << 16)).concat();
        mp4_box(b"tkhd", &[&flags, &times, &[0; 16], &identity_matrix(), &size])
    }

    fn media(&self, chunk_offsets: &[u64], sample_sizes: &[u32]) -> Vec<u8> {
        let times = [be32(0), be32(0), be32(self.rate.timescale), self.duration()].concat();
        // Language code 0x55c4: "und", undetermined
        let header = mp4_box(b"mdhd", &[&NO_FLAGS, &times, &be16(0x55c4), &be16(0)]);
        let handler = mp4_box(b"hdlr", &[&NO_FLAGS, &be32(0), b"vide", &[0; 12], b"Undine\0"]);
        let video = mp4_box(b"vmhd", &[&be32(1), &[0; 8]]);
        // Flag 1 of `url `: the media data are in this file
        let here = mp4_box(b"url ", &[&be32(1)]);
        let location = mp4_box(b"dinf", &[&mp4_box(b"dref", &[&NO_FLAGS, &be32(1), &here])]);
        let information = mp4_box(b"minf", &[&video, &location, &self.samples(chunk_offsets, sample_sizes)]);
        mp4_box(b"mdia", &[&header, &handler, &information])
    }

    fn samples(&self, chunk_offsets: &[u64], sample_sizes: &[u32]) -> Vec<u8> {
        let description = mp4_box(b"stsd", &[&NO_FLAGS, &be32(1), &self.coding()]);
        let durations = mp4_box(b"stts", &[&NO_FLAGS, &be32(1), &be32(self.frames), &be32(self.rate.ticks)]);
        let keys: Vec<u32> = (1..=self.frames).step_by(self.chunk as usize).collect();
        let keys = mp4_box(b"stss", &[&NO_FLAGS, &count(keys.len()), &be32s(&keys)]);
        let sizes =
            mp4_box(b"stsz", &[&NO_FLAGS, &be32(0), &count(sample_sizes.len()), &be32s(sample_sizes)]);
        let offsets: Vec<u8> = chunk_offsets.iter().flat_map(|offset| offset.to_be_bytes()).collect();
        let offsets = mp4_box(b"co64", &[&NO_FLAGS, &count(chunk_offsets.len()), &offsets]);
        mp4_box(b"stbl", &[&description, &durations, &keys, &self.chunks(), &sizes, &offsets])
    }

    /// `stsc`, frames per chunk: all equal, except that the last chunk may be shorter.
    fn chunks(&self) -> Vec<u8> {
        let (full_chunks, rest) = (self.frames / self.chunk, self.frames % self.chunk);
        let mut runs = Vec::new();
        if full_chunks > 0 {
            runs.push([1, self.chunk, 1]);
        }
        if rest > 0 {
            runs.push([full_chunks + 1, rest, 1]);
        }
        mp4_box(b"stsc", &[&NO_FLAGS, &count(runs.len()), &be32s(&runs.concat())])
    }

    fn coding(&self) -> Vec<u8> {
        let size = self.size.map(be16).concat();
        let (resolution, frames_per_sample) = (be32(72 << 16), be16(1));
        // Depth 24 bits; −1: no colour table
        let end = [be16(24), be16(0xffff)].concat();
        // Primaries, transfer and matrix 1: BT.709; the last byte: limited range
        let colour = mp4_box(b"colr", &[b"nclx", &be16(1), &be16(1), &be16(1), &[0]]);
        let square = mp4_box(b"pasp", &[&be32(1), &be32(1)]);
        let pictures = [&resolution[..], &resolution, &be32(0), &frames_per_sample, &[0; 32], &end].concat();
        let reserved = [&[0; 6][..], &be16(1), &[0; 16]].concat();
        mp4_box(b"avc1", &[&reserved, &size, &pictures, &self.decoder(), &colour, &square])
    }

    fn decoder(&self) -> Vec<u8> {
        let ParameterSets { sequence, picture } = &self.parameters;
        // Profile, compatibility and level are the bytes after the NAL unit header
        let profile = [1, sequence[1], sequence[2], sequence[3]];
        // 0xff: NAL unit lengths of four bytes; 0xe1: one sequence parameter set
        let sets = [&[0xff, 0xe1][..], &be16(sequence.len() as u16), sequence].concat();
        mp4_box(b"avcC", &[&profile, &sets, &[1], &be16(picture.len() as u16), picture])
    }
}

/// Version 0 and no flags, of a full box.
const NO_FLAGS: [u8; 4] = [0; 4];

/// Size of the `mdat` header: 32-bit marker, type, 64-bit size.
const MDAT_HEADER: u64 = 16;

fn mdat_header(length: u64) -> Vec<u8> {
    [&be32(1)[..], b"mdat", &length.to_be_bytes()].concat()
}

fn mp4_box(name: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let length = 8 + parts.iter().map(|part| part.len()).sum::<usize>();
    let mut bytes = Vec::with_capacity(length);
    bytes.extend_from_slice(&count(length));
    bytes.extend_from_slice(name);
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    bytes
}

/// The identity transformation: 1 in 16.16, and 1 in 2.30 fixed point.
fn identity_matrix() -> Vec<u8> {
    be32s(&[0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000])
}

fn be16(value: u16) -> [u8; 2] {
    value.to_be_bytes()
}

fn be32(value: u32) -> [u8; 4] {
    value.to_be_bytes()
}

/// A 32-bit count or size; longer tables are refused before a film is started.
fn count(value: usize) -> [u8; 4] {
    be32(u32::try_from(value).unwrap_or(u32::MAX))
}

fn be32s(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}
