import { type Static, Type } from 'typebox';
import { Id, Nullable, responses, Strict } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { subjectMembers } from './subjects.contract.ts';

const SimulationRequest = Strict(
  {
    ...subjectMembers,
    players: Type.Integer({
      minimum: 1,
      maximum: LIMITS.simulatedPlayers,
      description: 'How many players roll, each starting with all counters at 0.',
    }),
    rolls: Type.Integer({
      minimum: 1,
      maximum: LIMITS.simulatedRolls,
      description: `Rolls (packs, offers) of each player. All players together get at most ${LIMITS.simulatedItems.toLocaleString('en')} items.`,
    }),
    seed: Type.String({
      minLength: 1,
      maxLength: LIMITS.nameLength,
      description: 'Any text. The same request with the same seed has the same response, byte for byte.',
    }),
    depth: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LIMITS.offerDepth,
        description: 'Depth of roguelike offers; defaults to 0. Not for other types.',
      }),
    ),
    pricePerRoll: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: LIMITS.pricePerRoll,
        description: 'What a roll (pack, offer) costs a player, for `cost`.',
      }),
    ),
    itemIds: Type.Optional(
      Type.Array(Id, {
        maxItems: LIMITS.simulationItemIds,
        description: 'Items of the pool to report in addition to tiers and featured items.',
      }),
    ),
    exact: Type.Optional(
      Type.Boolean({ description: 'Adds the exact chance to each point of `curve`; defaults to false.' }),
    ),
  },
  {
    title: 'SimulationRequest',
    examples: [{ templateId: 'standard-banner', players: 10_000, rolls: 200, seed: 'launch' }],
  },
);
export type SimulationRequest = Static<typeof SimulationRequest>;

const DISTRIBUTION = ['mean', 'p1', 'p5', 'p25', 'p50', 'p75', 'p95', 'p99', 'max'];

const Distribution = Type.Object(Object.fromEntries(DISTRIBUTION.map((name) => [name, Type.Number()])), {
  title: 'Distribution',
  description: 'A distribution in a few numbers; `p95` is the least value that 95 % of the cases do not exceed.',
});

const orNull = (description: string) => Type.Union([Distribution, Type.Null()], { description });

const Share = Type.Number({ minimum: 0, maximum: 1, description: 'From 0 to 1.' });
const Count = Type.Integer({ minimum: 0 });

const SimulationTarget = Type.Object(
  {
    kind: Type.Unsafe<'tier' | 'featured' | 'item'>({ type: 'string', enum: ['tier', 'featured', 'item'] }),
    id: Nullable(Type.String(), {
      description:
        'A classifier option id for a tier, null for the only tier of a template without `baseRates`; otherwise an item id.',
    }),
    first: orNull(
      'The roll (pack, offer) that gave the first one, over the players who got one; null if nobody did. If `never` is not 0, the other players would have had to wait longer.',
    ),
    each: orNull(
      'How many rolls each one took, counted from the one before or from the start; null if there was none.',
    ),
    perPlayer: { ...Distribution, description: 'How many a player got, over all players.' },
    cost: orNull('What the players who got one paid for the first; null without `pricePerRoll`, or if nobody got one.'),
    never: { ...Share, description: 'The share of players who got none.' },
    curve: Type.Array(
      Type.Object({
        roll: Count,
        share: Share,
        chance: Type.Optional({
          ...Share,
          description: 'With `exact`: the chance to have one, from 0 to 1. Left out if it takes too long to compute.',
        }),
      }),
      {
        description: `The share of players who have one by a roll: for every roll, or for ${LIMITS.curve.points} rolls at equal distances.`,
      },
    ),
  },
  { title: 'SimulationTarget' },
);

const Simulation = Type.Object(
  {
    config: Type.String({
      description: 'SHA-256 of everything that decides a roll: the configuration and its part of the catalog.',
    }),
    targets: Type.Array(SimulationTarget, {
      description: 'Every tier, rarest first; then every featured item; then `itemIds`.',
    }),
    pity: Type.Object(
      {
        top: { ...Count, description: 'Results of the top tier, of all players.' },
        hard: { ...Count, description: 'Those that were due because of `pityThreshold`.' },
        soft: { ...Count, description: 'Those that were not yet due, but more likely because of `softPity`.' },
        guarantee: { ...Count, description: 'Those that were featured because of `guaranteeAfterLosses`.' },
      },
      { description: 'How the results of the top tier came about.' },
    ),
  },
  { title: 'Simulation', description: 'What became of the players.' },
);

export const simulateTemplate = {
  operationId: 'simulateTemplate',
  summary: 'Simulate players of a template',
  description: `Lets new players roll on a template, or on a configuration that is not saved, with the rules of real rolls. It changes nothing, and spark is left out. An idle template rolls without waiting. With \`Accept: application/x-ndjson\`, the response has a line \`{ "progress" }\` for every percent, from 0 to 1, and then a line \`{ "result" }\`; if the simulation fails after the first line, the last line is \`{ "error" }\`. With an \`Idempotency-Key\` the response is always JSON. If the client disconnects, the simulation is canceled. Each process runs one simulation at a time, and teams take turns. 503 if the team has its share of the ${LIMITS.simulationPlaces} that may run or wait, which is more than half if no other team has any, or if it takes longer than ${LIMITS.simulationMs / 1000} seconds.`,
  tags: ['Templates'],
  'x-lines': 'One JSON object per line: `{ "progress": 0.01 }` and so on, then `{ "result": … }`.',
  body: SimulationRequest,
  response: responses('What became of the players.', Simulation, 400, 401, 403, 500),
};
