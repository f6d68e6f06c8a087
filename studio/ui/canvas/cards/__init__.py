"""What a card or an area says, and how it is drawn."""
