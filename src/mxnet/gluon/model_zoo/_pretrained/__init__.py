"""Weights for the networks of the model zoo, from files and repositories: what `pretrained=` takes besides True."""
