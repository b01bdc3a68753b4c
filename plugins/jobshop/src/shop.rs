//! Shops: the operations of each job.

use runner_plugin::data::MinimalStandard;

/// Step of a job: its machine, and its time there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    pub machine: usize,
    pub time: u64,
}

/// Jobs with as many operations each as there are machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shop {
    pub machines: usize,
    /// Operations, job by job, in the order of each job.
    pub operations: Vec<Operation>,
}

impl Shop {
    /// Returns the number of jobs.
    pub(crate) fn jobs(&self) -> usize {
        self.operations.len() / self.machines
    }

    /// Returns a random shop by Taillard (1993), doi:10.1016/0377-2217(93)90182-M: times of 1 to 99
    /// from one seed, and the machines of each job in random order from another. The article's
    /// seeds give its instances.
    pub(crate) fn random(jobs: usize, machines: usize, [of_times, of_machines]: [i64; 2]) -> Self {
        let mut times = MinimalStandard::new(of_times);
        let mut orders = MinimalStandard::new(of_machines);
        let operations = (0..jobs * machines)
            .map(|place| Operation { machine: place % machines, time: times.within(1, 99) as u64 })
            .collect();
        let mut shop = Shop { machines, operations };
        for job in shop.operations.chunks_mut(machines) {
            for place in 0..machines {
                let other = orders.within(place as i64, machines as i64 - 1) as usize;
                let here = job[place].machine;
                job[place].machine = std::mem::replace(&mut job[other].machine, here);
            }
        }
        shop
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_of_the_article_give_its_first_instance() {
        // The first operations of the jobs 1 and 15 of the instance of 15 jobs and 15 machines,
        // whose seeds are 840612802 and 398197754.
        let shop = Shop::random(15, 15, [840_612_802, 398_197_754]);
        let first = |job: usize| {
            let operations = &shop.operations[15 * job..15 * job + 4];
            operations.iter().map(|one| (one.machine, one.time)).collect::<Vec<_>>()
        };
        assert_eq!(first(0), [(6, 94), (12, 66), (4, 10), (7, 53)]);
        assert_eq!(first(1), [(4, 74), (5, 31), (7, 88), (14, 51)]);
        for job in shop.operations.chunks(15) {
            let mut machines: Vec<usize> = job.iter().map(|one| one.machine).collect();
            machines.sort_unstable();
            assert_eq!(machines, (0..15).collect::<Vec<_>>());
        }
    }

    /// Work of a machine, with the least time before its first and after its last operation.
    fn bound(shop: &Shop, machine: usize) -> u64 {
        let (mut work, mut before, mut after) = (0, u64::MAX, u64::MAX);
        for job in shop.operations.chunks(shop.machines) {
            let place = job.iter().position(|one| one.machine == machine).expect("every machine");
            let time = |part: &[Operation]| part.iter().map(|one| one.time).sum::<u64>();
            work += job[place].time;
            before = before.min(time(&job[..place]));
            after = after.min(time(&job[place + 1..]));
        }
        before + work + after
    }

    #[test]
    fn no_schedule_is_shorter_than_the_target_of_the_config() {
        let config = include_str!("../../../configs/jobshop.toml");
        assert!(config.contains("\njobs     = 10\nmachines = 5\n"), "the shop is this one");
        let shop = Shop::random(10, 5, [840_612_802, 398_197_754]);
        let bound = (0..5).map(|machine| bound(&shop, machine)).max().expect("a machine");
        assert!(config.contains(&format!("\nfitness     = {bound}\n")), "{bound}");
    }
}
