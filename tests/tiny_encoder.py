"""A tiny BERT with random weights, saved as a folder that sentence-transformers reads; nothing is downloaded."""

from __future__ import annotations

from pathlib import Path

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
WORDS = ("[PAD]", "[UNK]", *LETTERS, *(f"##{c}" for c in LETTERS))
DIMENSIONS = 32
LONGEST = 64  # tokens


def save_tiny_encoder(folder: Path, seed: int = 0) -> Path:
    """Write the folder; the same seed writes the same weights. Needs sentence-transformers."""
    import torch
    from sentence_transformers import SentenceTransformer, models
    from transformers import BertConfig, BertModel

    torch.manual_seed(seed)
    raw = folder.with_name(folder.name + "-raw")
    _save_tokenizer(raw)
    sizes = {"hidden_size": DIMENSIONS, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(WORDS), max_position_embeddings=LONGEST, **sizes)
    BertModel(config).save_pretrained(raw)
    words_in = models.Transformer(str(raw), max_seq_length=LONGEST)
    SentenceTransformer(modules=[words_in, models.Pooling(DIMENSIONS)], device="cpu").save(str(folder))
    return folder


def _save_tokenizer(folder: Path) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from transformers import PreTrainedTokenizerFast

    pieces = Tokenizer(WordPiece({w: n for n, w in enumerate(WORDS)}, unk_token="[UNK]"))
    pieces.pre_tokenizer = BertPreTokenizer()
    PreTrainedTokenizerFast(tokenizer_object=pieces, unk_token="[UNK]", pad_token="[PAD]").save_pretrained(folder)
