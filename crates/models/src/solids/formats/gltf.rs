//! glTF 2.0: positions and indices of all triangles of the scene, transformed by their nodes.
//!
//! Numbers come from the binary part of a GLB, from data URIs, or from the one file that is given beside it. Not read:
//! compressed meshes, sparse accessors, skins, and targets of morphs.
//!
//! Our own reader on serde_json: gltf 1.4 (its last release is of May 2024) reckons with counts and offsets of the file
//! unchecked, and panics on a wrong one where overflow is checked.

use std::collections::HashSet;

use glam::{DMat4, DQuat, DVec3};
use serde_json::Value;

use super::{MOST_TRIANGLES, MeshError, Triangle, base64, push_fan, too_many};

/// Maximum depth of nested nodes; a cycle ends here.
const DEEPEST: u32 = 64;

/// Largest number of nodes visited: one may be a child of several others.
const MOST_NODES: u32 = 100_000;

/// Largest number of elements read from accessors: enough for the triangles allowed, but bounded memory.
const MOST_ELEMENTS: u64 = 4 * MOST_TRIANGLES as u64;

pub(super) fn read_gltf(bytes: &[u8], numbers: Option<&[u8]>) -> Result<Vec<Triangle>, MeshError> {
    let (json, binary) = parts(bytes)?;
    let root: Value = serde_json::from_slice(json)
        .map_err(|error| MeshError::line(error.line(), format!("this is no JSON: {error}")))?;
    if let Some(name) = item(&root, "extensionsRequired", 0).and_then(Value::as_str) {
        let message = format!("it needs the extension {name}; write it without compression or extensions");
        return Err(MeshError::file(message));
    }
    let buffers = list(&root, "buffers").iter().map(|buffer| buffer_bytes(buffer, binary, numbers));
    let mut file = GltfFile {
        root: &root,
        buffers: buffers.collect::<Result<_, _>>()?,
        triangles: Vec::new(),
        visited: 0,
        read: 0,
    };
    for node in first_nodes(&root) {
        file.visit(node, DMat4::IDENTITY, 0)?;
    }
    Ok(file.triangles)
}

/// The JSON and the binary part of a file, which may be JSON alone.
fn parts(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshError> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let mut rest = bytes.get(12..).unwrap_or_default();
    let (mut json, mut binary) = (None, None);
    while let Some((head, body)) = rest.split_at_checked(8) {
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let Some((chunk, after)) = body.split_at_checked(length) else {
            return Err(MeshError::file("it ends within a chunk"));
        };
        match &head[4..] {
            b"JSON" => json = json.or(Some(chunk)),
            b"BIN\0" => binary = binary.or(Some(chunk)),
            _ => {}
        }
        rest = after;
    }
    json.map(|json| (json, binary)).ok_or_else(|| MeshError::file("this GLB has no JSON in it"))
}

fn buffer_bytes(buffer: &Value, binary: Option<&[u8]>, numbers: Option<&[u8]>) -> Result<Vec<u8>, MeshError> {
    let missing = |what: &str| MeshError::file(what);
    let Some(uri) = buffer["uri"].as_str() else {
        return binary.map(<[u8]>::to_vec).ok_or_else(|| missing("its binary part is missing"));
    };
    match uri.strip_prefix("data:").and_then(|uri| uri.split_once(";base64,")) {
        Some((_, text)) => base64::decode(text).ok_or_else(|| missing("a data URI of it is no base64")),
        None => numbers.map(<[u8]>::to_vec).ok_or_else(|| {
            MeshError::file(format!("its numbers are in {uri:?}; name that file with the key numbers"))
        }),
    }
}

/// The root nodes of the default scene, or all nodes that are no child.
fn first_nodes(root: &Value) -> Vec<usize> {
    let scene = root["scene"].as_u64().unwrap_or(0);
    if let Some(scene) = item(root, "scenes", scene as usize) {
        return whole_numbers(&scene["nodes"]).collect();
    }
    let nodes = list(root, "nodes");
    let held: HashSet<usize> = nodes.iter().flat_map(|node| whole_numbers(&node["children"])).collect();
    (0..nodes.len()).filter(|node| !held.contains(node)).collect()
}

struct GltfFile<'f> {
    root: &'f Value,
    buffers: Vec<Vec<u8>>,
    triangles: Vec<Triangle>,
    /// Nodes so far, as often as they are visited.
    visited: u32,
    /// Elements of accessors so far, as often as they are read.
    read: u64,
}

impl GltfFile<'_> {
    fn visit(&mut self, number: usize, above: DMat4, depth: u32) -> Result<(), MeshError> {
        self.visited += 1;
        if depth > DEEPEST || self.visited > MOST_NODES {
            return Err(MeshError::file("its nodes are nested too deep, or hold each other"));
        }
        let root = self.root;
        let no_node = || MeshError::file(format!("there is no node {number}"));
        let node = item(root, "nodes", number).ok_or_else(no_node)?;
        let transform = above * own_transform(node);
        if let Some(mesh) = node["mesh"].as_u64() {
            let no_mesh = || MeshError::file(format!("there is no mesh {mesh}"));
            for primitive in list(item(root, "meshes", mesh as usize).ok_or_else(no_mesh)?, "primitives") {
                self.add(primitive, transform)?;
            }
        }
        whole_numbers(&node["children"]).try_for_each(|child| self.visit(child, transform, depth + 1))
    }

    fn add(&mut self, primitive: &Value, transform: DMat4) -> Result<(), MeshError> {
        let mode = primitive["mode"].as_u64().unwrap_or(4);
        let Some(positions) = primitive["attributes"]["POSITION"].as_u64() else { return Ok(()) };
        if !(4..=6).contains(&mode) {
            return Ok(());
        }
        // A primitive instanced very often would take unbounded time
        let parts = [Some(positions), primitive["indices"].as_u64()];
        let elements: u64 = parts.into_iter().flatten().map(|number| element_count(self.root, number)).sum();
        self.read = self.read.saturating_add(1 + elements);
        if self.read > MOST_ELEMENTS {
            return Err(too_many());
        }
        let wrong = |what: &str, number: u64| MeshError::file(format!("accessor {number} {what}"));
        let numbers = self.numbers(positions, 3).ok_or_else(|| wrong("holds no positions", positions))?;
        let corners: Vec<[f64; 3]> = numbers
            .as_chunks::<3>()
            .0
            .iter()
            .map(|corner| transform.transform_point3(DVec3::from_array(*corner)).to_array())
            .collect();
        let order = match primitive["indices"].as_u64() {
            Some(indices) => self.numbers(indices, 1).ok_or_else(|| wrong("holds no indices", indices))?,
            None => (0..corners.len()).map(|corner| corner as f64).collect(),
        };
        let chosen: Option<Vec<[f64; 3]>> =
            order.iter().map(|&index| corners.get(index as usize).copied()).collect();
        let chosen = chosen.ok_or_else(|| MeshError::file("a face has no such corners"))?;
        match mode {
            4 => chosen.as_chunks::<3>().0.iter().try_for_each(|one| push_fan(one, &mut self.triangles)),
            // Every second triangle of a strip runs the other way round
            5 => chosen.windows(3).enumerate().try_for_each(|(number, one)| {
                let turned =
                    if number % 2 == 0 { [one[0], one[1], one[2]] } else { [one[1], one[0], one[2]] };
                push_fan(&turned, &mut self.triangles)
            }),
            _ => push_fan(&chosen, &mut self.triangles),
        }
    }

    /// The numbers of an accessor with `per_element` components per element.
    fn numbers(&self, accessor: u64, per_element: usize) -> Option<Vec<f64>> {
        let accessor = item(self.root, "accessors", accessor as usize)?;
        let kind = if per_element == 3 { "VEC3" } else { "SCALAR" };
        if accessor["type"].as_str()? != kind || !accessor["sparse"].is_null() {
            return None;
        }
        let view = item(self.root, "bufferViews", accessor["bufferView"].as_u64()? as usize)?;
        let buffer = self.buffers.get(view["buffer"].as_u64()? as usize)?;
        let offset = |value: &Value| value["byteOffset"].as_u64().unwrap_or(0) as usize;
        let start = offset(view).checked_add(offset(accessor))?;
        let (width, read) = component(accessor["componentType"].as_u64()?)?;
        let stride = view["byteStride"].as_u64().map_or(width * per_element, |stride| stride as usize);
        let count = usize::try_from(accessor["count"].as_u64()?).ok()?;
        if stride < width * per_element {
            return None;
        }
        let mut numbers = Vec::with_capacity(count.min(buffer.len()) * per_element);
        for element in 0..count {
            let first = element.checked_mul(stride)?.checked_add(start)?;
            for part in 0..per_element {
                let at = first.checked_add(part * width)?;
                numbers.push(read(buffer.get(at..at.checked_add(width)?)?)?);
            }
        }
        Some(numbers)
    }
}

type ReadNumber = fn(&[u8]) -> Option<f64>;

/// Elements that an accessor says it has, as far as they can be counted.
fn element_count(root: &Value, accessor: u64) -> u64 {
    let accessor = item(root, "accessors", accessor as usize);
    accessor.and_then(|accessor| accessor["count"].as_u64()).unwrap_or(0).min(u64::from(u32::MAX))
}

/// Bytes of a type of numbers, and how one is read.
fn component(kind: u64) -> Option<(usize, ReadNumber)> {
    match kind {
        5121 => Some((1, |bytes| bytes.first().map(|&byte| byte.into()))),
        5123 => Some((2, |bytes| Some(u16::from_le_bytes(bytes.try_into().ok()?).into()))),
        5125 => Some((4, |bytes| Some(u32::from_le_bytes(bytes.try_into().ok()?).into()))),
        5126 => Some((4, |bytes| Some(f32::from_le_bytes(bytes.try_into().ok()?).into()))),
        _ => None,
    }
}

/// A node's own matrix, or what its translation, rotation and scale make.
fn own_transform(node: &Value) -> DMat4 {
    if let Some(matrix) = reals::<16>(&node["matrix"]) {
        return DMat4::from_cols_array(&matrix);
    }
    let scale = reals(&node["scale"]).unwrap_or([1.0; 3]);
    let rotation = reals(&node["rotation"]).unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let shift = reals(&node["translation"]).unwrap_or([0.0; 3]);
    DMat4::from_scale_rotation_translation(scale.into(), DQuat::from_array(rotation), shift.into())
}

fn reals<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let numbers: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
    numbers?.try_into().ok()
}

fn whole_numbers(value: &Value) -> impl Iterator<Item = usize> {
    value.as_array().into_iter().flatten().filter_map(|number| number.as_u64().map(|number| number as usize))
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn item<'v>(value: &'v Value, key: &str, number: usize) -> Option<&'v Value> {
    list(value, key).get(number)
}

#[cfg(test)]
pub(super) mod samples {
    /// One triangle: three positions of three f32, then three indices of u16.
    pub fn numbers() -> Vec<u8> {
        let mut bytes: Vec<u8> =
            [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].into_iter().flat_map(f32::to_le_bytes).collect();
        bytes.extend([0u16, 1, 2, 0].into_iter().flat_map(u16::to_le_bytes));
        bytes
    }

    /// The JSON around them, with this in the buffer.
    pub fn json(buffer: &str) -> String {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
            "nodes":[{{"children":[1],"translation":[0,0,5]}},{{"mesh":0,"scale":[2,2,2]}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}},
            {{"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}}],
            "bufferViews":[{{"buffer":0,"byteLength":36}},{{"buffer":0,"byteOffset":36,"byteLength":6}}],
            "buffers":[{{{buffer}"byteLength":44}}]}}"#
        )
    }

    /// All in one file.
    pub fn binary() -> Vec<u8> {
        let (json, numbers) = (json(""), numbers());
        let mut bytes = b"glTF\x02\0\0\0".to_vec();
        bytes.extend((28 + json.len() as u32 + numbers.len() as u32).to_le_bytes());
        for (kind, chunk) in [(b"JSON", json.as_bytes()), (b"BIN\0", &numbers)] {
            bytes.extend((chunk.len() as u32).to_le_bytes());
            bytes.extend(kind);
            bytes.extend(chunk);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOVED: [Triangle; 1] = [[[0.0, 0.0, 5.0], [2.0, 0.0, 5.0], [0.0, 2.0, 5.0]]];

    #[test]
    fn numbers_come_from_the_file_from_a_uri_or_from_beside() {
        assert_eq!(read_gltf(&samples::binary(), None).unwrap(), MOVED);
        let data = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIAAAA=";
        let inline = samples::json(&format!("\"uri\":\"data:application/octet-stream;base64,{data}\","));
        assert_eq!(read_gltf(inline.as_bytes(), None).unwrap(), MOVED);
        let external = samples::json("\"uri\":\"glass.bin\",");
        assert_eq!(read_gltf(external.as_bytes(), Some(&samples::numbers())).unwrap(), MOVED);
        let refusal = read_gltf(external.as_bytes(), None).unwrap_err().to_string();
        assert!(refusal.contains("glass.bin") && refusal.contains("key numbers"), "{refusal}");
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let refusal = |text: &str| read_gltf(text.as_bytes(), None).unwrap_err().to_string();
        assert!(refusal("{\n  oops }").starts_with("line 2: this is no JSON"));
        let ring = r#"{"scenes":[{"nodes":[0]}],"nodes":[{"children":[0]}]}"#;
        assert!(refusal(ring).contains("hold each other"));
        assert!(refusal(r#"{"extensionsRequired":["KHR_draco_mesh_compression"]}"#).contains("draco"));
        let cut = samples::json("").replace("\"count\":3,\"type\":\"VEC3\"", "\"count\":4,\"type\":\"VEC3\"");
        let text = cut.replace("\"byteLength\":44", "\"uri\":\"data:;base64,AAAA\",\"byteLength\":44");
        assert!(refusal(&text).contains("accessor 0 holds no positions"));
        let narrow = samples::json("\"uri\":\"glass.bin\",");
        let narrow = narrow.replace("\"byteLength\":36", "\"byteStride\":4,\"byteLength\":36");
        let overlap = read_gltf(narrow.as_bytes(), Some(&samples::numbers())).unwrap_err().to_string();
        assert!(overlap.contains("accessor 0 holds no positions"), "{overlap}");
    }

    #[test]
    fn a_primitive_instanced_too_often_is_refused() {
        // No triangle comes of it, but elements are read again and again
        let children = format!("\"children\":[{}]", vec!["1"; 90_000].join(","));
        let text = samples::json("\"uri\":\"glass.bin\",").replace("\"children\":[1]", &children);
        let text = text.replace("\"count\":3,\"type\":\"VEC3\"", "\"count\":60,\"type\":\"VEC3\"");
        let many = text.replace("\"count\":3,\"type\":\"SCALAR\"", "\"count\":2,\"type\":\"SCALAR\"");
        let numbers = [samples::numbers(), vec![0; 1000]].concat();
        assert_eq!(read_gltf(many.as_bytes(), Some(&numbers)).unwrap_err(), too_many());
    }
}
