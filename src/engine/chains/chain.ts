/**
 * Counters as a Markov chain, and its exact stationary distribution.
 *
 * States are numbered layer by layer; the layer is the value of the longest counter. A roll leads from a layer to the
 * next, from the last layer to itself, or to layer 0, and nowhere else. State 0 is the initial state.
 */
export interface Chain {
  readonly layers: number;
  /** Number of states in layer 0. */
  readonly width: number;
  /** First state of each layer, followed by the number of states. */
  readonly firsts: Int32Array;
  /** Per edge: source, target, probability, and whether it is a hit. */
  readonly sources: Int32Array;
  readonly targets: Int32Array;
  readonly chances: Float64Array;
  readonly hits: Uint8Array;
  /** First edge of each state, followed by the number of edges. */
  readonly starts: Int32Array;
  /** Whether the last layer can lead to itself. */
  readonly lingers: boolean;
}

export interface Edge {
  readonly source: number;
  readonly target: number;
  readonly chance: number;
  readonly hit: boolean;
}

type Edges = Pick<Chain, 'sources' | 'targets' | 'chances' | 'hits'>;

export const statesOf = ({ firsts, layers }: Pick<Chain, 'firsts' | 'layers'>): number => firsts[layers] as number;

/** First state of the last layer. */
export const lastLayerOf = ({ firsts, layers }: Pick<Chain, 'firsts' | 'layers'>): number =>
  firsts[layers - 1] as number;

/** Edges must be ordered by source. */
const linked = (firsts: Int32Array, edges: Edges): Chain => {
  const layers = firsts.length - 1;
  const states = firsts[layers] as number;
  const starts = new Int32Array(states + 1);
  for (const source of edges.sources) starts[source + 1] = (starts[source + 1] as number) + 1;
  for (let state = 0; state < states; state += 1)
    starts[state + 1] = (starts[state + 1] as number) + (starts[state] as number);
  const last = firsts[layers - 1] as number;
  const lingers =
    layers > 1 && edges.targets.some((target, edge) => target >= last && edge >= (starts[last] as number));
  return { layers, width: firsts[1] as number, firsts, ...edges, starts, lingers };
};

/** Edges must be ordered by source. Those with probability 0 are left out. */
export const chainOf = (layers: number, width: number, edges: Iterable<Edge>): Chain => {
  const taken = [...edges].filter(({ chance }) => chance > 0);
  const firsts = Int32Array.from({ length: layers + 1 }, (_, layer) => layer * width);
  return linked(firsts, {
    sources: Int32Array.from(taken, ({ source }) => source),
    targets: Int32Array.from(taken, ({ target }) => target),
    chances: Float64Array.from(taken, ({ chance }) => chance),
    hits: Uint8Array.from(taken, ({ hit }) => Number(hit)),
  });
};

/** Marks the states that are reachable from the initial state. */
const reachableIn = ({ starts, targets, ...chain }: Chain): Uint8Array => {
  const reached = new Uint8Array(statesOf(chain));
  reached[0] = 1;
  const waiting = [0];
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    for (let edge = starts[state] as number; edge < (starts[state + 1] as number); edge += 1) {
      const target = targets[edge] as number;
      if (reached[target] === 0) waiting.push(target);
      reached[target] = 1;
    }
  }
  return reached;
};

/**
 * The chain without unreachable states. With many short counters most states are unreachable: no two tiers are rolled
 * at the same time, so counters differ until they reach their maximum. `kept` has the original numbers of the states.
 */
export const withoutUnreachable = (chain: Chain): { readonly chain: Chain; readonly kept: Int32Array } => {
  const reached = reachableIn(chain);
  const kept = Int32Array.from(reached.keys().filter((state) => reached[state] === 1));
  // Number of kept states before each state; for a kept state, its new number.
  const numbers = new Int32Array(reached.length + 1);
  for (const [state, isKept] of reached.entries()) numbers[state + 1] = (numbers[state] as number) + isKept;
  // If a layer is unreachable, so are all later ones.
  const firsts = new Set(Array.from(chain.firsts, (first) => numbers[first] as number));
  const edges = Int32Array.from(chain.sources.keys().filter((edge) => reached[chain.sources[edge] as number] === 1));
  return {
    kept,
    chain: linked(Int32Array.from(firsts), {
      sources: edges.map((edge) => numbers[chain.sources[edge] as number] as number),
      targets: edges.map((edge) => numbers[chain.targets[edge] as number] as number),
      chances: Float64Array.from(edges, (edge) => chain.chances[edge] as number),
      hits: Uint8Array.from(edges, (edge) => chain.hits[edge] as number),
    }),
  };
};

/**
 * The stationary distribution of a dense chain of `size` states, by the algorithm of Grassmann, Taksar and Heyman. It
 * only adds, multiplies and divides positive numbers, so even the smallest share keeps its precision. Overwrites the
 * matrix.
 */
const reduce = (matrix: Float64Array, size: number): Float64Array => {
  let base = 0;
  for (let pivot = size - 1; pivot > 0; pivot -= 1) {
    const row = pivot * size;
    let leaving = 0;
    for (let column = 0; column < pivot; column += 1) leaving += matrix[row + column] as number;
    if (leaving === 0) {
      // Nothing leads from here to earlier states: once left, they are never reached again.
      base = pivot;
      break;
    }
    for (let other = 0; other < pivot; other += 1) {
      const factor = (matrix[other * size + pivot] as number) / leaving;
      matrix[other * size + pivot] = factor;
      if (factor === 0) continue;
      const into = other * size;
      for (let column = 0; column < pivot; column += 1) {
        matrix[into + column] = (matrix[into + column] as number) + factor * (matrix[row + column] as number);
      }
    }
  }
  const shares = new Float64Array(size);
  shares[base] = 1;
  for (let state = base + 1; state < size; state += 1) {
    let sum = 0;
    for (let before = base; before < state; before += 1) {
      sum += (shares[before] as number) * (matrix[before * size + state] as number);
    }
    shares[state] = sum;
  }
  return shares;
};

/**
 * The long-run share of rolls in each state. Starting from the last layer, intermediate states are replaced by where
 * they eventually lead: to layer 0, or to the last layer if that can lead to itself. What remains is a dense chain of
 * one or two layers, small even if there are thousands of states; the other layers follow from it.
 */
export const stationaryShares = (chain: Chain): Float64Array => {
  const { layers, width, firsts, targets, chances, starts, lingers } = chain;
  const states = statesOf(chain);
  const last = lastLayerOf(chain);
  const size = lingers ? width + states - last : width;

  /** Where each state of a layer eventually leads, given the same for the next layer. */
  const leadsOf = (layer: number, after: Float64Array | null): Float64Array => {
    const from = firsts[layer] as number;
    const to = firsts[layer + 1] as number;
    const leads = new Float64Array((to - from) * size);
    for (let state = from; state < to; state += 1) {
      const row = (state - from) * size;
      for (let edge = starts[state] as number; edge < (starts[state + 1] as number); edge += 1) {
        const target = targets[edge] as number;
        const chance = chances[edge] as number;
        if (target < width) leads[row + target] = (leads[row + target] as number) + chance;
        else if (after === null)
          leads[row + width + target - last] = (leads[row + width + target - last] as number) + chance;
        else {
          const there = (target - to) * size;
          for (let column = 0; column < size; column += 1) {
            leads[row + column] = (leads[row + column] as number) + chance * (after[there + column] as number);
          }
        }
      }
    }
    return leads;
  };

  const matrix = new Float64Array(size * size);
  let leads: Float64Array | null = null;
  for (let layer = layers - 1; layer >= 0; layer -= 1) {
    if (layer === layers - 1 && lingers) {
      matrix.set(leadsOf(layer, null), width * size);
      leads = new Float64Array((states - last) * size);
      for (let rest = 0; rest < states - last; rest += 1) leads[rest * size + width + rest] = 1;
    } else {
      leads = leadsOf(layer, leads);
    }
  }
  if (leads !== null) matrix.set(leads, 0);

  const kept = reduce(matrix, size);
  const shares = new Float64Array(states);
  shares.set(kept.subarray(0, width), 0);
  for (let state = 0; state < (lingers ? last : states); state += 1) {
    for (let edge = starts[state] as number; edge < (starts[state + 1] as number); edge += 1) {
      const target = targets[edge] as number;
      if (target >= width)
        shares[target] = (shares[target] as number) + (shares[state] as number) * (chances[edge] as number);
    }
  }
  if (lingers) shares.set(kept.subarray(width), last);
  let total = 0;
  for (const share of shares) total += share;
  return shares.map((share) => share / total);
};

/** Whether a hit is reachable from the initial state. */
export const canHit = (chain: Chain): boolean => {
  const reached = reachableIn(chain);
  return chain.hits.some((hit, edge) => hit === 1 && reached[chain.sources[edge] as number] === 1);
};

/** The chain in which a hit leads back to the initial state; a hit edge is a hit with probability `part`. */
const restarting = (chain: Chain, part: number): Chain => {
  const count = chain.sources.length + chain.hits.reduce((sum, hit) => sum + hit, 0);
  const edges: Edges = {
    sources: new Int32Array(count),
    targets: new Int32Array(count),
    chances: new Float64Array(count),
    hits: new Uint8Array(count),
  };
  let next = 0;
  for (let edge = 0; edge < chain.sources.length; edge += 1) {
    const hit = chain.hits[edge] === 1;
    edges.sources[next] = chain.sources[edge] as number;
    edges.targets[next] = chain.targets[edge] as number;
    edges.chances[next] = (chain.chances[edge] as number) * (hit ? 1 - part : 1);
    next += 1;
    if (!hit) continue;
    edges.sources[next] = chain.sources[edge] as number;
    edges.chances[next] = (chain.chances[edge] as number) * part;
    edges.hits[next] = 1;
    next += 1;
  }
  return linked(chain.firsts, edges);
};

/** The mean number of rolls until the first hit: restarts at every hit and measures how often that happens. */
export const meanByRestarts = (chain: Chain, part: number): number => {
  const { sources, chances, hits, ...shape } = restarting(chain, part);
  const shares = stationaryShares({ sources, chances, hits, ...shape });
  let rate = 0;
  for (let edge = 0; edge < sources.length; edge += 1) {
    if (hits[edge] === 1) rate += (shares[sources[edge] as number] as number) * (chances[edge] as number);
  }
  return 1 / rate;
};

/**
 * The maximum number of rolls until the first hit from the initial state; null if there is no limit. `always` is
 * whether a hit edge always hits. Searches all paths without a hit: one that returns to an earlier state can continue
 * forever.
 */
export const worstCase = (chain: Chain, always: boolean): number | null => {
  const states = statesOf(chain);
  const { starts } = chain;
  const ON_THE_WAY = -1;
  // 0: not visited. The longest path from a finished state, in rolls, is at least 1.
  const longest = new Int32Array(states);
  const path: { state: number; edge: number }[] = [{ state: 0, edge: starts[0] as number }];
  longest[0] = ON_THE_WAY;
  const rollsFrom = new Int32Array(states).fill(1);
  for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
    const { state } = step;
    if (step.edge === starts[state + 1]) {
      longest[state] = rollsFrom[state] as number;
      path.pop();
      const before = path.at(-1)?.state;
      if (before !== undefined)
        rollsFrom[before] = Math.max(rollsFrom[before] as number, 1 + (longest[state] as number));
      continue;
    }
    const edge = step.edge;
    step.edge += 1;
    if (always && chain.hits[edge] === 1) continue;
    const target = chain.targets[edge] as number;
    if (longest[target] === ON_THE_WAY) return null;
    if (longest[target] === 0) {
      longest[target] = ON_THE_WAY;
      path.push({ state: target, edge: starts[target] as number });
    } else rollsFrom[state] = Math.max(rollsFrom[state] as number, 1 + (longest[target] as number));
  }
  return longest[0] as number;
};
