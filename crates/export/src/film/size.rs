//! Picture sizes that the encoder accepts.

/// Greatest longer and shorter side in pixels.
const MAX_SIZE: [u32; 2] = [3840, 2160];

/// Whether the encoder accepts pictures of this size.
///
/// ```
/// use undine_export::film::can_hold;
/// assert!(can_hold(3840, 2160) && can_hold(1080, 1920) && !can_hold(4096, 2160));
/// ```
pub fn can_hold(width: u32, height: u32) -> bool {
    width.max(height) <= MAX_SIZE[0] && width.min(height) <= MAX_SIZE[1]
}
