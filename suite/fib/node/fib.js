"use strict";

// ">>> 0" keeps the sum an unsigned 32-bit integer, as in the other languages.
function fib(n) {
  if (n < 2) {
    return n;
  }
  return (fib(n - 1) + fib(n - 2)) >>> 0;
}

const [argument, ...rest] = process.argv.slice(2);

if (rest.length > 0 || !/^\d+$/.test(argument)) {
  console.error("usage: fib.js N");
  process.exitCode = 2;
} else {
  console.log(fib(Number(argument)));
}
