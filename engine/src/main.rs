fn main() { println!("load"); }
