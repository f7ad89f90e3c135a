-- Whether a reader sees nothing: white space, controls, characters without width, and letters that are
-- blanks to the eye.
create or replace temp macro invisible(s) as not regexp_matches(s,
    '[^\s\p{Z}\p{Cc}\p{Cf}\x{34F}\x{115F}\x{1160}\x{2800}\x{3164}\x{FFA0}\x{FE00}-\x{FE0F}]');
