//! Schedules: the times at which operations begin.

use crate::shop::Shop;

/// Buffers of a decoder, which are used for many genomes.
#[derive(Clone, Debug)]
pub(crate) struct Decoder<'shop> {
    shop: &'shop Shop,
    /// Operations of each job that are placed.
    placed: Vec<usize>,
    /// Time at which each job is free.
    job_free: Vec<u64>,
    /// Time at which each machine is free.
    machine_free: Vec<u64>,
}

impl<'shop> Decoder<'shop> {
    pub(crate) fn new(shop: &'shop Shop) -> Self {
        let jobs = shop.jobs();
        Decoder {
            shop,
            placed: vec![0; jobs],
            job_free: vec![0; jobs],
            machine_free: vec![0; shop.machines],
        }
    }

    /// Places the operations one by one, each as early as its job and its machine are free: a
    /// semi-active schedule. Each number of `jobs` places the next operation of that job. `place`
    /// gets each operation with its beginning. Returns the makespan.
    pub(crate) fn decode(
        &mut self,
        jobs: impl Iterator<Item = usize>,
        mut place: impl FnMut(usize, u64),
    ) -> u64 {
        let Decoder { shop, placed, job_free, machine_free } = self;
        placed.fill(0);
        job_free.fill(0);
        machine_free.fill(0);
        for job in jobs {
            let number = job * shop.machines + placed[job];
            let operation = shop.operations[number];
            placed[job] += 1;
            let begin = job_free[job].max(machine_free[operation.machine]);
            place(number, begin);
            let end = begin + operation.time;
            job_free[job] = end;
            machine_free[operation.machine] = end;
        }
        job_free.iter().copied().max().unwrap_or(0)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::shop::Operation;

    /// The shortest makespan by trying all orders of the jobs' operations.
    pub(crate) fn shortest(shop: &Shop) -> u64 {
        fn go(shop: &Shop, next: &mut [usize], free: &mut [Vec<u64>; 2], best: &mut u64) {
            let open: Vec<usize> =
                (0..next.len()).filter(|job| next[*job] < shop.machines).collect();
            if open.is_empty() {
                *best = (*best).min(free[0].iter().copied().max().unwrap_or(0));
            }
            for job in open {
                let Operation { machine, time } = shop.operations[job * shop.machines + next[job]];
                let before = free.clone();
                let end = free[0][job].max(free[1][machine]) + time;
                (free[0][job], free[1][machine]) = (end, end);
                next[job] += 1;
                go(shop, next, free, best);
                next[job] -= 1;
                *free = before;
            }
        }
        let (mut next, mut best) = (vec![0; shop.jobs()], u64::MAX);
        let mut free = [vec![0; shop.jobs()], vec![0; shop.machines]];
        go(shop, &mut next, &mut free, &mut best);
        best
    }

    /// Jobs of the smallest instance of Fisher and Thompson (1963): machine and time in turn.
    pub(crate) const FT06: [[u64; 12]; 6] = [
        [2, 1, 0, 3, 1, 6, 3, 7, 5, 3, 4, 6],
        [1, 8, 2, 5, 4, 10, 5, 10, 0, 10, 3, 4],
        [2, 5, 3, 4, 5, 8, 0, 9, 1, 1, 4, 7],
        [1, 5, 0, 5, 2, 5, 3, 3, 4, 8, 5, 9],
        [2, 9, 1, 3, 4, 5, 5, 4, 0, 3, 3, 1],
        [1, 3, 3, 3, 5, 9, 0, 10, 4, 4, 2, 1],
    ];

    pub(crate) fn ft06() -> Shop {
        let operation = |pair: &[u64]| Operation { machine: pair[0] as usize, time: pair[1] };
        let operations = FT06.iter().flat_map(|job| job.chunks(2).map(operation)).collect();
        Shop { machines: 6, operations }
    }

    /// The longest path through the graph of operations, in which each waits for the one before it
    /// in its job and the one before it on its machine (Roy and Sussmann 1964).
    fn longest_path(shop: &Shop, begins: &[u64]) -> u64 {
        let m = shop.machines;
        let mut waits: Vec<Vec<usize>> = vec![Vec::new(); begins.len()];
        for number in (0..begins.len()).filter(|number| number % m > 0) {
            waits[number].push(number - 1);
        }
        for machine in 0..m {
            let mut own: Vec<usize> =
                (0..begins.len()).filter(|n| shop.operations[*n].machine == machine).collect();
            own.sort_by_key(|number| begins[*number]);
            own.windows(2).for_each(|pair| waits[pair[1]].push(pair[0]));
        }
        let mut ends = vec![None; begins.len()];
        while ends.contains(&None) {
            for number in 0..begins.len() {
                let before: Option<Vec<u64>> = waits[number].iter().map(|one| ends[*one]).collect();
                if let Some(before) = before {
                    let begin = before.into_iter().max().unwrap_or(0);
                    assert_eq!(begin, begins[number], "it begins as early as it can");
                    ends[number] = Some(begin + shop.operations[number].time);
                }
            }
        }
        ends.into_iter().flatten().max().unwrap_or(0)
    }

    #[test]
    fn makespans_are_longest_paths() {
        let shop = ft06();
        let mut rng = runner_plugin::data::InstanceRng::new(5);
        for _ in 0..200 {
            let mut order: Vec<usize> = (0..36).map(|place| place / 6).collect();
            rng.shuffle(&mut order);
            let mut begins = vec![u64::MAX; 36];
            let makespan = Decoder::new(&shop)
                .decode(order.into_iter(), |number, begin| begins[number] = begin);
            assert_eq!(makespan, longest_path(&shop, &begins));
            // Published optimum: Carlier and Pinson (1989), doi:10.1287/mnsc.35.2.164.
            assert!(makespan >= 55);
        }
    }

    #[test]
    fn a_schedule_by_hand_has_its_makespan() {
        // Two jobs: 3 on machine 0, then 2 on machine 1; 2 on machine 0, then 4 on machine 1.
        let times = [(0, 3), (1, 2), (0, 2), (1, 4)];
        let operations = times.map(|(machine, time)| Operation { machine, time }).to_vec();
        let shop = Shop { machines: 2, operations };
        let mut decoder = Decoder::new(&shop);
        assert_eq!(decoder.decode([0, 0, 1, 1].into_iter(), |_, _| {}), 9);
        assert_eq!(decoder.decode([1, 0, 1, 0].into_iter(), |_, _| {}), 8);
        assert_eq!(shortest(&shop), 8);
    }
}
