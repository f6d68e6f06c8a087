"""How the window looks: named values, one stylesheet, fonts and icons."""
