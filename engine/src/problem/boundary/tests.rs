//! Fuzz tests with random descriptors: each must be read or rejected without a fault. `RUNNER_FUZZ`
//! sets the number of attempts. Tables of older and newer versions.

use super::super::Library;
use super::table::read;
use crate::problem::OperatorKind;
use crate::problem::parameter::Value;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use runner_plugin::abi::{self, runner_operator, runner_parameter, runner_text, runner_value};
use runner_plugin::{
    AlgorithmOperator, AskTell, Batch, DeclaredOperator, Domain, Gene, MutationOperator, Operator,
    Parameters, Population, RowRng,
};
use std::mem::offset_of;
use std::path::Path;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn any_integer(rng: &mut Xoshiro256PlusPlus) -> u64 {
    match rng.random_range(0..5u32) {
        0 => rng.random_range(0..6u64),
        1 => u64::MAX - rng.random_range(0..3u64),
        2 => 1 << rng.random_range(0..64u32),
        3 => (i64::MIN as u64).wrapping_add(rng.random_range(0..2u64)),
        _ => rng.next_u64(),
    }
}

fn any_real(rng: &mut Xoshiro256PlusPlus) -> f64 {
    match rng.random_range(0..4u32) {
        0 => [0.0, -0.0, 1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 5e-324]
            [rng.random_range(0..8usize)],
        1 => f64::from_bits(rng.next_u64()),
        _ => rng.random_range(-10.0..10.0),
    }
}

/// Returns a text somewhere in `pool`, an empty text, or one whose length exceeds the limit.
fn any_text(rng: &mut Xoshiro256PlusPlus, pool: &[u8]) -> runner_text {
    let from = rng.random_range(0..pool.len());
    let length = rng.random_range(0..=(pool.len() - from).min(12)) as u64;
    match rng.random_range(0..20u32) {
        0 => runner_text { data: std::ptr::null(), length },
        // Rejected because of its length; the data is never read.
        1 => runner_text {
            data: pool[from..].as_ptr().cast(),
            length: u64::MAX >> rng.random_range(0..40u32),
        },
        _ => runner_text { data: pool[from..].as_ptr().cast(), length },
    }
}

/// A mixed genome, described to hosts of any version.
struct Mixed;

impl runner_plugin::Plugin for Mixed {
    const NAME: &'static str = "mixed";
    const SUMMARY: &'static str = "A bit.";
    type Problem = Self;

    fn create(_: &Parameters) -> Result<runner_plugin::Instance, String> {
        Ok(Mixed.into())
    }
}

impl runner_plugin::Problem for Mixed {
    type Gene = f64;

    fn describe(&self) -> runner_plugin::Description {
        runner_plugin::Description::mixed(vec![runner_plugin::MixedGene::bit()])
    }

    fn sample(&self, _: &mut RowRng, genome: &mut [f64]) {
        genome.fill(0.0);
    }

    fn fitness(&self, genome: &[f64]) -> f64 {
        genome[0]
    }
}

#[test]
fn a_host_before_mixed_genes_is_told_of_its_age() {
    let table = runner_plugin::table::<Mixed>("1", &[]);
    let mut instance = std::ptr::null_mut();
    let mut words = [0_u8; 200];
    let mut error =
        abi::runner_buffer { data: words.as_mut_ptr(), capacity: words.len() as u64, length: 0 };
    // SAFETY: a plugin of the SDK, without parameters; the description is as large as it says.
    let (status, first) = unsafe {
        let (create, describe) = (table.create.expect("one"), table.describe.expect("one"));
        create(std::ptr::null(), 0, &raw mut instance, &raw mut error);
        let mut old: abi::runner_description = std::mem::zeroed();
        old.struct_size = offset_of!(abi::runner_description, genes) as u64;
        let status = describe(instance, &raw mut old, &raw mut error);
        let mut new: abi::runner_description = std::mem::zeroed();
        new.struct_size = size_of::<abi::runner_description>() as u64;
        assert_eq!(describe(instance, &raw mut new, std::ptr::null_mut()), abi::RUNNER_OK);
        assert!(old.genes.is_null());
        // A host of 1.5 knows mixed genes, and nothing beyond its description is written.
        let mut known: abi::runner_description = std::mem::zeroed();
        known.struct_size = offset_of!(abi::runner_description, move_kinds) as u64;
        known.move_kinds = 7;
        assert_eq!(describe(instance, &raw mut known, std::ptr::null_mut()), abi::RUNNER_OK);
        assert_eq!((known.encoding, known.move_kinds), (abi::RUNNER_ENCODING_MIXED, 7));
        let first = (new.encoding, (*new.genes).kind);
        table.destroy.expect("one")(instance);
        (status, first)
    };
    assert_eq!(first, (abi::RUNNER_ENCODING_MIXED, abi::RUNNER_BOOLEAN));
    let words = std::str::from_utf8(&words[..error.length as usize]).expect("UTF-8");
    assert_eq!(status, abi::RUNNER_FAILED);
    assert!(words.contains("mixed genes need a runner whose plugin interface is 1.5"), "{words}");
}

#[test]
fn any_descriptor_is_read_or_refused() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(number("RUNNER_FUZZ_SEED", 1));
    let sound = runner_plugin::table::<faulty::Faulty>("1", &[]);
    let mut read_well = 0;
    for _ in 0..number("RUNNER_FUZZ", 20_000) {
        let words = b"nrates-size_xy12.plugin\xff\xc3\xa9 A\0population";
        let pool: Vec<u8> = (0..64).map(|_| words[rng.random_range(0..words.len())]).collect();
        let choices: Vec<runner_text> = (0..4).map(|_| any_text(&mut rng, &pool)).collect();
        let parameters: Vec<runner_parameter> = (0..4)
            .map(|_| {
                let kind = rng.random_range(0..7u32);
                runner_parameter {
                    key: any_text(&mut rng, &pool),
                    doc: any_text(&mut rng, &pool),
                    kind,
                    flags: rng.random_range(0..3u32),
                    fallback: runner_value {
                        kind: if rng.random_bool(0.8) { kind } else { rng.random_range(0..7u32) },
                        reserved: rng.next_u32(),
                        integer: any_integer(&mut rng) as i64,
                        real: any_real(&mut rng),
                        text: any_text(&mut rng, &pool),
                    },
                    integer_low: any_integer(&mut rng) as i64,
                    integer_high: any_integer(&mut rng) as i64,
                    real_low: any_real(&mut rng),
                    real_high: any_real(&mut rng),
                    choices: if rng.random_bool(0.9) { choices.as_ptr() } else { std::ptr::null() },
                    choice_count: rng.random_range(0..=4u64),
                }
            })
            .collect();
        let mut table = sound;
        table.parameters = parameters.as_ptr();
        table.parameter_count = rng.random_range(0..=4u64);
        match rng.random_range(0..12u32) {
            0 => table.abi_major = rng.next_u32(),
            1 => table.struct_size = any_integer(&mut rng).min(table.struct_size),
            2 => table.name = any_text(&mut rng, &pool),
            3 => table.version = any_text(&mut rng, &pool),
            4 => table.evaluate = None,
            5 => table.parameter_size = [0, 8, 127, 129, u64::MAX][rng.random_range(0..5usize)],
            6 => table.parameter_count = (1 << 17) + any_integer(&mut rng) / 2,
            7 => table.parameters = std::ptr::null(),
            _ => {}
        }
        // SAFETY: every pointer leads to as many bytes as it states, or its stated length rejects
        // it before it is followed.
        match unsafe { read(&raw const table, Path::new("fuzz")) } {
            Ok((declared, _)) => {
                read_well += 1;
                assert!(declared.parameters.len() <= 4);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert!(read_well > 0, "some are sound");
}

#[test]
fn any_values_make_an_instance_or_are_refused() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(number("RUNNER_FUZZ_SEED", 1) + 1);
    let library = Library::linked::<faulty::Faulty>("1").expect("its table is sound");
    let texts =
        ["none", "nan", "", "panic-create", "bad-bounds", "bad-length", "\u{0}", "é", "[1]"];
    let mut made = 0;
    for _ in 0..number("RUNNER_FUZZ", 20_000) / 10 {
        let mut any = || match rng.random_range(0..4u32) {
            0 => Value::Integer(any_integer(&mut rng) as i64),
            1 => Value::Real(any_real(&mut rng)),
            2 => Value::Boolean(rng.random_bool(0.5)),
            _ => Value::Text(texts[rng.random_range(0..texts.len())].into()),
        };
        // Mostly values of the right kind, so that some pass the checks.
        let right = [
            Value::Text("none".into()),
            Value::Integer(8),
            Value::Real(0.5),
            Value::Boolean(true),
            Value::Text("x".into()),
        ];
        let mut values: Vec<Value> = right.into_iter().collect();
        let (place, value) = (any(), any());
        let hit = usize::from(matches!(place, Value::Integer(_)))
            + 2 * usize::from(matches!(place, Value::Text(_)));
        values[hit] = value;
        match library.create(&values) {
            Ok(_) => made += 1,
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert!(made > 0, "some are sound");
}

#[test]
fn the_kinds_are_those_of_the_header() {
    // The first test draws kinds from 0 to 6: every valid kind and two invalid ones.
    let kinds = [
        abi::RUNNER_INTEGER,
        abi::RUNNER_REAL,
        abi::RUNNER_BOOLEAN,
        abi::RUNNER_CHOICE,
        abi::RUNNER_STRING,
    ];
    assert!(kinds.iter().all(|kind| (0..7).contains(kind)), "{kinds:?}");
}

/// A mutation that changes nothing, and an algorithm that asks for nothing.
struct Nothing;

impl Operator for Nothing {
    const NAME: &'static str = "nothing";
    const SUMMARY: &'static str = "Nothing.";

    fn create(_: &Parameters, _: &Domain) -> Result<Self, String> {
        Ok(Nothing)
    }
}

impl MutationOperator for Nothing {
    fn mutate<G: Gene>(&self, _: &mut RowRng, _: &mut [G]) -> Result<(), String> {
        Ok(())
    }
}

impl AlgorithmOperator for Nothing {
    type Search<G: Gene> = Nothing;

    fn begin<G: Gene>(&self, _: RowRng) -> Result<Nothing, String> {
        Ok(Nothing)
    }
}

impl<G: Gene> AskTell<G> for Nothing {
    fn ask(&mut self, _: &mut Batch<'_, G>) -> Result<(), String> {
        Ok(())
    }

    fn tell(&mut self, _: &[G], _: Population<'_>) -> Result<(), String> {
        Ok(())
    }
}

static MUTATIONS: [DeclaredOperator; 1] = [DeclaredOperator::mutation::<Nothing>()];
static BOTH: [DeclaredOperator; 2] =
    [DeclaredOperator::mutation::<Nothing>(), DeclaredOperator::algorithm::<Nothing>()];

#[test]
fn operators_of_older_versions_are_read_as_far_as_they_go() {
    // In version 1.1 an operator ended before the calls of algorithms.
    let (older, newer) = (offset_of!(runner_operator, begin), size_of::<runner_operator>() + 16);
    let kinds = |operators: &'static [DeclaredOperator], size: usize| {
        let known = size.min(size_of::<runner_operator>());
        let mut bytes = vec![u64::MAX; operators.len() * size / 8];
        let mut table = runner_plugin::operators_table("x", "x", "1", operators);
        for place in 0..operators.len() {
            // SAFETY: each copy is within an operator of the table, and within the words.
            unsafe {
                let from = table.operators.add(place).cast::<u8>();
                let to = bytes.as_mut_ptr().cast::<u8>().add(place * size);
                from.copy_to_nonoverlapping(to, known);
            }
        }
        (table.operators, table.operator_size) = (bytes.as_ptr().cast(), size as u64);
        // SAFETY: the table leads to as many bytes as it states.
        let read = unsafe { read(&raw const table, Path::new("older")) };
        let kinds = |operators: &[crate::problem::DeclaredOperator]| {
            operators.iter().map(|operator| operator.kind).collect::<Vec<_>>()
        };
        read.map(|(declared, _)| kinds(&declared.operators)).map_err(|error| error.to_string())
    };
    let (mutation, algorithm) = (OperatorKind::Mutation, OperatorKind::Algorithm);
    assert_eq!(kinds(&MUTATIONS, older), Ok(vec![mutation]));
    assert_eq!(kinds(&BOTH, newer), Ok(vec![mutation, algorithm]));
    let error = kinds(&BOTH, older).expect_err("it has no such calls");
    assert!(
        error.contains("its algorithm `nothing` lacks `create`, `destroy` or `ask`"),
        "{error}"
    );
    let error = kinds(&MUTATIONS, older - 8).expect_err("it is too short");
    assert!(error.contains("an operator of ABI 1.1 has 120 bytes"), "{error}");
}
