"""Where values enter and leave a flow, and the files of the project."""
