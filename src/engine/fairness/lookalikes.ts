import { canonicalText } from './canonical.ts';
import type { Epoch } from './ledger.ts';
import type { Machine, SnapshotReader } from './snapshot-reader.ts';

/** Everything that decides the odds of a call, without the names and ids under which players know it. */
const oddsOf = ({ snapshot, catalog }: Machine): string =>
  canonicalText({
    type: snapshot.type,
    config: snapshot.config,
    bindings: snapshot.bindings,
    options: [...catalog.options.values()].map(({ id, dropRateMultiplier }) => [id, dropRateMultiplier]),
    weights: catalog.items.map(({ weight, optionIds }) => [weight, optionIds]),
  });

/**
 * Templates with the same odds in one story, each list in the order of their first rolls: whoever foresees the next roll
 * could send a player to one or the other.
 */
export const lookalikes = (epochs: readonly Epoch[], snapshots: SnapshotReader): string[][] => {
  const templates = new Map<string, string>();
  for (const { calls } of epochs)
    for (const { receipt } of calls) {
      if (templates.has(receipt.config) || receipt.templateId === '') continue;
      const machine = snapshots.machine(receipt.config);
      if ('value' in machine) templates.set(receipt.config, receipt.templateId);
    }
  const byOdds = Map.groupBy(templates, ([config]) => {
    const machine = snapshots.machine(config);
    return 'value' in machine ? oddsOf(machine.value) : config;
  });
  return [...byOdds.values()]
    .map((alike) => [...new Set(alike.map(([, templateId]) => templateId))])
    .filter(({ length }) => length > 1);
};
