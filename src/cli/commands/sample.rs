//! `runner sample`: prints genomes of a plugin, random or by number, checked and rendered.

use super::load::{load_problem, search_path};
use super::output::line;
use crate::cli::Failure;
use crate::cli::arguments::{SampleArguments, SampleFormat};
use crate::exit::Exit;
use crate::problem::{
    CallError, Format, Gene, GeneKind, Genome, Genomes, Opener, PluginPolicy, Problem,
};
use crate::results::storage::output_folder;
use crate::words::count;
use std::path::Path;

pub(super) fn sample(arguments: &SampleArguments) -> Result<Exit, Failure> {
    let search = search_path(&arguments.plugins);
    let SampleArguments { plugin, set, interpreter, .. } = arguments;
    let (library, values) =
        load_problem(plugin, interpreter.as_deref(), set, search, Opener::here(PluginPolicy::Any))?;
    let problem = library.create(&values)?;
    allowed(&problem, arguments).map_err(Failure::usage)?;
    match problem.description().gene {
        GeneKind::U8 => show::<u8>(&problem, arguments),
        GeneKind::U16 => show::<u16>(&problem, arguments),
        GeneKind::U32 => show::<u32>(&problem, arguments),
        GeneKind::F64 => show::<f64>(&problem, arguments),
    }
}

/// Checks that the problem supports the requested output.
fn allowed(problem: &Problem, arguments: &SampleArguments) -> Result<(), String> {
    let (description, plugin) = (problem.description(), problem.library().name());
    if let Some(number) = arguments.number {
        match description.space_size {
            None => {
                return Err(format!(
                    "--number {number}: the plugin `{plugin}` does not number its genomes, at \
                    least not with these parameters; draw one with --seed"
                ));
            }
            Some(size) if number >= size => {
                return Err(format!(
                    "--number {number}: the genomes of `{plugin}` are numbered 0 to {}; choose one \
                    of these",
                    size - 1
                ));
            }
            Some(_) => {}
        }
    }
    if arguments.check && !description.has_is_valid {
        return Err(format!("--check: the plugin `{plugin}` has no rules to check"));
    }
    if arguments.format == Some(SampleFormat::Svg) && arguments.count > 1 && arguments.out.is_none()
    {
        return Err(
            "several images do not fit in one SVG; name a folder for them with --out DIR".into()
        );
    }
    Ok(())
}

/// Draws and shows genomes. Genome k of a seed is always the same, however many are drawn.
fn show<G: Gene>(problem: &Problem, arguments: &SampleArguments) -> Result<Exit, Failure> {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&arguments.seed.to_le_bytes());
    let mut genomes = Genomes::new::<G>(problem.description().genome_length);
    let (mut valid, mut shown) = (0, 0);
    for row in 0..arguments.count {
        if arguments.out.is_none() && crate::system::output::is_closed() {
            return Ok(Exit::Done);
        }
        match arguments.number {
            Some(number) => problem.enumerate(number, genomes.genes_mut::<G>())?,
            None => problem.sample(&seed, row, genomes.genes_mut::<G>())?,
        }
        let genes = genomes.genes::<G>();
        let is_valid = !arguments.check || is_valid(problem, genes)?;
        valid += u64::from(is_valid);
        if !is_valid {
            let genes = problem.genes_text(&Genome::from_genes(genes));
            let seed = arguments.seed;
            fault!("genome {row} of seed {seed} breaks the problem's rules: {genes}");
        }
        let unasked = (!arguments.check || !is_valid).then_some(SampleFormat::Board);
        if let Some(format) = arguments.format.or(unasked) {
            deliver(problem, arguments, (row, genes), format, shown == 0)?;
            shown += 1;
        }
    }
    if arguments.check {
        line!("{} of {} valid", count(valid), count(arguments.count));
    }
    Ok(if valid == arguments.count { Exit::Done } else { Exit::SomeFailed })
}

/// Returns whether a genome keeps the problem's rules.
fn is_valid<G: Gene>(problem: &Problem, genes: &[G]) -> Result<bool, CallError> {
    let mut answer = [1];
    problem.is_valid(genes, &mut answer)?;
    Ok(answer[0] != 0)
}

/// Prints a genome, or writes it to a file.
fn deliver<G: Gene>(
    problem: &Problem,
    arguments: &SampleArguments,
    (row, genes): (u64, &[G]),
    format: SampleFormat,
    first: bool,
) -> Result<(), Failure> {
    let text = text(problem, genes, format)?.ok_or_else(|| {
        Failure::usage(format!(
            "--format svg: the plugin `{}` draws no image of this genome; choose line, board or \
            genes",
            problem.library().name()
        ))
    })?;
    if let Some(folder) = &arguments.out {
        return write(problem, arguments, folder, row, format, &text);
    }
    if format == SampleFormat::Board && !first {
        line!();
    }
    line!("{text}");
    Ok(())
}

/// Renders a genome in a format. If the plugin has no text for it, lists its genes. `None` if the
/// plugin draws no picture.
fn text<G: Gene>(
    problem: &Problem,
    genes: &[G],
    format: SampleFormat,
) -> Result<Option<String>, CallError> {
    let as_format = match format {
        SampleFormat::Line => Some(Format::Line),
        SampleFormat::Board => Some(Format::Board),
        SampleFormat::Svg => Some(Format::Svg),
        SampleFormat::Genes => None,
    };
    let genome = Genome::from_genes(genes);
    let rendered = as_format.map(|format| problem.render(&genome, format)).transpose()?.flatten();
    let mut text = match rendered {
        Some(text) => text.trim_end_matches('\n').to_string(),
        None if format == SampleFormat::Svg => return Ok(None),
        None => problem.genes_text(&genome),
    };
    if format == SampleFormat::Line
        && problem.has_number()
        && problem.description().space_size.is_some()
    {
        let mut number = [0];
        problem.number(genes, &mut number)?;
        if number[0] != u64::MAX {
            text.push_str(&format!("  {}", number[0]));
        }
    }
    Ok(Some(text))
}

/// Writes a file such as `chess960-7.svg`. Its number is that of the genome if one is requested,
/// otherwise its position among those drawn.
fn write(
    problem: &Problem,
    arguments: &SampleArguments,
    folder: &Path,
    row: u64,
    format: SampleFormat,
    text: &str,
) -> Result<(), Failure> {
    let ending = if format == SampleFormat::Svg { "svg" } else { "txt" };
    let path = folder.join(format!(
        "{}-{}.{ending}",
        problem.library().name(),
        arguments.number.unwrap_or(row)
    ));
    output_folder::create(folder)?;
    output_folder::write(&path, format!("{text}\n").as_bytes())?;
    line!("{}", path.display());
    Ok(())
}
