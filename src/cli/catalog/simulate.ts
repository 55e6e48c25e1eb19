import { LIMITS } from '../../shared/limits.ts';
import { readText } from '../input.ts';
import { CommandError, countOf, formatCount, type Options, required } from '../shared.ts';
import type { Simulation, SimulationRequest, SimulationTarget } from './api.ts';
import { type CatalogCommand, EXIT } from './command.ts';
import type { Service } from './service.ts';
import { simulationTable } from './simulation-table.ts';
import { formatJson, printable, type Terminal } from './terminal.ts';

const DEFAULTS = { players: 10_000, rolls: 100, seed: 'seed-1' };

const numberOf = (text: string | undefined, name: string): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(text)) throw new CommandError(`${name} must be a number`);
  return Number(text);
};

/** The part of a file that is simulated: of a template in a folder of the catalog, or of a request. */
const readTemplate = async (path: string): Promise<Pick<SimulationRequest, 'type' | 'config'>> => {
  const text = await readText(path, LIMITS.catalogFileBytes);
  let template: { type?: unknown; config?: unknown } | null;
  try {
    template = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${path} is not valid JSON: ${(error as Error).message}`);
  }
  const { type = 'gacha', config } = template ?? {};
  if (typeof type !== 'string' || typeof config !== 'object' || config === null)
    throw new CommandError(`${path} must be a template, with a type and a config`);
  // The service knows which types there are, and what they may have.
  return { type, config } as Pick<SimulationRequest, 'type' | 'config'>;
};

const requestOf = async (argument: string, options: Options): Promise<SimulationRequest> => {
  const { seed = DEFAULTS.seed } = options;
  const [depth, pricePerRoll] = [numberOf(options.depth, '--depth'), numberOf(options.price, '--price')];
  return {
    ...(argument.endsWith('.json') ? await readTemplate(argument) : { templateId: argument }),
    players: numberOf(options.players, '--players') ?? DEFAULTS.players,
    rolls: numberOf(options.rolls, '--rolls') ?? DEFAULTS.rolls,
    seed,
    ...(depth === undefined ? {} : { depth }),
    ...(pricePerRoll === undefined ? {} : { pricePerRoll }),
  };
};

/** Shows on a terminal how far the simulation is, in a line that is gone when it is done. */
const simulateAndShow = async (
  service: Service,
  request: SimulationRequest,
  { status = () => {} }: Terminal,
): Promise<Simulation> => {
  try {
    return await service.simulate(request, (progress) => status(`Simulating: ${Math.round(100 * progress)}%`));
  } finally {
    status('');
  }
};

/** The names of tiers and items, as far as they are few enough to be looked up; otherwise their ids. */
const findNames = async ({ targets }: Simulation, service: Service): Promise<(target: SimulationTarget) => string> => {
  const names = new Map<string, string>();
  if (targets.some(({ kind, id }) => kind === 'tier' && id !== null))
    for (const { classifierOptions } of await service.classifiers())
      for (const { id, name } of classifierOptions) names.set(`tier ${id}`, name);
  const items = targets.filter(({ kind }) => kind !== 'tier').slice(0, LIMITS.printedNames);
  for (const { kind, id } of items) {
    const item = id === null ? undefined : await service.item(id);
    if (item !== undefined) names.set(`${kind} ${id}`, item.name);
  }
  return ({ kind, id }) => printable(names.get(`${kind} ${id}`) ?? id ?? 'any item');
};

export const simulate: CatalogCommand = {
  argument: 'TEMPLATE_ID|FILE',
  summary: 'simulates new players of a template: how long they wait, and what they pay',
  help: [
    'The template may also be in a FILE that ends in .json.',
    `There are ${formatCount(DEFAULTS.players)} players with ${DEFAULTS.rolls} rolls each unless --players and --rolls say how many.`,
    'The same seed gives the same result as long as the template and its items stay the same.',
  ],
  examples: ['simulate winter-banner --players 100000 --price 1.60'],
  options: ['players', 'rolls', 'seed', 'price', 'depth', 'json'],
  run: async ({ service, argument, options, terminal }) => {
    const request = await requestOf(required(argument, 'TEMPLATE_ID or FILE', LIMITS.pathLength), options);
    const simulation = await simulateAndShow(service, request, terminal);
    if (options.json) {
      terminal.print(formatJson(simulation));
      return EXIT.done;
    }
    const { players, rolls, seed } = request;
    const nameOf = await findNames(simulation, service);
    terminal.print(
      `${countOf(players, 'player')} with ${countOf(rolls, 'roll')} each, seed ${JSON.stringify(printable(seed))}`,
    );
    terminal.print('');
    for (const line of simulationTable(simulation, nameOf, terminal.columns)) terminal.print(line);
    return EXIT.done;
  },
};
