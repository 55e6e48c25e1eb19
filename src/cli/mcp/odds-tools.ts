import { Type } from 'typebox';
import type { SimulationRequest } from '../../../packages/client/src/index.ts';
import { LIMITS } from '../../shared/limits.ts';
import { CommandError } from '../shared.ts';
import { idOf, templateOrConfig } from './inputs.ts';
import { defineTool, type Tool, type Workshop } from './tool.ts';

type PreviewBody = Parameters<Workshop['client']['templates']['previewOdds']>[0];

/** Curves are for drawing, and long. */
const withoutCurve = <T extends { readonly curve?: unknown }>({ curve, ...rest }: T): Omit<T, 'curve'> => rest;

const assertOne = (templateId: unknown, config: unknown): void => {
  if ((templateId === undefined) === (config === undefined))
    throw new CommandError('give either templateId, or config and its type');
};

const getOdds = defineTool({
  name: 'get_odds',
  title: 'Get odds',
  description:
    'The exact odds of a template by tier and item, with pity and guarantees; or those of a configuration that is not saved; or, without either, of a plain roll on all items.',
  input: templateOrConfig,
  run: async ({ client, signal }, { templateId, type = 'gacha', config, depth }) => {
    if (templateId === undefined && config === undefined) return client.items.odds({ signal });
    assertOne(templateId, config);
    const query = depth === undefined ? {} : { depth };
    return withoutCurve(
      templateId === undefined
        ? // The service knows which types there are, and what they may have.
          await client.templates.previewOdds({ type, config, ...query } as unknown as PreviewBody, { signal })
        : await client.templates.odds(templateId, query, { signal }),
    );
  },
});

const simulate = defineTool({
  name: 'simulate',
  title: 'Simulate players',
  description:
    'Lets new players roll on a template, or on a configuration that is not saved: how long they wait, and what they pay. It changes nothing. `first` and `cost` are only of the players who got one: `never` is the share of the others.',
  input: {
    ...templateOrConfig,
    players: Type.Optional(Type.Integer({ minimum: 1, description: '10,000 if left out.' })),
    rolls: Type.Optional(Type.Integer({ minimum: 1, description: 'Rolls of each player; 100 if left out.' })),
    seed: Type.Optional(Type.String({ description: 'The same seed gives the same result.' })),
    pricePerRoll: Type.Optional(Type.Number({ minimum: 0, description: 'What a roll costs a player.' })),
    itemIds: Type.Optional(Type.Array(idOf('an item to report, too'))),
  },
  run: async ({ client, signal }, { templateId, type = 'gacha', config, ...rest }) => {
    assertOne(templateId, config);
    const subject = templateId === undefined ? { type, config } : { templateId };
    const request = { players: 10_000, rolls: 100, seed: 'seed-1', ...rest, ...subject } as SimulationRequest;
    const options = { signal, timeoutMs: LIMITS.simulationRequestMs };
    const { targets, ...others } = await client.templates.simulate(request, options);
    return { ...others, targets: targets.map(withoutCurve) };
  },
});

export const ODDS_TOOLS: readonly Tool[] = [getOdds, simulate];
