"""Words and their vectors: vocabularies, embeddings, counting."""

from . import embedding, utils, vocab, wiki_text
