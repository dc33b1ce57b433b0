"""The words and sentences of the review grammar.

Praise and blame are common words that fit a film as well as a cup of coffee, so that the
adjective alone never tells what is judged. Neutral sentences use the negators too, so that a
negator alone gives nothing away.
"""

PRAISING = (
    "wonderful superb charming brilliant fresh excellent lovely splendid delightful great"
).split()
DAMNING = "awful dull clumsy boring weak stale terrible dreadful poor tedious".split()
NEGATORS = ("not", "never", "hardly")

FILM_SUBJECTS = (
    "acting plot script music ending camera dialogue cast editing direction"
).split()
OTHER_SUBJECTS = "popcorn seat hall carpet poster weather bus coffee".split()

SLOTS = {
    "day": ("Monday", "Tuesday", "Friday"),
    "person": ("my sister", "my brother", "an old friend"),
    "hero": ("teacher", "doctor", "sailor"),
    "place": ("by the sea", "in the north", "near the border"),
    "number": ("two", "three", "four"),
}

NEUTRAL = (
    "we saw it on a {day} with {person}",
    "{person} had bought the tickets on {day}",
    "the cinema was half full",
    "we sat in row {number} on the left",
    "it runs for about {number} hours",
    "it is set in a small town {place}",
    "the story follows a {hero} and her son",
    "a {hero} finds {number} letters in a drawer",
    "then a {hero} moves into the house {place}",
    "it was not cold that night",
    "we never go out on a {day}",
    "there was hardly a queue at the door",
    "it is not the first film about a {hero}",
    "I had never been to that cinema before",
    "there were hardly {number} people behind us",
    "we walked home afterwards",
)
