import type { PoolChange } from '../../catalog/odds-changes.ts';
import type { Reader } from '../../database/work.ts';
import { ServiceError } from '../../shared/errors.ts';
import * as store from './drafts.store.ts';
import { compareWith, type PublishingDeps } from './publishing.service.ts';

/** A scheduled draft that its team wants everyone to know of. */
export interface AnnouncedDraft {
  readonly id: string;
  /** Counts its changes. */
  readonly revision: number;
}

/** A change of the odds of a template that will happen. */
export interface AnnouncedChange {
  readonly atMs: number;
  readonly odds: PoolChange;
}

export const listAnnounced = (reader: Reader): Promise<AnnouncedDraft[]> => store.selectAnnounced(reader);

/**
 * What an announced draft will do to the odds of a template, as the catalog is now; undefined if it leaves them alone, or
 * cannot be published as it is.
 */
export const findAnnouncedChange = async (
  deps: PublishingDeps,
  { teamId, nowMs }: { teamId: string; nowMs: number },
  draftId: string,
  templateId: string,
  signal: AbortSignal,
): Promise<AnnouncedChange | undefined> => {
  const row = await deps.read(teamId, (reader) => store.selectDraft(reader, draftId));
  if (row === undefined || row.publish_at === null || row.announce === 0) return undefined;
  const bytes = Buffer.from(`{"changes":${row.changes},"pools":${JSON.stringify([templateId])}}`);
  const body = { bytes, ...(row.rebase === 1 && { rebaseFrom: row.base_version }) };
  try {
    const { base, planned } = await compareWith(deps, { teamId, nowMs }, body, 'plan', signal);
    const isOutdated = row.rebase === 0 && base.version !== row.base_version;
    if (isOutdated || planned.faults.length > 0) return undefined;
    const odds = (JSON.parse(planned.odds) as PoolChange[]).find(({ pool }) => pool === templateId);
    return odds && { atMs: row.publish_at, odds };
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'BAD_REQUEST' || error.code === 'CONFLICT')) return undefined;
    throw error;
  }
};
