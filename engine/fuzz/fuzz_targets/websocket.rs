#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| deadheat_load::fuzz::websocket::messages(data));
