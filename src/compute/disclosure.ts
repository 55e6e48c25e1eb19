import { periodOf } from '../catalog/period.ts';
import { compareBytes } from '../engine/byte-order.ts';
import { type ConfigSnapshot, templateFromSnapshot } from '../engine/fairness/snapshots.ts';
import { type DisclosedRules, disclosedRules } from '../engine/systems/disclosed-rules.ts';
import { type ItemRow, stepsOfOdds, type TemplateOdds, type TierRow, templateOdds } from '../engine/systems/odds.ts';
import type { CompiledTemplate, Period } from '../engine/systems/templates.ts';
import { digestOf } from '../shared/digest.ts';

export interface DisclosureInput {
  /** The texts of a configuration and its pool. */
  readonly config: string;
  readonly pool: string;
  /** The most steps that computing the odds may take. */
  readonly mostSteps: number;
  /** The most items to list on a page. */
  readonly mostItems: number;
}

/** What anyone may know about a configuration. */
export interface Disclosure extends Period, DisclosedRules {
  readonly type: CompiledTemplate['type'];
  /** Tiers, items and rules as members of a JSON object, as bytes to be sent, and the digest of that text. */
  readonly members: Uint8Array;
  readonly digest: string;
  /** Rarest first. */
  readonly tiers: readonly TierRow[];
  /** The tiers in the order in which their results are counted. */
  readonly places: readonly (string | null)[];
  /** Those of the rarest tier first, featured ones and likely ones before others; the first ones if there are many. */
  readonly items: readonly ItemRow[];
  readonly itemCount: number;
  readonly featuredNames: readonly string[];
  /** Templates of the same group share the counters of pity. */
  readonly groupName: string | null;
  /** How many attributes of items there are: the rules list some of those of the items above. */
  readonly attributeCount: number;
  /** The ids of attributes, to look up their names; the first ones if there are many. */
  readonly attributeIds: readonly string[];
}

const inOrder = ({ tiers, items }: TemplateOdds): ItemRow[] => {
  const ranks = new Map(tiers.map(({ tier }, rank) => [tier, rank]));
  return items.toSorted(
    (left, right) =>
      (ranks.get(left.tier) as number) - (ranks.get(right.tier) as number) ||
      Number(right.featured) - Number(left.featured) ||
      right.effective - left.effective ||
      compareBytes(left.itemId, right.itemId),
  );
};

/** Everything to disclose, from nothing but the snapshot of a configuration; null if the odds take too long. */
export const disclose = ({ config, pool, mostSteps, mostItems }: DisclosureInput): Disclosure | null => {
  const snapshot = JSON.parse(config) as ConfigSnapshot;
  const template = templateFromSnapshot(snapshot, pool);
  if (stepsOfOdds(template) > mostSteps) return null;
  const odds = templateOdds(template);
  const rules = disclosedRules(template, mostSteps);
  const members = JSON.stringify({ ...odds, ...rules }).slice(1, -1);
  const items = inOrder(odds).slice(0, mostItems);
  const listed = new Set(items.map(({ itemId }) => itemId));
  const names = new Map(odds.items.map(({ itemId, itemName }) => [itemId, itemName]));
  return {
    type: template.type,
    ...periodOf(snapshot.config),
    ...rules,
    members: Buffer.from(members),
    digest: digestOf(members),
    tiers: odds.tiers,
    places: template.tiers.all.map(({ optionId }) => optionId),
    items,
    attributes: rules.attributes.filter(({ itemId }) => listed.has(itemId)).slice(0, mostItems),
    attributeCount: rules.attributes.length,
    itemCount: odds.items.length,
    featuredNames: (rules.featured?.itemIds ?? []).map((id) => names.get(id) ?? id),
    groupName: template.pityGroup,
    attributeIds: [...new Set(rules.attributes.map(({ attributeId }) => attributeId))].slice(0, mostItems),
  };
};
