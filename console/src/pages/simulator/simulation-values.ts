import type { Issue } from '@itemwright/client';
import type { Schemas } from '../../api/client.ts';
import { type Faults, faultsOf, withIssues } from '../../parts/faults.tsx';
import { numberFault } from '../../parts/number-text.ts';
import type { Config, TemplateType } from '../templates/template-values.ts';

/** What is simulated: a saved template, or a configuration as it is being edited. */
export interface Subject {
  readonly name: string;
  readonly type: TemplateType;
  readonly config: Config;
  /** Left out if the configuration is not saved. */
  readonly templateId?: string;
  /** The draft that it is simulated on; left out if that is the live catalog. */
  readonly draftId?: string;
}

/** The inputs of a simulation; an empty string while a number is missing. */
export interface SimulationValues {
  readonly players: number | string;
  readonly rolls: number | string;
  readonly pricePerRoll: number | string;
  readonly currency: string;
  readonly seed: string;
  readonly depth: number | string;
  readonly itemIds: readonly string[];
}

/** Enough rolls to see the effect of a pity twice. */
const usualRolls = ({ type, config }: Subject): number => {
  if (config.pityThreshold) return Math.min(10_000, 2 * config.pityThreshold);
  return type === 'gacha' || type === 'idle' ? 200 : 50;
};

export const startValues = (subject: Subject): SimulationValues => ({
  players: 10_000,
  rolls: usualRolls(subject),
  pricePerRoll: '',
  currency: '',
  seed: 'seed-1',
  depth: 0,
  itemIds: [],
});

/** The inputs for another template: all but what belongs to the template stays. */
export const valuesFor = (values: SimulationValues, before: Subject | undefined, after: Subject): SimulationValues => ({
  ...values,
  rolls: before === undefined || values.rolls === usualRolls(before) ? usualRolls(after) : values.rolls,
  itemIds: [],
});

/** A missing number is left out. */
const given = (value: number | string): number | undefined => (value === '' ? undefined : Number(value));

export const requestOf = (
  { type, config, templateId, draftId }: Subject,
  { players, rolls, pricePerRoll, seed, depth, itemIds }: SimulationValues,
): Schemas['SimulationRequest'] =>
  // Members that are undefined are not sent, nor compared.
  JSON.parse(
    JSON.stringify({
      ...(templateId === undefined ? { type, config } : { templateId }),
      draftId,
      players: given(players),
      rolls: given(rolls),
      seed,
      depth: type === 'roguelike' ? given(depth) : undefined,
      pricePerRoll: given(pricePerRoll),
      itemIds: itemIds.length === 0 ? undefined : itemIds,
      exact: true,
    }),
  );

/** What the service accepts. */
export const SIMULATION_LIMITS = {
  players: { min: 1, max: 1_000_000, isWhole: true },
  rolls: { min: 1, max: 10_000, isWhole: true },
  pricePerRoll: { min: 0 },
  depth: { min: 0, max: 1000, isWhole: true },
};

type Numbers = Partial<Pick<SimulationValues, keyof typeof SIMULATION_LIMITS>>;

const faultsIn = (values: Numbers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const fault = numberFault(value, SIMULATION_LIMITS[name as keyof Numbers]);
      return fault === undefined ? [] : [[name, fault]];
    }),
  );

/** What is missing or wrong, by input; nothing if it can be run. */
export const missingOf = (
  { players, rolls, seed, depth, pricePerRoll }: SimulationValues,
  type: TemplateType,
): Record<string, string> => ({
  ...faultsIn({ players, rolls, pricePerRoll, ...(type === 'roguelike' && { depth }) }),
  ...(players === '' && { players: 'Enter a number' }),
  ...(rolls === '' && { rolls: 'Enter a number' }),
  ...(type === 'roguelike' && depth === '' && { depth: 'Enter a number' }),
  ...(seed === '' && { seed: 'Enter any text' }),
});

const FIELDS = new Set(['players', 'rolls', 'seed', 'depth', 'pricePerRoll', 'itemIds']);

/** Too much is asked for by players and rolls together, so the message belongs to neither. */
const isTooMuch = ({ path, message }: Issue): boolean => path === '/body/players' && message.startsWith('get ');

/** Assigns the errors of a simulation to its inputs; the configuration has its own form. */
export const simulationFaults = (error: unknown): Faults => {
  const inWords = withIssues(error, (issue) => {
    if (isTooMuch(issue)) return { path: '', message: `The players ${issue.message}.` };
    const path = issue.path.replace(/^\/body\/itemIds\/\d+$/, '/body/itemIds');
    return { path: path.replace(/^\/(?:body|template)\/config/, '/body'), message: issue.message };
  });
  return faultsOf(inWords, (field) => FIELDS.has(field));
};
