import { compareBytes } from '../byte-order.ts';
import type { Catalog } from '../pool/catalog.ts';
import type { TemplateConfig, TemplateType, TypedConfig } from './config.ts';
import { type Fault, listFaults } from './faults.ts';

/** Maps a tier, as written in the configuration, to the id of the option that it referred to when it was saved. */
export type Bindings = Readonly<Record<string, string>>;

interface Mention {
  readonly name: string;
  readonly path: readonly (string | number)[];
}

/** The keys of one object; no two of them may refer to the same option. */
const mentionsOfKeys = (path: readonly (string | number)[], named: object | undefined): Mention[] =>
  Object.keys(named ?? {}).map((name) => ({ name, path: [...path, name] }));

/** Everything that refers to a tier in a configuration, in groups within which each option may appear once. */
const mentionsOf = ({ type, config }: TypedConfig): Mention[][] => {
  const groups = [mentionsOfKeys(['baseRates'], config.baseRates)];
  if (type === 'gacha' || type === 'idle') {
    if (config.pityTier !== undefined) groups.push([{ name: config.pityTier, path: ['pityTier'] }]);
    // A tier with two pities is an error too, but compiling the template reports it with a better message.
    for (const [index, { tier }] of (config.pities ?? []).entries()) {
      groups.push([{ name: tier, path: ['pities', index, 'tier'] }]);
    }
  } else if (type === 'card_pack') {
    for (const [index, { rates }] of (config.slots ?? []).entries()) {
      groups.push(mentionsOfKeys(['slots', index, 'rates'], rates));
    }
  } else {
    groups.push(mentionsOfKeys(['depthScaling'], config.depthScaling));
  }
  return groups;
};

/** Every tier that a configuration refers to, as it is spelled there. */
export const tiersIn = (type: TemplateType, config: TemplateConfig): ReadonlySet<string> =>
  new Set(
    mentionsOf({ type, config } as TypedConfig)
      .flat()
      .map(({ name }) => name),
  );

/** The option that a name is bound to; safe for names such as `constructor`. */
export const boundTo = (bindings: Bindings, name: string): string | undefined =>
  Object.hasOwn(bindings, name) ? bindings[name] : undefined;

/**
 * Binds every tier in a configuration to an option. Ids take precedence over names; a name must be unique among the
 * options.
 */
export const bindTiers = (
  type: TemplateType,
  config: TemplateConfig,
  catalog: Pick<Catalog, 'options'>,
): { bindings: Bindings; faults: readonly Fault[] } => {
  const idsByName = new Map<string, string[]>();
  for (const { id, name } of catalog.options.values()) {
    const ids = idsByName.get(name);
    if (ids === undefined) idsByName.set(name, [id]);
    else ids.push(id);
  }

  const faults = listFaults();
  const bindings = new Map<string, string>();
  for (const group of mentionsOf({ type, config } as TypedConfig)) {
    const namedBy = new Map<string, string>();
    for (const { name, path } of group) {
      const candidates = catalog.options.has(name) ? [name] : (idsByName.get(name) ?? []);
      const [optionId, ...others] = candidates;
      if (optionId === undefined) {
        faults.add(path, 'does not match any classifier option');
      } else if (others.length > 0) {
        faults.add(path, `is the name of ${candidates.length} classifier options; use an id`);
      } else {
        const earlier = namedBy.get(optionId);
        if (earlier !== undefined) faults.add(path, `is the same classifier option as ${JSON.stringify(earlier)}`);
        namedBy.set(optionId, name);
        bindings.set(name, optionId);
      }
    }
  }
  return { bindings: Object.fromEntries(bindings), faults: faults.found };
};

/** Every option and item that a configuration refers to, in byte order, to protect them from deletion. */
export const referencedIds = (
  config: TemplateConfig,
  bindings: Bindings,
): { optionIds: string[]; itemIds: string[] } => {
  const optionIds = new Set([...Object.values(bindings), ...(config.pool?.classifierOptionIds ?? [])]);
  const itemIds = new Set([...(config.pool?.itemIds ?? []), ...(config.featuredItemIds ?? [])]);
  for (const slot of 'slots' in config ? (config.slots ?? []) : []) {
    for (const optionId of slot.classifierOptionIds ?? []) optionIds.add(optionId);
  }
  return { optionIds: [...optionIds].sort(compareBytes), itemIds: [...itemIds].sort(compareBytes) };
};
