"""`fold(s) = casefold(NFC(s))` and `strip(s)` in DuckDB, equal to Python's to the code point.

DuckDB's own `lower` maps one code point to one, knows no final sigma, and its `trim` knows only the
space. Text in ASCII, nearly all of it, pays for none of this.
"""

from __future__ import annotations

from ragstone.engine.duck import Duck, quoted

# The code points whose full case folding is not DuckDB's `lower`; a test finds them all again.
_UNLIKE_LOWER = (
    (0xB5, 0xB5), (0xDF, 0xDF), (0x130, 0x130), (0x149, 0x149), (0x17F, 0x17F), (0x1F0, 0x1F0),
    (0x345, 0x345), (0x390, 0x390), (0x3B0, 0x3B0), (0x3C2, 0x3C2), (0x3D0, 0x3D1),
    (0x3D5, 0x3D6), (0x3F0, 0x3F1), (0x3F5, 0x3F5), (0x587, 0x587), (0x13A0, 0x13F5),
    (0x13F8, 0x13FD), (0x1C80, 0x1C88), (0x1E96, 0x1E9B), (0x1E9E, 0x1E9E), (0x1F50, 0x1F50),
    (0x1F52, 0x1F52), (0x1F54, 0x1F54), (0x1F56, 0x1F56), (0x1F80, 0x1FAF), (0x1FB2, 0x1FB4),
    (0x1FB6, 0x1FB7), (0x1FBC, 0x1FBC), (0x1FBE, 0x1FBE), (0x1FC2, 0x1FC4), (0x1FC6, 0x1FC7),
    (0x1FCC, 0x1FCC), (0x1FD2, 0x1FD3), (0x1FD6, 0x1FD7), (0x1FE2, 0x1FE4), (0x1FE6, 0x1FE7),
    (0x1FF2, 0x1FF4), (0x1FF6, 0x1FF7), (0x1FFC, 0x1FFC), (0xAB70, 0xABBF), (0xFB00, 0xFB06),
    (0xFB13, 0xFB17),
)  # fmt: skip

# What Python's str.strip() strips, and so what the spec calls white space.
WHITE_SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


def install(duck: Duck) -> None:
    """Defines the macros `fold(s)`, `strip(s)` and `blank(s)`: nothing is left after stripping."""
    odd = "".join(rf"\x{{{low:X}}}-\x{{{high:X}}}" for low, high in _UNLIKE_LOWER)
    characters = [chr(c) for low, high in _UNLIKE_LOWER for c in range(low, high + 1)]
    duck.run(
        "set variable folds = map($characters, $folded)",
        {"characters": characters, "folded": [c.casefold() for c in characters]},
    )
    duck.run(f"""
        create macro strip(s) as trim(s, {quoted(WHITE_SPACE)});
        -- trim with so many characters is slow; a search ends at the first character of most texts
        create macro blank(s) as not regexp_matches(s, {quoted(f"[^{WHITE_SPACE}]")});
        -- nfc_normalize stops at the first NUL, so text that holds one goes piece by piece
        create macro nfc(s) as case
            when not contains(s, chr(0)) then nfc_normalize(s)
            else array_to_string(
                list_transform(string_split(s, chr(0)), lambda piece: nfc_normalize(piece)), chr(0)
            ) end;
        create macro fold_nfc(s) as case
            when not regexp_matches(s, '[{odd}]') then lower(s)
            else array_to_string(list_transform(
                string_split(s, ''),
                lambda c: coalesce(getvariable('folds')[c], lower(c))
            ), '') end;
        create macro fold(s) as case
            when strlen(s) = length(s) then lower(s) else fold_nfc(nfc(s)) end;
    """)
