//! `runner sample`: genomes of a plugin, drawn and rendered.

use super::load;
use crate::cli::{SampleArguments, SampleFormat};
use crate::config::{Catalogue, Sources, problem_values};
use crate::exit::Exit;
use crate::problem::{CallError, Format, Gene, GeneKind, Genome, Genomes, Problem, SearchPath};
use std::path::Path;

pub fn sample(arguments: &SampleArguments) -> Exit {
    let mut catalogue = Catalogue::new(SearchPath::new(&arguments.plugins.plugin_dir));
    let library = match catalogue.load(&arguments.plugin, Path::new(".")) {
        Ok(library) => library,
        Err(error) => return refuse(&error.to_string(), Exit::Plugin),
    };
    let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
    let values = problem_values(&library, &arguments.set, &mut sources, &mut diagnostics);
    load::print(&diagnostics, &sources);
    let Some(values) = values else { return Exit::Usage };
    let problem = match library.create(&values) {
        Ok(problem) => problem,
        Err(error) => return refuse(&error.to_string(), Exit::Plugin),
    };
    let printed = match problem.description().gene {
        GeneKind::U8 => print::<u8>(&problem, arguments),
        GeneKind::U16 => print::<u16>(&problem, arguments),
        GeneKind::U32 => print::<u32>(&problem, arguments),
        GeneKind::F64 => print::<f64>(&problem, arguments),
    };
    match printed {
        Ok(()) => Exit::Done,
        Err(error) => refuse(&error.to_string(), Exit::Plugin),
    }
}

fn refuse(words: &str, exit: Exit) -> Exit {
    eprintln!("error: {words}");
    exit
}

/// Genome k of a seed is always the same, however many are drawn.
fn print<G: Gene>(problem: &Problem, arguments: &SampleArguments) -> Result<(), CallError> {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&arguments.seed.to_le_bytes());
    let mut genomes = Genomes::new::<G>(problem.description().genome_length);
    for number in 0..arguments.count {
        problem.sample(&seed, number, genomes.genes_mut::<G>())?;
        let genes = genomes.genes::<G>();
        let genome = Genome::from_genes(genes);
        let format = match arguments.format {
            SampleFormat::Line => Some(Format::Line),
            SampleFormat::Board => Some(Format::Board),
            SampleFormat::Svg => Some(Format::Svg),
            SampleFormat::Genes => None,
        };
        let rendered = format.map(|format| problem.render(&genome, format)).transpose()?.flatten();
        match rendered {
            Some(text) => println!("{}", text.trim_end_matches('\n')),
            None => println!("{}", genes.iter().map(|gene| gene.to_f64().to_string()).collect::<Vec<_>>().join(" ")),
        }
        if arguments.format == SampleFormat::Board && number + 1 < arguments.count {
            println!();
        }
    }
    Ok(())
}
