//! Output of calls that write any number of bytes: renderings and states.

use crate::problem::answer::MOST_BYTES;
use runner_plugin::abi::runner_buffer;

/// Number of bytes that need no allocation before their length is known.
const SHORT: usize = 512;

/// Returns the bytes that a call writes to the buffer. A call that states a greater length than the
/// buffer has is made once more, with a larger one. `None` if `write` returns that there are no
/// such bytes. `name` is for messages.
///
/// # Errors
/// Returns the error of `write`, or an error if the bytes are too many, or more than the call
/// stated.
pub(super) fn written(
    name: &str,
    mut write: impl FnMut(*mut runner_buffer) -> Result<bool, String>,
) -> Result<Option<Vec<u8>>, String> {
    let mut short = [0; SHORT];
    let mut long = Vec::new();
    for again in [false, true] {
        let bytes = if again { &mut long[..] } else { &mut short[..] };
        let capacity = bytes.len();
        let mut buffer =
            runner_buffer { data: bytes.as_mut_ptr(), capacity: capacity as u64, length: 0 };
        if !write(&raw mut buffer)? {
            return Ok(None);
        }
        if buffer.length > MOST_BYTES as u64 {
            let length = buffer.length;
            return Err(format!(
                "the {name} is {length} bytes long, beyond the {MOST_BYTES} allowed"
            ));
        }
        let length = buffer.length as usize;
        if length <= capacity {
            if again {
                long.truncate(length);
            } else {
                long = short[..length].to_vec();
            }
            return Ok(Some(long));
        }
        if !again {
            long.try_reserve_exact(length)
                .map_err(|_| format!("there is no memory for its {length} bytes"))?;
            long.resize(length, 0);
        }
    }
    Err(format!("the {name} grows from one call to the next"))
}
