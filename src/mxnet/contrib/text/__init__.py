"""Words and their vectors: vocabularies, embeddings, counting."""

from . import _wiki_text, embedding, utils, vocab
