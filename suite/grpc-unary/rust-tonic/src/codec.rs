//! The Protobuf codec with buffers of the size that greetings have.

use std::marker::PhantomData;

use prost::Message;
use tonic::codec::{BufferSettings, Codec};
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};

/// First size of a call's encode and decode buffers, in bytes; longer messages
/// make them grow. tonic's default, 8 KiB, is allocated twice a call.
const BUFFER_BYTES: usize = 256;

/// How much of a stream is gathered before it is handed to HTTP/2, in bytes:
/// tonic's default.
const YIELD_THRESHOLD_BYTES: usize = 32 * 1024;

/// `ProstCodec` for short messages; `build.rs` names it to the code generator.
#[derive(Clone, Copy, Debug)]
pub struct SmallMessageCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for SmallMessageCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for SmallMessageCodec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<T, U>::raw_encoder(buffer_settings())
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<T, U>::raw_decoder(buffer_settings())
    }
}

fn buffer_settings() -> BufferSettings {
    BufferSettings::new(BUFFER_BYTES, YIELD_THRESHOLD_BYTES)
}
