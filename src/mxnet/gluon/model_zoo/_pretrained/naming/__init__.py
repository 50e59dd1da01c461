"""What torchvision and timm call the layers of networks that are the same as those of the model zoo."""
