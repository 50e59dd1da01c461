"""upsampling operators."""
