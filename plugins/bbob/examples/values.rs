//! Values of functions at the points of standard input. A line has the numbers of the function, the
//! dimension and the instance, then the point. The answer is a line with the distance to the
//! optimum's value, and the offset. `compare` compares them with those of the package `ioh`.

use bbob::Lanes;
use bbob::functions::{Buffers, Function};
use std::error::Error;
use std::io::{BufRead, BufWriter, Write, stdin, stdout};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(stdout());
    let mut buffers = Buffers::default();
    let mut last: Option<([String; 3], Function)> = None;
    for line in stdin().lock().lines() {
        let line = line?;
        let mut words = line.split(' ').map(str::to_owned);
        let key = [(); 3].map(|()| words.next().unwrap_or_default());
        let function = match last.take().filter(|(known, _)| *known == key) {
            Some((_, function)) => function,
            None => Function::new(key[0].parse()?, key[1].parse()?, key[2].parse()?),
        };
        let genome = words.map(|word| word.parse().map(|gene| Lanes([gene])));
        let genome: Vec<Lanes<1>> = genome.collect::<Result<_, _>>()?;
        let Lanes([value]) = function.value(&genome, &mut buffers);
        writeln!(out, "{value:?} {:?}", function.offset())?;
        last = Some((key, function));
    }
    Ok(out.flush()?)
}
