#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| deadheat_load::fuzz::http1::replies(data));
