//! Prints the nth Fibonacci number by naive recursion.

use std::env;
use std::process::ExitCode;

fn fib(n: u32) -> u32 {
    if n < 2 {
        return n;
    }
    fib(n - 1) + fib(n - 2)
}

fn main() -> ExitCode {
    let mut args = env::args().skip(1);
    match (args.next().map(|n| n.parse()), args.next()) {
        (Some(Ok(n)), None) => {
            println!("{}", fib(n));
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("usage: fib N");
            ExitCode::from(2)
        }
    }
}
