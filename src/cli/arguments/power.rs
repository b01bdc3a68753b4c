//! Arguments of `runner power`.

use super::values;
use clap::Args;
use std::num::NonZeroU64;

#[derive(Debug, Args)]
pub(crate) struct PowerArguments {
    /// Two success rates to tell apart
    #[arg(
        long,
        num_args = 2,
        value_names = ["RATE", "RATE"],
        required = true,
        value_parser = values::finite,
        allow_negative_numbers = true
    )]
    pub detect: Vec<f64>,
    /// Probability of finding the difference
    #[arg(
        long,
        default_value_t = 0.9,
        value_parser = values::finite,
        allow_negative_numbers = true
    )]
    pub power: f64,
    /// Probability of finding a difference where there is none
    #[arg(
        long,
        default_value_t = 0.05,
        value_parser = values::finite,
        allow_negative_numbers = true
    )]
    pub level: f64,
    /// Number of tests whose p-values are adjusted together (Holm): each is planned at the
    /// level divided by this number
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        value_parser = values::whole::<NonZeroU64>(1)
    )]
    pub comparisons: NonZeroU64,
    /// For paired trials (pairing = "common"): the share of pairs in which exactly one trial
    /// succeeds
    #[arg(long, value_name = "SHARE", value_parser = values::finite, allow_negative_numbers = true)]
    pub discordant: Option<f64>,
}
