"""Networks of torchvision and timm that are the same as networks of the model zoo, and what they compute."""
