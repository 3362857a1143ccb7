fn main() { println!("launch"); }
