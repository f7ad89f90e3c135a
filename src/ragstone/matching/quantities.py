"""The number that gold expects, and when a number of a claim is equal to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from ragstone.matching.number_words import SHARES, same_unit
from ragstone.matching.numbers import EXACT, Number

_ONE = Decimal(1)
# The digits that a rounded number needs, zeros at its end not counted.
_LEAST_DIGITS = 3


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

    @classmethod
    def under_heading(cls, number: Number) -> Quantity:
        """The quantity of a figure with the scale that its heading gives."""
        return cls(number.value, number.unit, number.heading, scaled=True)

    @property
    def decimals(self) -> int:
        """How many decimals gold has, without trailing zeros: 1577.00 has none.

        >>> Quantity(Decimal("8.70")).decimals
        1
        """
        exponent = EXACT.normalize(self.value).as_tuple().exponent
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

    def is_cut_to(self, number: Number) -> bool:
        """Whether gold, cut to the digits of a claim's number, is that number.

        It must have three digits that count: `over $200 million` says little of 200,674,817.
        """
        said = EXACT.normalize(EXACT.multiply(number.value, number.scale))
        exponent = said.as_tuple().exponent
        if not isinstance(exponent, int) or len(said.as_tuple().digits) < _LEAST_DIGITS:
            return False
        if not same_unit(self.unit, number.unit) or {self.unit, number.unit} & set(SHARES):
            return False
        gold = EXACT.multiply(self.value, self.scale)
        return gold.quantize(_ONE.scaleb(exponent), ROUND_DOWN, EXACT) == said

    def _readings(self, number: Number) -> Iterator[Decimal]:
        """The claim's value in gold's unit and scale, in each way that it may be meant."""
        shares = self.unit in SHARES and number.unit in SHARES
        for value in self._scalings(number):
            if shares:
                share = EXACT.multiply(value, SHARES[number.unit])
                yield EXACT.divide(share, SHARES[self.unit])
            else:
                yield value
        yield from self._as_a_share(number)

    def _scalings(self, number: Number) -> Iterator[Decimal]:
        """The claim's value in gold's scale: as written, and with a scale taken or left out."""
        if not number.scaled and not self.scaled and number.heading == _ONE:
            yield number.value
            return
        # Of 0 million every small number would be a rounding.
        if number.scaled or self.value:
            yield EXACT.divide(EXACT.multiply(number.value, number.scale), self.scale)
        if not number.scaled or not (self.scaled or self.exact):
            yield number.value
        if number.heading != _ONE and self.value:
            yield EXACT.divide(EXACT.multiply(number.value, number.heading), self.scale)

    def _as_a_share(self, number: Number) -> Iterator[Decimal]:
        """8.7 % is 0.087. A plain fraction has decimals: `2 of them` is not 200 %."""
        if self.scaled or number.scaled:
            return
        if self.unit in SHARES and not number.unit and number.decimals:
            yield EXACT.divide(number.value, SHARES[self.unit])
        elif not self.unit and number.unit in SHARES and self.decimals:
            yield EXACT.multiply(number.value, SHARES[number.unit])

    def _is_near(self, value: Decimal) -> bool:
        gold = self.value
        if not self.signed:
            gold, value = gold.copy_abs(), value.copy_abs()
        apart = EXACT.subtract(value, gold).copy_abs()
        if apart <= self.absolute or apart <= EXACT.multiply(self.relative, gold.copy_abs()):
            return True
        step = _ONE.scaleb(-self.decimals)
        if apart > step:
            return False
        # 0.125 is 0.13 to some and 0.12 to others: either rounding will do.
        modes = (ROUND_HALF_UP, ROUND_HALF_EVEN)
        return any(value.quantize(step, mode, EXACT) == gold for mode in modes)
