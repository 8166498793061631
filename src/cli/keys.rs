//! `memex keys`: the table of keys, with the user's own in it.
