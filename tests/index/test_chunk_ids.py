"""Ids that stay: an edit changes the ids of its own section and of nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragstone.index.chunks import Chunk, split_document
from ragstone.index.markup_blocks import read_markdown
from ragstone.index.store import compared
from ragstone.index.texts import Block

PAGE = """# Relay

Sends events.

## Retries

It tries five times.

It waits between attempts.

### Schedule

| attempt | wait |
|---|---|
| second | 20 s |

## Limits

Bodies may have 512 KiB.

```toml
limit = 512
```

## Limits

The same title again, é and all.
"""


def chunks_of(text: str, doc: str = "relay.md", size: int = 1000) -> tuple[Chunk, ...]:
    return split_document(doc, text.encode(), read_markdown(text), size)[1]


def test_an_id_names_the_document_the_section_and_the_text():
    ids = [chunk.id.rpartition("~")[0] for chunk in chunks_of(PAGE)]
    assert ids == [
        "relay.md#",
        "relay.md#retries",
        "relay.md#retries/schedule",
        "relay.md#limits",
        "relay.md#limits",
        "relay.md#limits-2",
    ]


def test_the_type_and_the_titles_come_with_it():
    found = [(chunk.type, chunk.titles, chunk.section_id) for chunk in chunks_of(PAGE)]
    assert found[2] == ("table", ("Relay", "Retries", "Schedule"), "relay_md.retries.schedule")
    assert [type for type, _, _ in found] == ["prose", "prose", "table", "prose", "code", "prose"]


def test_an_edit_in_the_middle_changes_only_the_ids_of_its_section():
    before = chunks_of(PAGE)
    after = chunks_of(
        PAGE.replace("It waits between attempts.", "It waits a good deal longer now.")
    )
    change = compared(before, after)
    assert {id.partition("~")[0] for id in (*change.added, *change.removed)} == {"relay.md#retries"}
    # What follows stands elsewhere now, under the ids it had.
    assert len(change.moved) == len(before) - 2


def test_an_edit_of_the_title_changes_no_id():
    assert not compared(chunks_of(PAGE), chunks_of(PAGE.replace("# Relay", "# The relay", 1))).added


def test_offsets_are_bytes_of_the_canonical_text():
    document, chunks = split_document("relay.md", PAGE.encode(), read_markdown(PAGE))
    data = document.text.encode()
    assert all(data[slice(*chunk.offsets)].decode() == chunk.text for chunk in chunks)


def test_long_prose_is_cut_between_sentences():
    text = "# T\n\n" + " ".join(f"Sentence number {n} says a little." for n in range(60))
    chunks = chunks_of(text, size=300)
    assert len(chunks) > 5
    assert all(len(chunk.text) <= 300 and chunk.text.endswith(".") for chunk in chunks)


words = st.text("abcé ", min_size=1, max_size=12).filter(str.strip)
sections = st.lists(
    st.tuples(words, st.lists(words, min_size=1, max_size=3)), min_size=2, max_size=5
)


@given(sections, st.data())
def test_any_edit_of_a_paragraph_leaves_the_other_sections_alone(parts, data):
    def chunks(given):
        blocks = [Block("Title", level=1)]
        for number, (title, paragraphs) in enumerate(given):
            blocks.append(Block(f"{title.strip()} {number}", level=2))
            blocks.extend(Block(paragraph.strip()) for paragraph in paragraphs)
        return split_document("d.md", b"", blocks)[1]

    at = data.draw(st.integers(0, len(parts) - 1))
    edited = list(parts)
    edited[at] = (parts[at][0], [data.draw(words) for _ in parts[at][1]])
    before, after = chunks(parts), chunks(edited)
    section = f"{at}"
    kept = {c.id for c in before if not c.section_id.endswith(section)}
    assert kept == {c.id for c in after if not c.section_id.endswith(section)}
    ids = [chunk.id for chunk in after]
    assert len(set(ids)) == len(ids)


@given(st.lists(st.text("aé .!?A\n", max_size=30), max_size=8), st.sampled_from(["prose", "code"]))
def test_the_pieces_of_a_long_block_hold_all_its_words(parts, type):
    text = " ".join(parts).strip()
    document, chunks = split_document("d.md", b"", [Block(text, type)], size=20)
    data = document.text.encode()
    assert all(data[slice(*chunk.offsets)].decode() == chunk.text for chunk in chunks)
    held = "".join(chunk.text for chunk in chunks)
    assert "".join(held.split()) == "".join(text.split())
