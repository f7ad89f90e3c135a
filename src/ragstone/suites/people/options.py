"""How people's labels are read, and answers judged: the options of the people suite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.errors import ConfigError
from ragstone.gates.judge import suggestion
from ragstone.suites.agreement.options import AgreementOptions
from ragstone.suites.option_fields import option
from ragstone.suites.settings_tables import mapping_from_table

# What people may say of an answer, in the order of the gate's right, wrong and refused.
SAID = ("correct", "incorrect", "refusal")


def label_map_from_words(words: Sequence[str]) -> dict[str, str]:
    """`"Correct Answer=correct"`, one word each; a label may hold an equals sign itself.

    >>> label_map_from_words(["Correct Answer=correct", "a=b=incorrect"])
    {'Correct Answer': 'correct', 'a=b': 'incorrect'}
    """
    found = {}
    for word in words:
        label, equals, said = word.rpartition("=")
        if not equals or not label.strip():
            raise ConfigError(
                f'--label-map {word!r}: expected LABEL=MEANING, such as "Correct Answer=correct"'
            )
        found[label] = said
    return found


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PeopleOptions(AgreementOptions):
    """How answers are judged, and what people's own words for a label mean."""

    label_map: Mapping[str, str] = option(
        {},
        "what a label means: correct, incorrect or refusal",
        metavar="LABEL=MEANING",
        group="inputs",
        words=label_map_from_words,
        table=mapping_from_table,
        add=lambda file, flags: {**file, **flags},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for label, said in self.label_map.items():
            if said.strip().casefold() not in SAID:
                raise ConfigError(
                    f"label_map {label!r}: expected correct, incorrect or refusal, "
                    f"found {said!r}{suggestion(said, SAID)}"
                )

    def meaning(self, label: str) -> str | None:
        """What a label says, whatever its case and the blanks around it; None if nobody knows."""
        known = {name: name for name in SAID}
        known |= {_plain(name): _plain(said) for name, said in self.label_map.items()}
        return known.get(_plain(label))


def _plain(label: str) -> str:
    return label.strip().casefold()
