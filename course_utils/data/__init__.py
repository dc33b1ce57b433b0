"""Datasets, words, series and batches. Loaders return a `Dataset` of three `Split`s."""

from course_utils.data.augment import (
    color_jitter,
    cutmix,
    random_affine,
    random_flip,
    random_rotate,
    random_translate,
)
from course_utils.data.base import (
    END,
    PAD,
    START,
    UNKNOWN,
    Dataset,
    Split,
    Vocabulary,
    pad,
    tokenize,
)
from course_utils.data.batching import length_buckets
from course_utils.data.canvases import load_canvases, make_canvases
from course_utils.data.choices import load_choices
from course_utils.data.entities import IGNORE, align_tags, load_entities, look_up_tags
from course_utils.data.images import load_digits, load_images
from course_utils.data.imdb import load_imdb, load_imdb_corpus, load_imdb_unlabelled
from course_utils.data.motion import load_motion
from course_utils.data.phrases import load_phrases
from course_utils.data.questions import load_questions, token_span
from course_utils.data.reviews import load_reviews, unlabelled_reviews
from course_utils.data.sentence_pairs import load_sentence_pairs
from course_utils.data.series import Series, load_days, load_series, read_series
from course_utils.data.shapes import load_shapes
from course_utils.data.summaries import load_summaries
from course_utils.data.translation import (
    decode_sentence,
    encode_sentence,
    load_pairs,
    tokenize_sentence,
)
from course_utils.data.windows import cut_windows, training_scale, window_pairs
