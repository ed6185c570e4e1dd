//! WebM files with one video track, from frames that the browser has encoded.
//!
//! The format is EBML: nested elements of an ID, a size and data [lhomme2024]. Timestamps are in milliseconds; every
//! keyframe starts a cluster, at which a player can start.

/// An encoded frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// Encoded bytes.
    pub bytes: Vec<u8>,
    /// Whether it is a keyframe.
    pub is_key: bool,
    /// Timestamp in milliseconds.
    pub milliseconds: u64,
}

const HEADER: u32 = 0x1A45_DFA3;
const SEGMENT: u32 = 0x1853_8067;
const INFO: u32 = 0x1549_A966;
const TRACKS: u32 = 0x1654_AE6B;
const TRACK: u32 = 0xAE;
const VIDEO: u32 = 0xE0;
const CLUSTER: u32 = 0x1F43_B675;
const SIMPLE_BLOCK: u32 = 0xA3;

/// Longest duration of a cluster in milliseconds: timestamps of blocks relative to it are signed 16-bit integers.
const LONGEST_CLUSTER: u64 = 30_000;

/// The file of these frames, which have one size and were encoded by `codec`, such as `V_VP8`.
pub fn webm(size: [u32; 2], codec: &str, seconds: f64, chunks: &[Chunk]) -> Vec<u8> {
    // EBML header: version 1, ID and size lengths, document type
    let header = [
        number(0x4286, 1),
        number(0x42F7, 1),
        number(0x42F2, 4),
        number(0x42F3, 8),
        text(0x4282, "webm"),
        number(0x4287, 4),
        number(0x4285, 2),
    ];
    // Segment info: timestamp scale of 1 ms, duration, application
    let info = [
        number(0x2A_D7B1, 1_000_000),
        real(0x4489, 1000.0 * seconds),
        text(0x4D80, "Undine"),
        text(0x5741, "Undine"),
    ];
    // The video track
    let video = [number(0xB0, u64::from(size[0])), number(0xBA, u64::from(size[1]))];
    let track = [
        number(0xD7, 1),
        number(0x73C5, 1),
        number(0x9C, 0),
        text(0x86, codec),
        number(0x83, 1),
        element(VIDEO, &video.concat()),
    ];
    let tracks = element(TRACKS, &element(TRACK, &track.concat()));
    let mut segment = [element(INFO, &info.concat()), tracks].concat();
    // Clusters of simple blocks: track number, relative timestamp, keyframe flag, data
    for cluster in clusters(chunks) {
        let start = cluster.first().map_or(0, |chunk| chunk.milliseconds);
        let mut content = number(0xE7, start);
        for chunk in cluster {
            let since = (chunk.milliseconds - start) as u16;
            let mut block = vec![0x81];
            block.extend(since.to_be_bytes());
            block.push(if chunk.is_key { 0x80 } else { 0 });
            block.extend(&chunk.bytes);
            content.extend(element(SIMPLE_BLOCK, &block));
        }
        segment.extend(element(CLUSTER, &content));
    }
    [element(HEADER, &header.concat()), element(SEGMENT, &segment)].concat()
}

/// Divides frames into clusters, each starting with a keyframe.
fn clusters(chunks: &[Chunk]) -> Vec<&[Chunk]> {
    let mut start = 0;
    chunks
        .chunk_by(|_, next| {
            let is_new = next.is_key || next.milliseconds - start > LONGEST_CLUSTER;
            if is_new {
                start = next.milliseconds;
            }
            !is_new
        })
        .collect()
}

fn element(id: u32, content: &[u8]) -> Vec<u8> {
    let bytes = id.to_be_bytes();
    let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(3);
    let mut element = bytes[first..].to_vec();
    // The marker bit of an eight-byte size is the last bit of its first byte
    element.extend((content.len() as u64 | 1 << 56).to_be_bytes());
    element.extend(content);
    element
}

fn number(id: u32, value: u64) -> Vec<u8> {
    element(id, &value.to_be_bytes())
}

fn real(id: u32, value: f64) -> Vec<u8> {
    element(id, &value.to_be_bytes())
}

fn text(id: u32, value: &str) -> Vec<u8> {
    element(id, value.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits off an element: its ID, its data, and the remaining bytes.
    fn split(bytes: &[u8]) -> (u32, &[u8], &[u8]) {
        let wide = bytes[0].leading_zeros() as usize + 1;
        let id = bytes[..wide].iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
        let length = u64::from_be_bytes(bytes[wide..wide + 8].try_into().unwrap()) & !(1 << 56);
        let content = &bytes[wide + 8..];
        (id, &content[..length as usize], &content[length as usize..])
    }

    fn all(mut bytes: &[u8]) -> Vec<(u32, &[u8])> {
        let mut found = Vec::new();
        while !bytes.is_empty() {
            let (id, content, rest) = split(bytes);
            found.push((id, content));
            bytes = rest;
        }
        found
    }

    fn chunk(milliseconds: u64, is_key: bool) -> Chunk {
        Chunk { bytes: vec![milliseconds as u8; 5], is_key, milliseconds }
    }

    #[test]
    fn every_frame_is_in_the_file_with_its_timestamp() {
        let chunks = [chunk(0, true), chunk(40, false), chunk(80, true), chunk(120, false)];
        let file = webm([64, 48], "V_VP8", 0.16, &chunks);
        let [(HEADER, _), (SEGMENT, segment)] = all(&file)[..] else { panic!("{:x?}", &file[..40]) };
        let parts = all(segment);
        assert_eq!(parts.iter().map(|part| part.0).collect::<Vec<_>>(), [INFO, TRACKS, CLUSTER, CLUSTER]);
        let mut shown = Vec::new();
        for (_, cluster) in &parts[2..] {
            let blocks = all(cluster);
            let start = u64::from_be_bytes(blocks[0].1.try_into().unwrap());
            for (_, block) in &blocks[1..] {
                let since = u64::from(u16::from_be_bytes([block[1], block[2]]));
                shown.push(Chunk {
                    bytes: block[4..].to_vec(),
                    is_key: block[3] == 0x80,
                    milliseconds: start + since,
                });
            }
        }
        assert_eq!(shown, chunks);
    }

    #[test]
    fn clusters_are_not_longer_than_their_limit() {
        let chunks: Vec<Chunk> = (0..100).map(|index| chunk(1000 * index, index == 0)).collect();
        let clusters = clusters(&chunks);
        assert!(clusters.len() > 2);
        for cluster in clusters {
            assert!(cluster[cluster.len() - 1].milliseconds - cluster[0].milliseconds <= LONGEST_CLUSTER);
        }
    }
}
