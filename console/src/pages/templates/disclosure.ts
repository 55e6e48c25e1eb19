import type { Schemas } from '../../api/client.ts';
import { SYSTEMS } from './systems.ts';
import type { TemplateType } from './template-values.ts';

/** As many digits as stores require, without trailing zeros. */
const percent = (share: number): string => `${Number((share * 100).toFixed(6))} %`;

const rolls = (value: number | null): string => (value === null ? '–' : String(Number(value.toFixed(2))));

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** The odds as stores and laws require them: a table of tiers and one of items, in Markdown. */
export const disclosureOf = (name: string, type: TemplateType, odds: Schemas['ConfigOdds'], depth: number): string => {
  const unit = SYSTEMS[type].rolls;
  const byShare = [...odds.items].sort((left, right) => left.effective - right.effective);
  const tierName = new Map(odds.tiers.map((row) => [row.tier, row.name ?? 'all']));
  return [
    `# Odds of ${name}${depth > 0 ? ` at depth ${depth}` : ''}`,
    '',
    table(
      ['Tier', 'Base odds', 'Odds with all guarantees', `Mean ${unit} to the first`, `At most`],
      odds.tiers.map((row) => [
        row.name ?? 'all',
        percent(row.base),
        percent(row.effective),
        rolls(row.expectedRolls),
        rolls(row.worstRolls),
      ]),
    ),
    '',
    table(
      ['Item', 'Tier', 'Base odds', 'Odds with all guarantees'],
      byShare.map((row) => [
        `${row.itemName}${row.featured ? ' (featured)' : ''}`,
        tierName.get(row.tier) ?? '',
        percent(row.base),
        percent(row.effective),
      ]),
    ),
    '',
  ].join('\n');
};
