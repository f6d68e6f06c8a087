"""What the function of a node may ask for while it works, each as a child step of its step."""
