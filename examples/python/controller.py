"""Tuning of a controller that keeps the level of the lower of two tanks: numbers, a whole number, a
choice and a bit, which a genome of the kind `Mixed` has side by side."""

from runner import Bit, Choice, Integer, Mixed, Real

STEPS = 150


class Problem:
    """The squared error of a tank's level after two steps of the wanted level, and the valve's wear."""

    parameters = {"wear": Real(0.2, low=0.0, high=1.0, doc="Cost of moving the valve by its range.")}

    def __init__(self, wear):
        self.wear = wear

    def describe(self):
        return Mixed(
            [
                Real(0, 20, name="gain"),
                Real(0, 0.5, name="integral"),
                Real(0, 20, name="derivative"),
                Integer(1, 9, name="period"),
                Choice("error", "level", "none", name="proportional"),
                Bit(name="filter"),
            ],
            ideal=0,
        )

    def fitness(self, genome):
        gain, integral, derivative, period, proportional, is_filtered = genome
        upper = lower = measured = valve = last = held = total = cost = 0.0
        for step in range(STEPS):
            wanted = 0.8 if step < STEPS // 2 else 0.3
            measured = 0.5 * (measured + lower) if is_filtered else lower
            # The controller moves the valve in every so many steps.
            if step % period == 0:
                error = wanted - measured
                held += integral * error * period
                own = {"error": error, "level": -measured, "none": 0.0}[proportional]
                asked = gain * own + held - derivative * (measured - last) / period
                last = measured
                moved = min(max(asked, 0.0), 1.0)
                cost += self.wear * abs(moved - valve)
                valve = moved
            upper += 0.2 * (valve - upper)
            lower += 0.1 * (upper - lower)
            total += (wanted - lower) ** 2
        return total + cost
