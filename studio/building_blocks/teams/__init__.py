"""Teams: what is said and seen, who speaks next, how answers are counted, when it is over."""
