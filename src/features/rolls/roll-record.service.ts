import type { Work } from '../../database/work.ts';
import type { Observe } from '../../engine/evidence/observation.ts';
import type { RolledItem } from '../../engine/pool/pool.ts';
import { countRolls } from '../statistics/roll-counts.service.ts';
import type { KnownUser } from '../users/users.service.ts';
import { detailsText, type RollDetails } from './roll-details.service.ts';
import { insertEvents } from './rolls.store.ts';

/** The rolls of one call. */
export interface Rolls {
  /** The version of the catalog that was rolled on. */
  readonly version: number;
  readonly templateId: string | null;
  readonly user: KnownUser | null;
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
  const { version, templateId, user, nowMs, requestId, rolled, details } = rolls;
  const results = rolled.map(textOf);
  const detailed = details && detailsText(requestId, details);
  work.write(insertEvents, {
    catalog_version: version,
    template_id: templateId,
    roller_id: user?.roller_id ?? null,
    rolled_at: nowMs,
    results,
    requestId,
    details: detailed,
  });
  countRolls(work, rolls);
  work.record({
    ...{ type: 'roll.made', nowMs, requestId, user: user ?? undefined, version },
    // Otherwise it is about the user.
    ...(user === null && { subject: templateId === null ? 'catalog' : `templates/${templateId}` }),
    data: () => `{"templateId":${JSON.stringify(templateId)},"results":[${results.join()}],"details":${detailed}}`,
  });
};
