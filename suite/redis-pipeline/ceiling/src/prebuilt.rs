//! The study's commands as bytes made before the clock runs, a block of equal commands at a time.

/// Bytes of a block: what the kernel takes at once.
const BLOCK_BYTES: usize = 64 * 1024;

const DEL: &[u8] = b"*2\r\n$3\r\nDEL\r\n$3\r\nfoo\r\n";
const SET: &[u8] = b"*3\r\n$3\r\nSET\r\n$3\r\nfoo\r\n$3\r\nbar\r\n";
const GET: &[u8] = b"*2\r\n$3\r\nGET\r\n$3\r\nfoo\r\n";
const INCR: &[u8] = b"*2\r\n$4\r\nINCR\r\n$3\r\nfoo\r\n";

/// Many of one command in a row.
struct Block {
    bytes: Vec<u8>,
    commands: usize,
}

impl Block {
    fn new(command: &[u8]) -> Self {
        let commands = BLOCK_BYTES / command.len();
        Block {
            bytes: command.repeat(commands),
            commands,
        }
    }
}

pub struct Prebuilt {
    blocks: [Block; 4],
    runs: [(usize, usize); 7],
}

impl Prebuilt {
    pub fn new(iterations: usize) -> Self {
        let [del, set, get, incr] = [0, 1, 2, 3];
        Prebuilt {
            blocks: [DEL, SET, GET, INCR].map(Block::new),
            runs: [
                (del, 1),
                (set, iterations),
                (get, iterations),
                (del, 1),
                (incr, iterations),
                (del, 1),
                (get, iterations),
            ],
        }
    }

    /// A round in pieces of at most `depth` commands, each a slice of a block and its number of commands.
    /// A piece never holds two kinds of command, so that where a run ends a pipeline has two pieces.
    pub fn pieces(&self, depth: usize) -> impl Iterator<Item = Piece<'_>> {
        let mut room = depth;
        let mut run = 0;
        let mut done = 0;
        std::iter::from_fn(move || {
            while run < self.runs.len() && done == self.runs[run].1 {
                run += 1;
                done = 0;
            }
            let (block, times) = *self.runs.get(run)?;
            let block = &self.blocks[block];
            let commands = (times - done).min(block.commands).min(room);
            done += commands;
            room -= commands;
            let ends_pipeline = room == 0;
            if ends_pipeline {
                room = depth;
            }
            Some(Piece {
                bytes: &block.bytes[..block.bytes.len() / block.commands * commands],
                commands,
                ends_pipeline,
            })
        })
    }
}

pub struct Piece<'a> {
    pub bytes: &'a [u8],
    pub commands: usize,
    /// The pipeline's replies are to be read after it.
    pub ends_pipeline: bool,
}
