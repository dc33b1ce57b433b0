# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   title: The simple recurrent network
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # The simple recurrent network
#
# **Lecture 2** · a network that reads one word after the other and carries a state

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Write two sentences on the board: "it was not good, it was dull" and "it was not
# dull, it was good". Which word counts differ? None. Which verdicts? All of it hangs on order,
# and order is what lecture 1 threw away. Today's network is one line of algebra in a loop.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. build the recurrent step and its loop, and show that Keras computes the same
# 2. train a network that writes, and let it write by carrying its state
# 3. derive back-propagation through time, and compute its five gradients yourself
# 4. measure how gradients vanish and explode, and say what clipping can do
# 5. find the bug that padding puts into a recurrent network

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lecture 1 (words as ids, embeddings), matrix products and the chain rule. **It
# takes** ninety minutes, of which the six exercises take about fifty.
#
# Cells that begin with a file name show that file's code. After an exercise, the rest of the
# notebook runs on your own definition if it is correct, and on the course's otherwise.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Say the promise plainly: by the end everybody has computed back-propagation through
# time, which most people only ever call.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "02_simple_rnn"

import keras
import numpy as np
from keras import layers
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

# %% slideshow={"slide_type": "skip"}
from lectures.lecture_02 import add_pads, record, review_model

reviews = cu.data.load_reviews()
texts = cu.data.load_reviews(form="text")
words = len(reviews.vocabulary)
kinds = ("plain", "negation", "turn", "far")
kind_of = reviews.test.columns["phenomenon"]

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where counting words fails
#
# The course's own reviews come in four kinds, by what decides the verdict:
#
# - *plain*: three verdicts that agree; *negation*: two negated ones ("never dull")
# - *turn*: two opposite verdicts, 44 to 68 words apart, of which the later counts
# - *far*: one verdict at the start, then 60 to 114 words about other things
#
# **Predict before you run:** how accurate are logistic regressions on words, and on words and
# bigrams (lecture 1), on each kind?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "slide-output"]
counted = {}
for title, longest in (("words", 1), ("words and bigrams", 2)):
    counter = CountVectorizer(ngram_range=(1, longest), binary=True)
    counting = LogisticRegression(max_iter=1000)
    counting.fit(counter.fit_transform(texts.train.inputs), texts.train.targets)
    correct = counting.predict(counter.transform(texts.test.inputs)) == texts.test.targets
    counted[title] = {kind: float(correct[kind_of == kind].mean()) for kind in kinds}
    print(f"{title:17}", *(f"{kind} {value:.2f}" for kind, value in counted[title].items()))

# %% [markdown] slideshow={"slide_type": "skip"}
# Words alone classify nearly every negated review *wrongly*: plain reviews outnumber negated
# ones, so "dull" counts as negative, also in "never dull". Bigrams make "never dull" a feature
# of its own. Neither model can classify a *turn*: no n-gram spans both verdicts, and "good,
# then bad" has the same counts as "bad, then good". On *far* both do little better than chance,
# because the rest of the review judges other things ("the coffee was boring"). We need a model
# that reads in order and remembers.

# %% [raw]
# recorded("counting", "reviews", "negation").max() < 0.1
# recorded("counting", "reviews", "plain").min() >= 0.98
# recorded("counting_bigrams", "reviews", "negation").min() > 0.98
# near(
#     [recorded(model, "reviews", "turn") for model in ("counting", "counting_bigrams")],
#     0.5,
#     0.1,
# )
# recorded("counting_bigrams", "reviews", "far").max() < 0.65

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Ask for guesses: most people say one half for negation with single words. The kind
# is a column of the data that no model sees; it only splits the accuracy afterwards. The kind
# to keep in mind today is the turn, which no counting of n-grams can solve.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The idea: a state that is handed on

# %% slideshow={"slide_type": "-"}
cu.figures.show("02_loop")

# %% [markdown] slideshow={"slide_type": "-"}
# $$h_t = \tanh(x_t W + h_{t-1} U + b)$$

# %% [markdown] slideshow={"slide_type": "skip"}
# At step $t$ the network computes a new **state** $h_t$ from the word vector $x_t$, multiplied
# by the input matrix $W$, and the last state $h_{t-1}$, multiplied by the **recurrent matrix**
# $U$. $b$ is the **bias**, and $\tanh$ squashes the sum into the range from −1 to 1. The first
# state $h_0$ is zero. This is the **Elman network**, `SimpleRNN` in Keras.
#
# The *same* $W$, $U$ and $b$ serve at every step, so a text of 500 words needs no more
# parameters than one of five. What the network knows of the first word at the last one, the
# state has carried through every step in between.
#
# Vectors are rows here, as in Keras, where $W$ is `kernel` and $U$ is `recurrent_kernel`. Many
# books write $W x_t$ with columns; Goodfellow, Bengio and Courville call our $U$ $W$.

# %% [raw]
# given(5, 4)

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Draw the left picture first, then unroll it. How many copies of U are on the
# right? One, drawn four times. That matters for the number of parameters now and for the
# gradient later, where the four uses add up.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 02.1 · One step
#
# Write the step for a batch: `x` is $x_t$, (batch, inputs), and `h` is $h_{t-1}$, (batch,
# units).

# %% builds="lectures.lecture_02.rnn_step" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
rnn_step = cu.exercises.use("02.1", rnn_step)

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Readers of a book with column vectors write `U.T`. It runs, since U is square, and
# is wrong. Test with numbers, not with shapes.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## By hand: one input, one unit
#
# $W = 1$, $U = 0.5$, $b = 0$. One word, then silence: $x = 1, 0, 0$.
#
# $$h_1 = \tanh(1) = 0.762 \qquad h_2 = \tanh(0.5 \cdot 0.762) = 0.363$$
# $$h_3 = \tanh(0.5 \cdot 0.363) = 0.180$$
#
# Two words in either order: a bag cannot tell them apart, the state can.

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
one = np.ones((1, 1))
for sequence in ([1, 0, 0], [2, -1], [-1, 2]):
    h = np.zeros((1, 1))
    for x_t in sequence:
        h = rnn_step(x_t * one, h, one, 0.5 * one, np.zeros(1))
    print(f"x = {str(sequence):10} last state {h[0, 0]:+.3f}")

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) The echo shrinks by about a half a step. What sets the half? U, and the slope of
# the tanh. Keep the picture: it is the vanishing gradient in its smallest form.

# %% [raw]
# given(0.5)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 02.2 · The loop, with a mask
#
# Texts of one batch are padded to the same length. A **mask** says which steps are real: at a
# pad the state is handed on unchanged. Use your `rnn_step`.

# %% builds="lectures.lecture_02.forward" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
forward = cu.exercises.use("02.2", forward)

# %% [markdown] slideshow={"slide_type": "notes"}
# (8 minutes) The mask is the point: `np.where(mask[:, t, None], new, h)`. Ask what
# multiplication by the mask would do instead: it would erase the state at the first pad.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Keras gives the same numbers

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output"]
generator = np.random.default_rng(0)
x = generator.normal(size=(2, 6, 32)).astype("float32")
mask = np.arange(6) < np.array([[6], [4]])  # the second text: four words and two pads
with cu.full_precision():
    layer = layers.SimpleRNN(10, return_sequences=True, bias_initializer="random_normal")
    theirs = keras.ops.convert_to_numpy(layer(x, mask=mask))
W, U, b = layer.get_weights()
ours = forward(x, W, U, b, mask)
print("W", W.shape, " U", U.shape, " b", b.shape, " parameters:", layer.count_params())
print("largest difference below 1e-5:", np.abs(ours - theirs).max() < 1e-5)
print("at pads the state stays:", np.array_equal(ours[1, 3], ours[1, 5]))

# %% [markdown] slideshow={"slide_type": "-"}
# $10 \cdot 32 + 10 \cdot 10 + 10 = 430$ parameters. An `Embedding(10000, 32)` in front adds
# 320,000, which makes 320,430: nearly all of the model looks words up.

# %% [raw]
# 10_000 * 32 == 320_000
# 320_000 + 430 == 320_430

# %% [markdown] slideshow={"slide_type": "skip"}
# `full_precision()` computes in float32; on a GPU the session may run in 16 bits, which would
# hide equality to five digits.
#
# `return_sequences=False`, the default, returns the last state, which summarises a text. All
# states are needed to answer at every step, or to feed another recurrent layer.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Equality by weight transfer is this course's ritual: the Keras layer holds no
# secret. Does the number of parameters depend on the length of a text? No; the time does.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Five ways to use it

# %% slideshow={"slide_type": "-"}
cu.figures.show("02_shapes")

# %% [markdown] slideshow={"slide_type": "skip"}
# **One to one** is an ordinary layer. **Many to one** classifies a text. **Many to many**, in
# step, answers at every step: tagging words, or predicting the next one. **One to many**
# writes: what was written is read again. Delayed, many to many translates (lecture 5).

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) For each shape ask for an example before you give one. The dashed arrows in "one
# to many" are the next slides: the network reads what it has just written.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 02.3 · A network that predicts the next character
#
# Input `This film was neve`, target `his film was never`: at every step the target is the next
# character. No labels are needed. Build the network.

# %% builds="lectures.lecture_02.build_writer" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
build_writer = cu.exercises.use("02.3", build_writer)

# %% [markdown] slideshow={"slide_type": "notes"}
# (8 minutes) Large language models are trained on exactly this task. Ask which layer has to
# return all its states, and what would be wrong with Bidirectional: it would read the answer.

# %% slideshow={"slide_type": "skip"}
window = 48
chosen = texts.train.inputs[: session.pick(quick=600, full=2_000)]
stream = "\n" + "\n".join(chosen) + "\n"
alphabet = sorted(set(stream))
ids = np.array([alphabet.index(character) for character in stream], "int32")
rows = ids[: (len(ids) - 1) // window * window].reshape(-1, window)
following = ids[1 : rows.size + 1].reshape(-1, window)
held = len(rows) // 10  # the last reviews are held out

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Train it: perplexity
#
# **Perplexity** is $e$ to the mean cross-entropy: as uncertain as a choice among so many
# equally likely characters. The **unigram baseline** knows how frequent each character is and
# nothing else. The network should come below 2.

# %% slideshow={"slide_type": "-"} tags=["headline", "slide-output"]
keras.utils.set_random_seed(session.seed)
writer = build_writer(len(alphabet))
parts = [cu.data.Split(rows[:-held], following[:-held])]
parts.append(cu.data.Split(rows[-held:], following[-held:]))
epochs = session.pick(quick=6, full=12)
run = cu.training.fit(writer, parts, epochs, batch_size=32, source=texts.source)
perplexity = float(np.exp(run.history["val_loss"][-1]))
shares = np.bincount(ids) / len(ids)
unigram = np.exp(-(shares * np.log(shares)).sum())
print(f"perplexity: uniform {len(alphabet)}, unigram {unigram:.1f}, network {perplexity:.2f}")

# %% [markdown] slideshow={"slide_type": "skip"}
# At every step the network reads the true text, even where its own prediction was wrong: this
# is **teacher forcing**. The text is split into windows of 48 characters, and in each the state
# starts from zeros. A small grammar made these reviews, so the perplexity says how well that
# grammar was learned, not how well English was.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) While it trains: which characters will it never get right? The first letter of a
# word where the choice is free. That is why the perplexity cannot reach 1.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 02.4 · Let it write, carrying its state
#
# The weights of the trained network go into your own loop. `predict` turns a state into
# probabilities. Read one symbol, choose the next, read that one, and never throw the state
# away.

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_02.predict"
# filled by the build

# %% builds="lectures.lecture_02.write" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
write = cu.exercises.use("02.4", write)

# %% slideshow={"slide_type": "-"} heading="Low and high temperature"
draw = np.random.default_rng(0)
for temperature in (0.1, 0.7, 2.0):

    def choose(probabilities, power=1 / temperature):
        scaled = np.asarray(probabilities, float) ** power
        return draw.choice(len(scaled), p=scaled / scaled.sum())

    written = write(alphabet.index("\n"), 75, choose, *writer.get_weights())
    print(f"temperature {temperature}: {''.join(alphabet[i] for i in written)!r}")

# %% [markdown] slideshow={"slide_type": "skip"}
# The **temperature** $T$ raises each probability to the power $1/T$, divides by the new sum and
# samples. Near 0 the most likely character always wins, at 1 the network samples from its own
# distribution, and above it the text falls apart. The experiment is [Karpathy's
# (2015)](https://karpathy.github.io/2015/05/21/rnn-effectiveness/).

# %% [markdown] slideshow={"slide_type": "notes"}
# (9 minutes) With the exercise. The usual bug is a state that starts anew at every character:
# the text is then a chain of pairs. Read the hot line aloud. Where does the text come from, if
# the input is one line end? From the weights and the sampling.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Learning through the loop

# %% slideshow={"slide_type": "-"}
cu.figures.show("02_bptt")

# %% [markdown] slideshow={"slide_type": "skip"}
# Unrolled, the loop is a deep network with one layer a step, all with the same weights.
# **Back-propagation through time** is the **chain rule** from the last step to the first. At
# each step a softmax $p_t = \operatorname{softmax}(h_t V + c)$ predicts the symbol $y_t$, with
# the output matrix $V$ and its bias $c$. The loss is the sum of the **cross-entropies**:
#
# $$L = \sum_t L_t, \qquad L_t = -\log p_t[y_t]$$
#
# **Truncated back-propagation through time** splits a long text: the state crosses the dotted
# line, the gradient does not (in Keras, `stateful=True`). The writer's windows do less: in each
# of them the state, too, starts anew.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Follow one red path with a finger, from $L_4$ down, left, left and down to $x_2$.
# How many paths lead from $L_4$ to $U$? One for each step. In a text of a million words nobody
# can go back to the start: hence the dotted line.

# %% [markdown] slideshow={"slide_type": "subslide"} name="five-sums"
# ### Three steps back, five sums
#
# 1. the error, probabilities minus truth: $\delta_t = p_t - \operatorname{onehot}(y_t)$
# 2. what reaches the state: $g_t = \delta_t V^\top + a_{t+1} U^\top$
# 3. what passes through the tanh: $a_t = (1 - h_t^2) \odot g_t$
#
# $$\nabla_c = \sum_t \delta_t \qquad \nabla_b = \sum_t a_t \qquad
#   \nabla_V = \sum_t h_t^\top \delta_t$$
# $$\nabla_W = \sum_t x_t^\top a_t \qquad \nabla_U = \sum_t h_{t-1}^\top a_t$$

# %% [markdown] slideshow={"slide_type": "skip"}
# 1. $\operatorname{onehot}(y_t)$ is 1 at position $y_t$ and 0 elsewhere. With the **logits**
#    $o = h_t V + c$, the loss is $L_t = -o_{y_t} + \log \sum_k e^{o_k}$. Its derivative with
#    respect to $o_k$ is $p_k$, minus 1 where $k = y_t$.
# 2. $h_t$ is used twice, in $o_t$ and in the next step's sum, so two terms add up. After the
#    last step there is no next one: $a_{T+1} = 0$.
# 3. $a_t$ is the gradient at the sum *inside* the tanh, whose slope is
#    $1 - \tanh^2 = 1 - h_t^2$; $\odot$ multiplies element by element.
#
# Every parameter is used at every step, so its gradient is a sum over the steps: what went in,
# times the error behind it.

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Derive step 1 on the board; once in a life it is worth it. For step 2 ask where
# $h_t$ is used. For step 3: what happens to the gradient if the states are nearly ±1?

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 02.5 · Back-propagation through time
#
# Compute the five gradients in NumPy. The three steps and five sums are all that you need; for
# a batch, `np.einsum("bti,bth->ih", x, a)` is $\sum_t x_t^\top a_t$, summed over the batch as
# well.

# %% builds="lectures.lecture_02.backward" slideshow={"slide_type": "subslide"} tags=["exercise"] formulas="five-sums"
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
backward = cu.exercises.use("02.5", backward)

# %% [markdown] slideshow={"slide_type": "notes"}
# (15 minutes) The long one. Mistakes to expect, all named by the check: $h_t$ in place of
# $h_{t-1}$ for $U$, the slope of the tanh forgotten, $U$ in place of its transpose.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Automatic differentiation agrees

# %% slideshow={"slide_type": "-"} tags=["nbval-check-output", "slide-output"]
x = generator.normal(size=(3, 9, 4)).astype("float32")
targets = generator.integers(6, size=(3, 9))
with cu.full_precision():
    network = keras.Sequential(
        [keras.Input((9, 4)), layers.SimpleRNN(5, return_sequences=True), layers.Dense(6)]
    )
    cross_entropy = keras.losses.SparseCategoricalCrossentropy(True, reduction="sum")
    network.compile(keras.optimizers.SGD(1.0), cross_entropy)
    W, U, b, V, c = network.get_weights()
    network.train_on_batch(x, targets)
states = forward(x, W, U, b)
probabilities = keras.ops.convert_to_numpy(keras.ops.softmax(states @ V + c))
ours = backward(x, states, probabilities, targets, U, V)
for name, old, new in zip("WUbVc", [W, U, b, V, c], network.get_weights(), strict=True):
    error = np.linalg.norm(ours[name] - (old - new)) / np.linalg.norm(old - new)
    print(f"∇{name} {old.shape!s:7} relative error below 1e-4: {error < 1e-4}")

# %% [markdown] slideshow={"slide_type": "skip"}
# One step of plain SGD with learning rate 1 subtracts the gradient, so old minus new weights
# *is* the gradient that TensorFlow, JAX or PyTorch computed.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) The moment of trust: what happens inside `fit` is your five lines. What would
# change with the mean in place of the sum? Every gradient, by the same factor.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Gradients vanish or explode with distance
#
# Over $k$ steps a gradient is multiplied $k$ times by $U^\top$ and by the slope of the tanh:
#
# $$\frac{\partial L}{\partial h_{t-k}} = \frac{\partial L}{\partial h_t}\,
#   \prod_{j=t}^{t-k+1} \operatorname{diag}(1 - h_j^2)\, U^\top$$
#
# The **spectral radius** of $U$ is the largest absolute value of its eigenvalues. **Predict:**
# with spectral radius 1.5 and tanh, does the gradient explode?

# %% [raw]
# given(1.5)

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_02.carry_back"
# filled by the build

# %% slideshow={"slide_type": "skip"} shows="lectures.lecture_02.rescale"
# filled by the build

# %% slideshow={"slide_type": "skip"}
recurrent = {
    "spectral radius 0.5": lambda matrix: rescale(matrix, 0.5),
    "spectral radius 1": lambda matrix: rescale(matrix, 1.0),
    "orthogonal": lambda matrix: np.linalg.qr(matrix)[0],
    "spectral radius 1.5": lambda matrix: rescale(matrix, 1.5),
    "spectral radius 3": lambda matrix: rescale(matrix, 3.0),
}


def gradient_by_distance(make, linear):
    """Carry random unit gradients back through random loops; mean norm at each distance."""
    norms = []
    for seed in range(10):
        draw = np.random.default_rng(seed)
        U, W = make(draw.normal(size=(32, 32))), draw.normal(size=(32, 32)) / np.sqrt(32)
        states = forward(0.5 * draw.normal(size=(8, 91, 32)), W, U, np.zeros(32))
        gradient = draw.normal(size=(8, 32))
        gradient /= np.linalg.norm(gradient, axis=1, keepdims=True)
        norms.append(carry_back(gradient, states, U, linear=linear))
    return np.linalg.norm(np.concatenate(norms), axis=-1).mean(axis=0)[::-1]


# %% slideshow={"slide_type": "subslide"} tags=["answers-prediction", "hide-input"]
figure, axes = cu.plotting.figure(9, 3.6, columns=2)
for axis, linear in zip(axes, (False, True), strict=True):
    for name, make in recurrent.items():
        axis.plot(gradient_by_distance(make, linear), label=name)
    axis.set(yscale="log", xlabel="steps back", ylim=(1e-12, 1e12))
    axis.set_title("without tanh" if linear else "with tanh")
axes[0].set_ylabel("norm of the gradient")
axes[1].legend(loc="lower right")
cu.plotting.show(
    figure,
    "Norm of the gradient against steps back, on a logarithmic scale. With tanh radius 3 "
    "rises and all others fall, radius 0.5 fastest, radius 1.5 slowest. Without tanh the "
    "orthogonal matrix stays at one, radius 1.5 and 3 leave the axis, radius 0.5 falls.",
)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# With tanh we see **vanishing gradients** even at radius 1.5, though slowly, and **exploding
# gradients** at radius 3.
#
# Every step also multiplies by the slope $1 - h^2$, which at radius 1.5 more than undoes the
# growth. At radius 3 the slopes are smaller still, but $U$ stretches more than they shrink.
#
# Only **orthogonal matrices** keep every length; a random matrix of spectral radius 1 stretches
# some directions and shrinks most. That is why Keras starts $U$ orthogonal: while states are
# small and the tanh is nearly linear, gradients keep their length.

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Take a vote before you show the figure. Point at radius 1.5 in both panels. Then
# at orthogonal and radius 1: not the same, although many books say so.

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### Gradient clipping shortens what is too long
#
# A loss with a cliff: $(u^{50} - 0.5)^2$, fifty linear steps with one weight $u$. One step of
# **gradient descent**, learning rate 0.01:

# %% [raw]
# given(0.01)

# %% slideshow={"slide_type": "-"}
for u in (1.1, 0.5):
    slope = 2 * (u**50 - 0.5) * 50 * u**49
    for limit in (np.inf, 1.0):
        step = 0.01 * slope * min(1, limit / abs(slope))
        print(f"u = {u}, slope {slope:+.0e}, limit {limit}: u becomes {u - step:.2f}")

# %% [markdown] slideshow={"slide_type": "-"}
# **Gradient clipping** prevents the leap over the cliff. A vanished gradient passes unchanged:
# **clipping is no cure for forgetting.**

# %% [markdown] slideshow={"slide_type": "skip"}
# `clipnorm=1.0` shortens the gradient of each weight array by itself; `global_clipnorm=1.0`
# shortens all by one common factor, which keeps the direction of the step, as in [Pascanu,
# Mikolov and Bengio (2013)](https://arxiv.org/abs/1211.5063).

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) What does clipping do at u = 0.5? Nothing. This is the misconception to remove.
# What helps against vanishing are gates: lecture 3.

# %% [raw]
# given(0.5)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Back to the reviews
#
# **Predict before you run:** an embedding of 32 numbers, a SimpleRNN of 32 units that obeys the
# padding mask, and a sigmoid; batches hold reviews of similar length. Which of the four kinds
# does it read, and which not?

# %% slideshow={"slide_type": "skip"}
keras.utils.set_random_seed(session.seed)
model = review_model(words)
optimizer = keras.optimizers.Adam(0.003, clipnorm=1.0)
model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
batches = [cu.data.length_buckets(part, 64) for part in (reviews.train, reviews.val)]
run = cu.training.fit(
    model, batches, epochs=session.pick(quick=6, full=10), source=reviews.source
)
correct = (model.predict(reviews.test.inputs, batch_size=500, verbose=0)[:, 0] > 0.5) == (
    reviews.test.targets
)
read = {kind: float(correct[kind_of == kind].mean()) for kind in kinds}

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
cu.plotting.dots(
    {
        "recorded, three seeds": {
            title: {
                kind: [
                    run["metrics"][kind] for run in cu.results.load(LECTURE, name, "reviews")
                ]
                for kind in kinds
            }
            for title, name in (
                ("words and bigrams", "counting_bigrams"),
                ("SimpleRNN", "simple_rnn_32"),
            )
        },
        "this run": {"SimpleRNN": {kind: [value] for kind, value in read.items()}},
    },
    ylabel="test accuracy",
    chance=0.5,
)

# %% [markdown] slideshow={"slide_type": "fragment"} tags=["lead"]
# The network reads negations, and most of the turns, which no n-gram model can. A verdict 60 to
# 114 words back is lost.
#
# *Far* reviews made without sentences about coffee and seats, with the learning rate chosen on
# validation for each set, give 0.50, 0.72 and 1.00 (three seeds), against 0.52, 0.48 and 0.43
# with them. Distance alone makes learning unreliable, and the distracting sentences seem to
# make success rarer still. Lecture 3 tries the same learning rates with five seeds and two
# kinds of batches.

# %% [raw]
# recorded("simple_rnn_32", "reviews", "negation").min() > 0.94
# recorded("simple_rnn_32", "reviews", "plain").min() > 0.95
# recorded("simple_rnn_32", "reviews", "turn").min() > 0.85
# recorded("simple_rnn_32", "reviews", "far").max() < 0.65
# near(
#     recorded("distractors", "reviews", "distractors 0.35, 0.01: test"),
#     [0.52, 0.48, 0.43],
#     0.005,
# )
# near(
#     recorded("distractors", "reviews", "distractors 0.0, 0.003: test"),
#     [0.50, 0.72, 1.00],
#     0.005,
# )
# all(
#     recorded("distractors", "reviews", f"distractors {share}, {best}: validation").mean()
#     > recorded("distractors", "reviews", f"distractors {share}, {rate}: validation").mean()
#     for share, best in ((0.35, 0.01), (0.0, 0.003))
#     for rate in (0.001, 0.003, 0.01)
#     if rate != best
# )
# len(recorded("distractors", "reviews", "distractors 0.35, 0.01: test")) == 3
# len(recorded("grid", "reviews", "SimpleRNN, 0.01, mixed: test", "03_lstm_gru")) == 5

# %% [markdown] slideshow={"slide_type": "notes"}
# (4 minutes) Collect four numbers per table before you run it. Batches hold reviews of similar
# length, so that little time goes into pads. Is *far* lost because the gradient is too small?
# Let them argue, and keep the question for lecture 3.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Exercise 02.6 · Find the bug: the same text, another answer
#
# Take the weights of the model that you just trained and run your own loop on them, without a
# mask. Then give the batch ten more columns of pads. The texts are the same; the last states
# are not.

# %% slideshow={"slide_type": "-"}
embedding, W, U, b, V, c = model.get_weights()
plain = reviews.test.inputs[kind_of == "plain"][:100]
short = plain[:, : np.count_nonzero(plain, axis=1).max()]
longer = add_pads(short, "last", 10)
without_mask = [forward(embedding[part], W, U, b) for part in (short, longer)]
moved = np.abs(without_mask[1][:, -1] - without_mask[0][:, -1]).max(axis=1).mean()
print(f"ten pads more, no mask: the last state moves by {moved:.2f}")

# %% [markdown] slideshow={"slide_type": "-"}
# What happens in the last ten steps? Repair it without a mask: return the state after each
# text's last real word.

# %% builds="lectures.lecture_02.last_real_state" slideshow={"slide_type": "subslide"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
last_real_state = cu.exercises.use("02.6", last_real_state)

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
lengths = np.count_nonzero(short, axis=1)
one, other = (last_real_state(states, lengths) for states in without_mask)
print("repaired, ten pads change nothing:", np.abs(one - other).max() < 1e-6)
masked = forward(embedding[longer], W, U, b, longer > 0, return_sequences=False)
print("a mask does the same:             ", np.abs(one - masked).max() < 1e-6)

# %% [markdown] slideshow={"slide_type": "subslide"}
# ### What the pads did

# %% slideshow={"slide_type": "-"}
cu.figures.show("02_padding")

# %% [markdown] slideshow={"slide_type": "notes"}
# (7 minutes) The symptom: the answer depends on how the batch was padded. Without a mask the
# network takes a step at every pad, with the vector of word 0. `mask_zero=True` in the
# embedding does this repair in every layer. From now on each model passes the padding test:
# adding pads changes nothing.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Real reviews: IMDB, with and without a mask

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
titles = {
    "simple_rnn_32": "mask",
    "simple_rnn_32_pads_first": "no mask,\npads in front",
    "simple_rnn_32_no_mask": "no mask,\npads behind",
}
recorded = {
    title: [run["metrics"]["test_accuracy"] for run in cu.results.load(LECTURE, name, "imdb")]
    for name, title in titles.items()
}
cu.plotting.dots(
    {"IMDB, three seeds each": {"SimpleRNN": recorded}}, ylabel="test accuracy", chance=0.5
)

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":  # makes the recorded runs anew
    record.record_all(session.seed)

# %% [markdown] slideshow={"slide_type": "-"} tags=["lead"]
# With pads behind and no mask nothing is learned; with pads in front a network is nearly as
# accurate as the masked one (0.85 to 0.87, against 0.86 to 0.87).
#
# 20,000 reviews to train, 5,000 to validate, 25,000 to test; the last 500 words of each review,
# Embedding(10000, 32), **dropout** 0.4 (in training, a random 40 % of the numbers are set to
# 0), SimpleRNN(32), Adam with learning rate 0.001, at most ten epochs with **early stopping**
# (after four without a better validation accuracy, the best is kept); tested with the padding
# of the training.
#
# Most reviews are followed by hundreds of steps over pads, at whose end an unmasked state no
# longer depends on the text. Pads in front are the default of Keras' `pad_sequences`. Still, a
# mask makes the answer independent of padding, and allows pads behind, which fast GPU kernels
# need.

# %% [raw]
# recorded("simple_rnn_32", "imdb", "moved_by_pads").max() < 1e-6
# recorded("simple_rnn_32_no_mask", "imdb").max() < 0.51
# near(ends(recorded("simple_rnn_32_pads_first", "imdb")), [0.85, 0.87], 0.005)
# near(ends(recorded("simple_rnn_32", "imdb")), [0.86, 0.87], 0.005)
# given(0.4, 0.001)
# given(20_000, 5_000, 25_000)

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Which network learned nothing, and why does the one with pads in front learn? Its
# state still has the whole text to come. Then remind them of lecture 1: a bag of word pairs
# still does better on IMDB, because reviews repeat their verdict all over the text. The task
# decides what order is worth.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Where it stands today
#
# - Plain recurrent networks are rarely trained any more; gates (lecture 3) made them reliable.
# - The loop is back in *linear* form, $h_t = h_{t-1} A + x_t B$ (**state-space models**, [S4
#   2022](https://arxiv.org/abs/2111.00396), [Mamba 2023](https://arxiv.org/abs/2312.00752)):
#   without the tanh all steps can be computed in parallel.
# - Those models control the eigenvalues of $A$ by construction, as you set those of $U$.
# - Predicting the next symbol, as your writer does, is how language models are trained.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) One sentence a line; the second one is worth a question: what does the network lose
# without the tanh? Its non-linearity in time, which other layers then supply.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - $h_t = \tanh(x_t W + h_{t-1} U + b)$: one set of weights, used at every step.
# - Back-propagation through time carries the errors from the last step to the first; each
#   gradient is a sum over all steps.
# - Gradients vanish with distance; clipping cures explosion only.
# - A SimpleRNN reads negations and turns; a verdict far back among similar words is lost.
# - Without a mask, the network reads padding as if it were text.

# %% [markdown] slideshow={"slide_type": "skip"}
# **Papers.** Elman, [*Finding structure in time*](https://doi.org/10.1207/s15516709cog1402_1)
# (1990) · Werbos, [*Backpropagation through time: what it does and how to do
# it*](https://doi.org/10.1109/5.58337) (1990) · Williams and Peng, [*An efficient
# gradient-based algorithm for on-line training of recurrent network
# trajectories*](https://doi.org/10.1162/neco.1990.2.4.490) (1990) · Bengio, Simard and
# Frasconi, [*Learning long-term dependencies with gradient descent is
# difficult*](https://doi.org/10.1109/72.279181) (1994) · Pascanu, Mikolov and Bengio, [*On the
# difficulty of training recurrent neural networks*](https://arxiv.org/abs/1211.5063) (2013) ·
# Karpathy, [*The unreasonable effectiveness of recurrent neural
# networks*](https://karpathy.github.io/2015/05/21/rnn-effectiveness/) (2015) · Goodfellow,
# Bengio and Courville, [*Deep Learning*](https://www.deeplearningbook.org/) (2016), chapter 10

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Return to the board: "it was not dull, it was good". Somebody says how each word
# changes the state. What should this network do and cannot? Ignore the popcorn: lecture 3.
