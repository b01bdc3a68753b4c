//! Settings that are ready to run: five published systems, named and explained.

use crate::config::text_as_json;
use serde_json::{Value, json};

struct Ready {
    title: &'static str,
    words: &'static str,
    text: &'static str,
}

const READY: [Ready; 6] = [
    Ready {
        title: "8 queens, page “8 Queens Solver”",
        words: "A page that shows the best board and its clashes while a genetic algorithm runs: \
            roulette by non-clashing pairs, one-point crossover, a mutation in one child of ten. \
            Its user sets population and mutation rate.",
        text: "name = \"queens-simulator\"\nseed = 8\nrepeats = 1000\n\n[problem]\n\
            plugin = \"nqueens\"\nn = 8\nencoding = \"rows\"\n\n[[operators]]\n\
            preset = \"queens-simulator\"\n\n[stop]\nfitness = 0\ngenerations = 1000\n",
    },
    Ready {
        title: "Chess960 by a genetic algorithm",
        words: "Baljicki and Milović: ten start positions, 50 generations of five children. About \
            half of the runs reach fitness 0.",
        text: "name = \"chess960-paper\"\nseed = 1960\nrepeats = 1000\n\n[problem]\n\
            plugin = \"chess960\"\nplacement = \"king-first\"\n\n[[operators]]\n\
            preset = \"chess960-paper\"\n\n[stop]\nfitness = 0\ngenerations = 50\n",
    },
    Ready {
        title: "Chess960, drawn at random",
        words: "A C++ program that draws start positions with a Mersenne Twister. Here: random \
            search, 100 positions at a time.",
        text: "name = \"chess960-random\"\nseed = 960\nrepeats = 1000\n\n[problem]\n\
            plugin = \"chess960\"\nplacement = \"uniform\"\n\n[[operators]]\n\
            algorithm = \"random-search\"\npopulation = 100\n\n[stop]\nfitness = 0\n\
            evaluations = 10000\n",
    },
    Ready {
        title: "8 queens, notebook “8 Queens”",
        words: "A notebook in Python with numpy: roulette by (56 - clashes) / 2, one child per \
            pair, three children in a hundred mutate.",
        text: "name = \"queens-notebook\"\nseed = 56\nrepeats = 1000\n\n[problem]\n\
            plugin = \"nqueens\"\nn = 8\nencoding = \"rows\"\ncounting = \"pairs\"\n\n\
            [[operators]]\npreset = \"queens-notebook\"\n\n[stop]\nfitness = 0\n\
            generations = 1000\n",
    },
    Ready {
        title: "8 queens, notes: clone, crossover, mutate",
        words: "30 of 100 children are copies, 69 come from crossover, one is a mutant; weights \
            are 1 / collisions. The population soon consists of copies of few boards.",
        text: "name = \"queens-notes\"\nseed = 2026\nrepeats = 1000\n\n[problem]\n\
            plugin = \"nqueens\"\nn = 8\nencoding = \"rows\"\ncounting = \"per-queen\"\n\n\
            [[operators]]\npreset = \"queens-notes\"\n\n[stop]\nfitness = 0\n\
            generations = 1000\n",
    },
    Ready {
        title: "Race: roulette against tournament",
        words: "Two operator sets on the same 10 queens, side by side: which of them solves more \
            often within 20,000 evaluations?",
        text: "name = \"queens-race-of-two\"\nseed = 10\nrepeats = 400\n\
            pairing = \"common\"\n\n[problem]\n\
            plugin = \"nqueens\"\nn = 10\nencoding = \"rows\"\n\n[[operators]]\n\
            name = \"roulette\"\npopulation = 50\nscaling = \"complement\"\n\
            selection = \"roulette\"\ncrossover = \"one-point\"\n\
            mutation = { kind = \"reset\", rate = 0.3 }\n\n[[operators]]\n\
            name = \"tournament\"\npopulation = 50\n\
            selection = { kind = \"tournament\", size = 3 }\ncrossover = \"one-point\"\n\
            mutation = { kind = \"reset\", rate = 0.3 }\n\n[stop]\nfitness = 0\n\
            evaluations = 20000\n",
    },
];

/// Title, words, text, and the text as JSON of each.
pub(super) fn ready() -> Value {
    let of = |ready: &Ready| {
        let Ready { title, words, text } = ready;
        json!({ "title": title, "words": words, "text": text, "config": text_as_json(text) })
    };
    READY.iter().map(of).collect()
}
