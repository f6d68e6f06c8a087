"""What is done to the flows and files of a project as a whole."""
