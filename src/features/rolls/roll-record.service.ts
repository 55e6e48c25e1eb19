import type { Work } from '../../database/work.ts';
import type { Observe } from '../../engine/evidence/observation.ts';
import type { RolledItem } from '../../engine/pool/pool.ts';
import { countRolls } from '../statistics/roll-counts.service.ts';
import { detailsText, type RollDetails } from './roll-details.service.ts';
import { insertEvents } from './rolls.store.ts';

/** The rolls of one call; `rollerId` stands for the user in the record. */
export interface Rolls {
  /** The version of the catalog that was rolled on. */
  readonly version: number;
  readonly templateId: string | null;
  readonly rollerId: string | null;
  readonly nowMs: number;
  readonly requestId: string;
  readonly rolled: readonly RolledItem[];
  /** Null if there is nothing to tell. */
  readonly details: RollDetails | null;
  /** Tells what is observed of them; null if they are no evidence, since they have other odds or none. */
  readonly observe: ((observe: Observe) => void) | null;
}

/** The item, followed by its values in the order of the item attribute ids. */
const textOf = ({ item, values }: RolledItem): string => {
  let text = `[${JSON.stringify(item.id)}`;
  for (const { value } of values) text += `,${value}`;
  return `${text}]`;
};

/** Records rolls that belong together, and counts them, in the transaction that makes them. */
export const recordRolls = (work: Work, rolls: Rolls): void => {
  if (rolls.rolled.length === 0) return;
  const { version, templateId, rollerId, nowMs, requestId, rolled, details } = rolls;
  work.write(insertEvents, {
    catalog_version: version,
    template_id: templateId,
    roller_id: rollerId,
    rolled_at: nowMs,
    results: rolled.map(textOf),
    requestId,
    details: details && detailsText(requestId, details),
  });
  countRolls(work, rolls);
};
