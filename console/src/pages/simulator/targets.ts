import type { Schemas } from '../../api/client.ts';
import { type OptionsById, tierColour } from '../../parts/options.tsx';
import type { Outcome } from './use-simulation.ts';

type SimulationTarget = Schemas['SimulationTarget'];

/** A tier or an item of a result, with its names and exact odds. */
export interface Target extends SimulationTarget {
  readonly key: string;
  readonly name: string;
  /** Of a tier. */
  readonly colour: string;
  /** Of an item. */
  readonly item?: Schemas['Item'];
  /** The exact mean; null if it never comes, undefined if it is not known. */
  readonly exactMean?: number | null;
}

export const targetsOf = (
  { simulation, odds }: Outcome,
  items: readonly Schemas['Item'][],
  options: OptionsById,
): Target[] =>
  simulation.targets.map((target) => {
    const { kind, id } = target;
    const known = { ...target, key: `${kind} ${id}`, colour: tierColour(options, id) };
    if (kind === 'tier') {
      const row = odds?.tiers.find(({ tier }) => tier === id);
      const name = id === null ? 'Any item' : (row?.name ?? options.get(id)?.name ?? id);
      return { ...known, name, exactMean: row?.expectedRolls };
    }
    const item = items.find((one) => one.id === id);
    const row = odds?.items.find(({ itemId }) => itemId === id);
    const name = item?.name ?? row?.itemName ?? String(id);
    return { ...known, name, item, exactMean: row?.expectedRolls };
  });
