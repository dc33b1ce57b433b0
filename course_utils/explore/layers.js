// The layers that explorables compute with.
// A vector is an array of numbers, a matrix an array of vectors, one a row.

export const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
export const add = (a, b) => a.map((value, i) => value + b[i]);
export const scaled = (a, factor) => a.map((value) => value * factor);
export const norm = (a) => Math.sqrt(dot(a, a));
export const sigmoid = (value) => 1 / (1 + Math.exp(-value));
export const argmax = (values) => values.indexOf(Math.max(...values));
export const transpose = (matrix) => matrix[0].map((_, j) => matrix.map((row) => row[j]));

/** x W + b for one vector x. */
export function dense(x, W, b) {
  const out = b ? b.slice() : new Array(W[0].length).fill(0);
  for (let i = 0; i < x.length; i++) {
    const row = W[i],
      value = x[i];
    if (value) for (let j = 0; j < out.length; j++) out[j] += value * row[j];
  }
  return out;
}

export function softmax(scores) {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  return scaled(powers, 1 / powers.reduce((a, b) => a + b, 0));
}

export function layerNorm(x, [gamma, beta], epsilon) {
  const mean = x.reduce((a, b) => a + b, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  const size = Math.sqrt(variance + epsilon);
  return x.map((value, i) => ((value - mean) / size) * gamma[i] + beta[i]);
}

/** x Φ(x), with erf by Abramowitz and Stegun (1964), formula 7.1.26: exact to 2e-7. */
export function gelu(x) {
  const z = Math.abs(x) / Math.SQRT2,
    t = 1 / (1 + 0.3275911 * z);
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const erf = Math.sign(x) * (1 - series * Math.exp(-z * z));
  return 0.5 * x * (1 + erf);
}

/** Attention of queries to what `value` holds, by layers of weights and a number of heads.
 *
 * hidden(i, j): true where query i may not attend to j. Returns the outputs and, for every head,
 * its queries, keys and values, the products q · k, the scores, and the weights.
 */
export function attend(query, value, { query: Q, key: K, value: V, output: O, heads }, { hidden, scale = true }) {
  const [queries, keys, values] = [
    [query, Q],
    [value, K],
    [value, V],
  ].map(([rows, [W, b]]) => rows.map((row) => dense(row, W, b)));
  const width = queries[0].length / heads,
    found = [];
  const outputs = query.map(() => []);
  for (let head = 0; head < heads; head++) {
    const part = (rows) => rows.map((row) => row.slice(head * width, (head + 1) * width));
    const [q, k, v] = [queries, keys, values].map(part);
    const products = q.map((one) => k.map((other) => dot(one, other)));
    const scores = products.map((row, i) =>
      row.map((product, j) => (hidden(i, j) ? -Infinity : product / (scale ? Math.sqrt(width) : 1))),
    );
    const weights = scores.map(softmax);
    weights.forEach((row, i) => outputs[i].push(...dense(row, v)));
    found.push({ q, k, v, products, scores, weights });
  }
  return { outputs: outputs.map((row) => dense(row, O[0], O[1])), heads: found };
}

/** A sublayer's part of a pre-norm block: x + sublayer(norm(x)). */
export function residual(x, weights, sublayer) {
  const made = sublayer(x.map((row) => layerNorm(row, weights, 1e-6)));
  return x.map((row, i) => add(row, made[i]));
}

/** The feed-forward network of a block, for each token. */
export function feedForward(x, { hidden: [W, b], output: [V, c] }, activation) {
  return x.map((row) => dense(dense(row, W, b).map(activation), V, c));
}
