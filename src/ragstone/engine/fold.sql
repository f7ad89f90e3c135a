create or replace temp macro strip(s) as trim(s, '{white_space}');
-- trim with so many characters is slow; a search ends at the first character of most texts
create or replace temp macro blank(s) as not regexp_matches(s, '[^{white_space}]');
-- nfc_normalize stops at the first NUL, so text that holds one goes piece by piece
create or replace temp macro nfc(s) as case
    when not contains(s, chr(0)) then nfc_normalize(s)
    else array_to_string(
        list_transform(string_split(s, chr(0)), lambda piece: nfc_normalize(piece)), chr(0)
    ) end;
-- with the code points whose full case folding is not `lower`; a test finds them all again
create or replace temp macro fold_nfc(s) as case
    when not regexp_matches(s,
        '[\x{B5}\x{DF}\x{130}\x{149}\x{17F}\x{1F0}\x{345}\x{390}\x{3B0}\x{3C2}\x{3D0}-\x{3D1}'
        '\x{3D5}-\x{3D6}\x{3F0}-\x{3F1}\x{3F5}\x{587}\x{13A0}-\x{13F5}\x{13F8}-\x{13FD}'
        '\x{1C80}-\x{1C88}\x{1E96}-\x{1E9B}\x{1E9E}\x{1F50}\x{1F52}\x{1F54}\x{1F56}'
        '\x{1F80}-\x{1FAF}\x{1FB2}-\x{1FB4}\x{1FB6}-\x{1FB7}\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4}'
        '\x{1FC6}-\x{1FC7}\x{1FCC}\x{1FD2}-\x{1FD3}\x{1FD6}-\x{1FD7}\x{1FE2}-\x{1FE4}'
        '\x{1FE6}-\x{1FE7}\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FF7}\x{1FFC}\x{AB70}-\x{ABBF}'
        '\x{FB00}-\x{FB06}\x{FB13}-\x{FB17}]'
    ) then lower(s)
    else array_to_string(list_transform(
        string_split(s, ''),
        lambda c: coalesce(getvariable('folds')[c], lower(c))
    ), '') end;
create or replace temp macro fold(s) as case
    when strlen(s) = length(s) then lower(s) else fold_nfc(nfc(s)) end;
-- trim takes ten times as long as all the rest, and hardly a text needs it
create or replace temp macro folded(s) as case
    when regexp_matches(s, '^[{white_space}]|[{white_space}]$') then strip(fold(s)) else fold(s) end;
