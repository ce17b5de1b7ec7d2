"""The nouns of tablegate. This room knows no language, no policy and no file: the standard library only."""
