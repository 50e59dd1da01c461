"""The models of gluon.model_zoo.vision, and what every side has to do alike with them."""

MODELS = (
    *(f"resnet{depth}_v{version}" for version in (1, 2) for depth in (18, 34, 50, 101, 152)),
    *(f"vgg{depth}{norm}" for norm in ("", "_bn") for depth in (11, 13, 16, 19)),
    "alexnet",
    *(f"densenet{depth}" for depth in (121, 161, 169, 201)),
    "squeezenet1.0",
    "squeezenet1.1",
    "inceptionv3",
    *(f"mobilenet{version}{width}" for version in ("", "v2_") for width in ("1.0", "0.75", "0.5", "0.25")),
)
LOOPS = 2  # how often a measurement calls a model


def side_of(model: str) -> int:
    """Of its images, in pixels."""
    return 299 if model == "inceptionv3" else 224


def asked(argument: str) -> tuple[str, str, str]:
    """The model, the mode and the path of a file from the argument of a request: `vgg16 compiled /tmp/vgg16.json`."""
    model, _, rest = argument.partition(" ")
    mode, _, path = rest.partition(" ")
    return model, mode, path
