//! The one list of what a text may cite: operators by the sources that the registry names, and the
//! statistics.

/// A publication, or what else there is to cite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    pub authors: &'static str,
    /// Empty where it has none.
    pub year: &'static str,
    /// Title and place.
    pub what: &'static str,
    /// Empty where it has none.
    pub doi: &'static str,
}

impl Reference {
    /// "Wilson 1927": how a text cites it.
    #[must_use]
    pub(super) fn key(&self) -> String {
        if self.year.is_empty() {
            self.authors.to_owned()
        } else {
            format!("{} {}", self.authors, self.year)
        }
    }

    /// "Wilson (1927). Probable inference, …. doi:…": how a list has it.
    #[must_use]
    pub(super) fn text(&self) -> String {
        let year = if self.year.is_empty() { String::new() } else { format!(" ({})", self.year) };
        let doi = if self.doi.is_empty() { String::new() } else { format!(" doi:{}", self.doi) };
        format!("{}{year}. {}{doi}", self.authors, self.what)
    }

    /// How the registry of operators names it: "Wilson (1927)".
    fn in_source(&self) -> String {
        if self.year.is_empty() {
            self.authors.to_owned()
        } else {
            format!("{} ({})", self.authors, self.year)
        }
    }
}

/// The reference of this key.
#[must_use]
pub(super) fn find(key: &str) -> Option<&'static Reference> {
    REFERENCES.iter().find(|reference| reference.key() == key)
}

/// The references that an operator's source names, in its order.
#[must_use]
pub(super) fn of_source(source: &str) -> Vec<&'static Reference> {
    let mut found: Vec<(usize, &Reference)> = REFERENCES
        .iter()
        .filter_map(|reference| {
            let name = reference.in_source();
            // Not the end of a longer list of authors: "Deb (2001)" is not "X and Deb (2001)".
            let whole =
                |at: &usize| at.checked_sub(1).is_none_or(|_| source[..*at].ends_with("; "));
            let at = source.match_indices(&name).map(|(at, _)| at).find(whole)?;
            Some((at, reference))
        })
        .collect();
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, reference)| reference).collect()
}

const fn book(authors: &'static str, year: &'static str, what: &'static str) -> Reference {
    Reference { authors, year, what, doi: "" }
}

const fn paper(
    authors: &'static str,
    year: &'static str,
    what: &'static str,
    doi: &'static str,
) -> Reference {
    Reference { authors, year, what, doi }
}

pub(super) static REFERENCES: &[Reference] = &[
    book(
        "8 queens notes",
        "",
        "A write-up of a genetic algorithm for 8 queens with the operations clone, crossover and \
        mutate.",
    ),
    paper(
        "Auger and Hansen",
        "2005",
        "Performance evaluation of an advanced local search evolutionary algorithm. IEEE CEC 2005, \
        1777–1784.",
        "10.1109/CEC.2005.1554903",
    ),
    book("Baker", "1985", "Adaptive selection methods for genetic algorithms. ICGA 1, 101–111."),
    book(
        "Baker",
        "1987",
        "Reducing bias and inefficiency in the selection algorithm. ICGA 2, 14–21.",
    ),
    book("Baljicki and Milović", "", "Fischer random chess (Chess960)."),
    paper(
        "Beyer and Schwefel",
        "2002",
        "Evolution strategies: a comprehensive introduction. Natural Computing 1, 3–52.",
        "10.1023/A:1015059928466",
    ),
    paper(
        "Blackman and Vigna",
        "2021",
        "Scrambled linear pseudorandom number generators. ACM Trans. Math. Softw. 47(4), 36.",
        "10.1145/3460772",
    ),
    paper(
        "Brooks",
        "1958",
        "A discussion of random methods for seeking maxima. Operations Research 6, 244–251.",
        "10.1287/opre.6.2.244",
    ),
    paper(
        "Coello Coello",
        "2002",
        "Theoretical and numerical constraint-handling techniques used with evolutionary \
        algorithms: a survey of the state of the art. Computer Methods in Applied Mechanics and \
        Engineering 191, 1245–1287.",
        "10.1016/S0045-7825(01)00323-1",
    ),
    book("Davis", "1985", "Applying adaptive algorithms to epistatic domains. IJCAI 9, 162–164."),
    book(
        "De Jong",
        "1975",
        "An analysis of the behavior of a class of genetic adaptive systems. Dissertation, \
        University of Michigan.",
    ),
    book("De Jong", "2006", "Evolutionary Computation: A Unified Approach. MIT Press."),
    paper(
        "Deb",
        "2000",
        "An efficient constraint handling method for genetic algorithms. Computer Methods in \
        Applied Mechanics and Engineering 186, 311–338.",
        "10.1016/S0045-7825(99)00389-8",
    ),
    book("Deb", "2001", "Multi-Objective Optimization using Evolutionary Algorithms. Wiley."),
    book(
        "Deb and Agrawal",
        "1995",
        "Simulated binary crossover for continuous search space. Complex Systems 9, 115–148.",
    ),
    paper(
        "Deb and Beyer",
        "2001",
        "Self-adaptive genetic algorithms with simulated binary crossover. Evolutionary \
        Computation 9, 197–221.",
        "10.1162/106365601750190406",
    ),
    book(
        "Deb and Goyal",
        "1996",
        "A combined genetic adaptive search (GeneAS) for engineering design. Computer Science and \
        Informatics 26, 30–45.",
    ),
    paper(
        "Doerr and Doerr",
        "2018",
        "Optimal static and self-adjusting parameter choices for the (1+(λ,λ)) genetic algorithm. \
        Algorithmica 80, 1658–1709.",
        "10.1007/s00453-017-0354-9",
    ),
    paper(
        "Doerr, Doerr and Ebel",
        "2015",
        "From black-box complexity to designing new genetic algorithms. Theoretical Computer \
        Science 567, 87–104.",
        "10.1016/j.tcs.2014.11.028",
    ),
    paper(
        "Dvoretzky, Kiefer and Wolfowitz",
        "1956",
        "Asymptotic minimax character of the sample distribution function and of the classical \
        multinomial estimator. Ann. Math. Statist. 27, 642–669.",
        "10.1214/aoms/1177728174",
    ),
    paper(
        "Efron",
        "1981",
        "Nonparametric standard errors and confidence intervals. Canad. J. Statist. 9, 139–158.",
        "10.2307/3314608",
    ),
    paper(
        "Eiben and Smith",
        "2015",
        "Introduction to Evolutionary Computing, 2nd edition. Springer.",
        "10.1007/978-3-662-44874-8",
    ),
    paper(
        "Eshelman and Schaffer",
        "1993",
        "Real-coded genetic algorithms and interval-schemata. FOGA 2, 187–202.",
        "10.1016/B978-0-08-094832-4.50018-0",
    ),
    book("Fisher", "1935", "The logic of inductive inference. J. Royal Statist. Soc. 98, 39–82."),
    paper(
        "Fogel",
        "1988",
        "An evolutionary approach to the traveling salesman problem. Biological Cybernetics 60, \
        139–144.",
        "10.1007/BF00363857",
    ),
    book(
        "Goldberg",
        "1989",
        "Genetic Algorithms in Search, Optimization and Machine Learning. Addison-Wesley.",
    ),
    paper(
        "Goldberg and Deb",
        "1991",
        "A comparative analysis of selection schemes used in genetic algorithms. FOGA 1, 69–93.",
        "10.1016/B978-0-08-050684-5.50008-2",
    ),
    book(
        "Goldberg and Lingle",
        "1985",
        "Alleles, loci, and the traveling salesman problem. ICGA 1, 154–159.",
    ),
    paper(
        "Hodges and Lehmann",
        "1963",
        "Estimates of location based on rank tests. Ann. Math. Statist. 34, 598–611.",
        "10.1214/aoms/1177704172",
    ),
    book(
        "Holland",
        "1975",
        "Adaptation in Natural and Artificial Systems. University of Michigan Press.",
    ),
    book(
        "Holm",
        "1979",
        "A simple sequentially rejective multiple test procedure. Scand. J. Statist. 6, 65–70.",
    ),
    paper(
        "Horowitz and Manski",
        "2000",
        "Nonparametric analysis of randomized experiments with missing covariate and outcome data. \
        JASA 95, 77–84.",
        "10.1080/01621459.2000.10473902",
    ),
    paper(
        "Howard, Ramdas, McAuliffe and Sekhon",
        "2021",
        "Time-uniform, nonparametric, nonasymptotic confidence sequences. Ann. Statist. 49, \
        1055–1080.",
        "10.1214/20-AOS1991",
    ),
    paper(
        "Kirkpatrick, Gelatt and Vecchi",
        "1983",
        "Optimization by simulated annealing. Science 220, 671–680.",
        "10.1126/science.220.4598.671",
    ),
    paper(
        "Lachin",
        "1999",
        "Worst-rank score analysis with informatively missing observations in clinical trials. \
        Control. Clin. Trials 20, 408–422.",
        "10.1016/S0197-2456(99)00022-7",
    ),
    book(
        "Law",
        "2015",
        "Simulation Modeling and Analysis, 5th edition, section 11.2. McGraw-Hill.",
    ),
    paper(
        "Mann and Whitney",
        "1947",
        "On a test of whether one of two random variables is stochastically larger than the other. \
        Ann. Math. Statist. 18, 50–60.",
        "10.1214/aoms/1177730491",
    ),
    paper(
        "Mantel and Haenszel",
        "1959",
        "Statistical aspects of the analysis of data from retrospective studies of disease. J. \
        Natl. Cancer Inst. 22, 719–748.",
        "10.1093/jnci/22.4.719",
    ),
    book(
        "Maron and Moore",
        "1994",
        "Hoeffding races: accelerating model selection search for classification and function \
        approximation. Advances in Neural Information Processing Systems 6, 59–66.",
    ),
    paper(
        "Massart",
        "1990",
        "The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality. Ann. Probab. 18, \
        1269–1283.",
        "10.1214/aop/1176990746",
    ),
    paper(
        "McNemar",
        "1947",
        "Note on the sampling error of the difference between correlated proportions or \
        percentages. Psychometrika 12, 153–157.",
        "10.1007/BF02295996",
    ),
    paper(
        "Miettinen and Nurminen",
        "1985",
        "Comparative analysis of two rates. Statistics in Medicine 4, 213–226.",
        "10.1002/sim.4780040211",
    ),
    book(
        "Mühlenbein",
        "1992",
        "How genetic algorithms really work: mutation and hillclimbing. PPSN 2, 15–25.",
    ),
    paper(
        "Mühlenbein and Schlierkamp-Voosen",
        "1993",
        "Predictive models for the breeder genetic algorithm. Evolutionary Computation 1, 25–49.",
        "10.1162/evco.1993.1.1.25",
    ),
    paper(
        "Newcombe",
        "1998",
        "Interval estimation for the difference between independent proportions. Statist. Med. 17, \
        873–890.",
        "10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I",
    ),
    book(
        "O'Connor, Aumasson, Neves and Wilcox-O'Hearn",
        "2020",
        "BLAKE3: one function, fast everywhere.",
    ),
    book(
        "Oliver, Smith and Holland",
        "1987",
        "A study of permutation crossover operators on the traveling salesman problem. ICGA 2, \
        224–230.",
    ),
    paper(
        "Price, Storn and Lampinen",
        "2005",
        "Differential Evolution: A Practical Approach to Global Optimization. Springer.",
        "10.1007/3-540-31306-0",
    ),
    paper(
        "Ramdas, Grünwald, Vovk and Shafer",
        "2023",
        "Game-theoretic statistics and safe anytime-valid inference. Statist. Sci. 38, 576–601.",
        "10.1214/23-STS894",
    ),
    book("Rechenberg", "1973", "Evolutionsstrategie. Frommann-Holzboog."),
    paper(
        "Robbins",
        "1970",
        "Statistical methods related to the law of the iterated logarithm. Ann. Math. Statist. 41, \
        1397–1409.",
        "10.1214/aoms/1177696786",
    ),
    book(
        "Russell and Norvig",
        "2021",
        "Artificial Intelligence: A Modern Approach, 4th edition, section 4.1. Pearson.",
    ),
    book(
        "Schwefel",
        "1977",
        "Numerische Optimierung von Computer-Modellen mittels der Evolutionsstrategie. Birkhäuser.",
    ),
    book("Schwefel", "1981", "Numerical Optimization of Computer Models. Wiley."),
    paper(
        "Storn and Price",
        "1997",
        "Differential evolution: a simple and efficient heuristic for global optimization over \
        continuous spaces. Journal of Global Optimization 11, 341–359.",
        "10.1023/A:1008202821328",
    ),
    book("Syswerda", "1989", "Uniform crossover in genetic algorithms. ICGA 3, 2–9."),
    book(
        "Syswerda",
        "1991",
        "Schedule optimization using genetic algorithms. Handbook of Genetic Algorithms, 332–349. \
        Van Nostrand Reinhold.",
    ),
    paper(
        "Tango",
        "1998",
        "Equivalence test and confidence interval for the difference in proportions for the \
        paired-sample design. Statist. Med. 17, 891–908.",
        "10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B",
    ),
    paper(
        "Vargha and Delaney",
        "2000",
        "A critique and improvement of the CL common language effect size statistics of McGraw and \
        Wong. J. Educ. Behav. Statist. 25, 101–132.",
        "10.3102/10769986025002101",
    ),
    paper(
        "Vovk and Wang",
        "2021",
        "E-values: calibration, combination and applications. Ann. Statist. 49, 1736–1754.",
        "10.1214/20-AOS2020",
    ),
    paper(
        "Waudby-Smith and Ramdas",
        "2024",
        "Estimating means of bounded random variables by betting. J. Royal Statist. Soc. B 86, \
        1–27.",
        "10.1093/jrsssb/qkad009",
    ),
    book(
        "Whitley",
        "1989",
        "The GENITOR algorithm and selection pressure: why rank-based allocation of reproductive \
        trials is best. ICGA 3, 116–121.",
    ),
    paper(
        "Wilcoxon",
        "1945",
        "Individual comparisons by ranking methods. Biometrics Bulletin 1, 80–83.",
        "10.2307/3001968",
    ),
    paper(
        "Wilson",
        "1927",
        "Probable inference, the law of succession, and statistical inference. J. Amer. Statist. \
        Assoc. 22, 209–212.",
        "10.1080/01621459.1927.10502953",
    ),
    paper(
        "van Elteren",
        "1960",
        "On the combination of independent two sample tests of Wilcoxon. Bull. Int. Statist. Inst. \
        37, 351–361.",
        "",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::registry::all;
    use std::collections::BTreeSet;

    /// Years in parentheses.
    fn years(source: &str) -> usize {
        let year = |rest: &str| {
            rest.len() > 4
                && rest[..4].bytes().all(|letter| letter.is_ascii_digit())
                && rest.as_bytes()[4] == b')'
        };
        source
            .match_indices('(')
            .filter(|(at, _)| {
                source.is_char_boundary(at + 1) && source.get(at + 1..at + 6).is_some_and(year)
            })
            .count()
    }

    #[test]
    fn every_source_of_an_operator_is_in_the_list() {
        for (slot, entry) in all() {
            let found = of_source(entry.source);
            let nothing = ["-", "the plugin"].contains(&entry.source);
            assert!(found.is_empty() == nothing, "{slot} {}: {}", entry.name, entry.source);
            let dated = found.iter().filter(|reference| !reference.year.is_empty()).count();
            assert_eq!(
                dated,
                years(entry.source),
                "{slot} {}: {} gives {found:?}",
                entry.name,
                entry.source
            );
            for reference in found
                .iter()
                .filter(|reference| entry.source.contains("doi:") && !reference.doi.is_empty())
            {
                let dois = entry.source.contains(reference.doi) || found.len() > 1;
                assert!(dois, "{slot} {}: the list has doi:{}", entry.name, reference.doi);
            }
        }
    }

    #[test]
    fn the_list_is_in_order_and_has_nothing_twice() {
        let keys: Vec<String> = REFERENCES.iter().map(Reference::key).collect();
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
        assert!(keys.is_sorted(), "{keys:?}");
        assert!(REFERENCES.iter().all(|reference| reference.what.ends_with('.')));
        assert_eq!(find("Wilson 1927").map(Reference::key).as_deref(), Some("Wilson 1927"));
    }
}
