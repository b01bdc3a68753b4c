//! Values of the suite's problems for the genomes of standard input. A line has the numbers of the
//! problem and the instance, then the genome as zeros and ones. The answer is a line with the value
//! and the greatest value, `nan` where it is unknown. `compare` compares them with those of the
//! package `ioh`.

use pbo::{Pbo, Transformed};
use std::error::Error;
use std::io::{BufRead, BufWriter, Write, stdin, stdout};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(stdout());
    for line in stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        let [number, instance, bits] = words[..] else { return Err(line.into()) };
        let genome: Vec<u8> = bits.bytes().map(|sign| sign - b'0').collect();
        let pbo = Pbo::numbered(number.parse()?, genome.len())?;
        let problem = Transformed::new(pbo, instance.parse()?);
        let optimum = problem.optimum().unwrap_or(f64::NAN);
        writeln!(out, "{:?} {optimum:?}", problem.value(&genome))?;
    }
    Ok(out.flush()?)
}
