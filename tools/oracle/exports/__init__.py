"""Small networks of every family, that a real MXNet and this library build, save and load alike."""
