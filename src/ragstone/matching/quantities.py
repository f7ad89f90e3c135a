"""The number that gold expects, and when a number of a claim is equal to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal

from ragstone.matching.number_words import SHARES, same_unit
from ragstone.matching.numbers import Number

# The widest number that is read, 60 digits times ten to the 999, is compared to the last digit.
_EXACT = Context(prec=2500)
_ONE = Decimal(1)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit and scale, and how near to it a claim must come.

    `exact` keeps a claim's scale from being left out; `absolute` is in gold's unit and scale.
    """

    value: Decimal
    unit: str = ""
    scale: Decimal = _ONE
    scaled: bool = False
    exact: bool = False
    absolute: Decimal = Decimal(0)
    relative: Decimal = Decimal(0)
    signed: bool = True

    @classmethod
    def of(cls, number: Number) -> Quantity:
        """The quantity that a number as written stands for."""
        return cls(number.value, number.unit, number.scale, number.scaled)

    @property
    def decimals(self) -> int:
        """How many decimals gold has, without trailing zeros: 1577.00 has none.

        >>> Quantity(Decimal("8.70")).decimals
        1
        """
        exponent = _EXACT.normalize(self.value).as_tuple().exponent
        return max(0, -exponent) if isinstance(exponent, int) else 0

    def equals(self, number: Number) -> bool:
        """Whether a number of a claim says this quantity, in any of its readings.

        >>> from ragstone.matching.numbers import numbers
        >>> gold = Quantity(Decimal("1577.00"), "USD", Decimal(1_000_000), scaled=True)
        >>> [gold.equals(numbers(text)[0]) for text in ("$1.577 billion", "1,577", "$21,577")]
        [True, True, False]
        """
        if not same_unit(self.unit, number.unit):
            return False
        return any(self._is_near(value) for value in self._readings(number))

    def _readings(self, number: Number) -> Iterator[Decimal]:
        """The claim's value in gold's unit and scale, in each way that it may be meant."""
        value = number.value
        whole = _EXACT.multiply(value, number.scale)
        if self.unit in SHARES and number.unit in SHARES:
            share = _EXACT.multiply(whole, SHARES[number.unit])
            yield _EXACT.divide(share, SHARES[self.unit])
            return
        if number.scaled or self.scaled:
            if number.scaled or self.value:
                # Of 0 million every small number would be a rounding.
                yield _EXACT.divide(whole, self.scale)
            if not number.scaled or not (self.scaled or self.exact):
                yield value
        else:
            yield value
        yield from self._as_a_share(number)

    def _as_a_share(self, number: Number) -> Iterator[Decimal]:
        """8.7 % is 0.087. A plain fraction has decimals: `2 of them` is not 200 %."""
        if self.scaled or number.scaled:
            return
        if self.unit in SHARES and not number.unit and number.decimals:
            yield _EXACT.divide(number.value, SHARES[self.unit])
        elif not self.unit and number.unit in SHARES and self.decimals:
            yield _EXACT.multiply(number.value, SHARES[number.unit])

    def _is_near(self, value: Decimal) -> bool:
        gold = self.value
        if not self.signed:
            gold, value = abs(gold), abs(value)
        apart = abs(_EXACT.subtract(value, gold))
        if apart <= self.absolute or apart <= _EXACT.multiply(self.relative, abs(gold)):
            return True
        step = _ONE.scaleb(-self.decimals)
        if apart > step:
            return False
        # 0.125 is 0.13 to some and 0.12 to others: either rounding will do.
        modes = (ROUND_HALF_UP, ROUND_HALF_EVEN)
        return any(value.quantize(step, mode, _EXACT) == gold for mode in modes)
