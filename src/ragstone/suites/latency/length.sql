-- How long the question is: words are what white space divides.
len(list_filter(regexp_split_to_array(question, getvariable('spaces')), lambda word: word <> ''))
    as words,
