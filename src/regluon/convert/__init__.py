"""Conversion of networks between MXNet's files, ONNX and programs of torch.export."""
