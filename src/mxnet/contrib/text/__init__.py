"""Words and their vectors: vocabularies, embeddings, counting."""

from . import embedding, utils, vocab
