"""Cases: steps with what they are given and what they are to give, and the experiment that tries them."""
