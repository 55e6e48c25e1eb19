import type { Compute } from '../../compute/compute.ts';
import type { SnapshotOdds } from '../../compute/snapshot-odds.ts';
import type { Page, Paged, Position } from '../../database/paging.ts';
import type { Read, Reader } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { invalid, notFound } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { createRecentlyUsed } from '../../shared/recently-used.ts';
import { isoTime } from '../../shared/time.ts';
import { timeOfVersion } from '../catalog/versions.service.ts';
import { findConfig, listConfigs } from '../snapshots/snapshots.service.ts';
import { rejectLongOdds } from './template-odds.service.ts';
import { templateById } from './templates.store.ts';

/** The tiers of a configuration with their odds, as a JSON list; null if they take too long to compute. */
interface KeptTiers {
  known?: { readonly tiers: string | null; readonly steps: number };
}

/** The odds of configurations that were in force, which never change. */
export interface KeptOdds {
  /** All odds of a configuration of a template; 404 if there is none with this hash. */
  odds(
    read: Read,
    context: Context,
    asked: { readonly id: string; readonly config: string; readonly depth?: number },
    signal: AbortSignal,
  ): Promise<string>;
  /**
   * The configurations of a template, the last one first, as JSON objects with the odds of their tiers: at most as many
   * as on a page, or as `most` says.
   */
  history(
    read: Read,
    context: Pick<Context, 'teamId'>,
    id: string,
    page: Page,
    signal: AbortSignal,
    most?: number,
  ): Promise<Paged<string>>;
}

/** What is listed of a configuration. */
interface Listed {
  readonly version: number;
  readonly fromMs: number;
  readonly toMs: number | null;
  readonly config: string | null;
}

const versionIn = ({ id }: Position): number => {
  if (!/^\d{1,9}$/.test(id)) throw invalid({ path: '/query/cursor', message: 'is not a valid cursor' });
  return Number(id);
};

/** A page of configurations, and one more if there are more. */
const readListed = async (reader: Reader, id: string, { limit, after }: Page): Promise<Listed[]> => {
  const upTo = after && versionIn(after);
  // The last row of the page before says until when the first one of this page was in force.
  const rows = await listConfigs(reader, id, { upTo, limit: limit + (after === undefined ? 1 : 2) });
  if (rows.length === 0 && (await reader.find(templateById, { id })).length === 0) throw notFound();
  const times = await Promise.all(rows.map(({ version }) => timeOfVersion(reader, version)));
  const listed = rows.map(({ version, config }, index) => ({
    version,
    config,
    fromMs: times[index] as number,
    toMs: times[index - 1] ?? null,
  }));
  return after === undefined ? listed : listed.slice(1);
};

export const createKeptOdds = (compute: Compute): KeptOdds => {
  const kept = createRecentlyUsed(LIMITS.cachedKeptOdds, (): KeptTiers => ({}));

  const computeOdds = async (
    read: Read,
    teamId: string,
    { id, config: hash, depth }: { readonly id: string; readonly config: string; readonly depth?: number },
    signal: AbortSignal,
  ): Promise<SnapshotOdds | undefined> => {
    const found = await read(teamId, (reader) => findConfig(reader, hash));
    if (found?.templateId !== id) return undefined;
    const { config, pool } = found;
    return compute.run(teamId, 'snapshotOdds', { config, pool, depth, mostSteps: LIMITS.oddsSteps }, signal);
  };

  const tiersOf = async (read: Read, teamId: string, id: string, config: string, signal: AbortSignal) => {
    const holder = kept.get(`${teamId}\n${config}`);
    if (holder.known === undefined) {
      const odds = await computeOdds(read, teamId, { id, config }, signal);
      if (odds === undefined) return { tiers: null, steps: 0 };
      holder.known = { tiers: odds.tiers, steps: odds.tiers === null ? 0 : odds.steps };
    }
    return holder.known;
  };

  return {
    odds: async (read, { teamId }, asked, signal) => {
      const odds = await computeOdds(read, teamId, asked, signal);
      if (odds === undefined) throw notFound();
      const { type, depthFault, steps, tiers, items, curve } = odds;
      if (depthFault !== null) throw invalid({ path: '/query/depth', message: depthFault });
      rejectLongOdds(type, steps, '/query/config');
      return `{"templateId":${JSON.stringify(asked.id)},"tiers":${tiers},"items":${items},"curve":${curve}}`;
    },
    history: async (read, { teamId }, id, page, signal, most = LIMITS.listedConfigs) => {
      const limit = Math.min(page.limit, most);
      const listed = await read(teamId, (reader) => readListed(reader, id, { ...page, limit }));
      const rows: string[] = [];
      let steps = 0;
      for (const { version, fromMs, toMs, config } of listed.slice(0, limit)) {
        // A page ends early if its odds take long.
        if (steps > LIMITS.oddsSteps) break;
        const found = config === null ? { tiers: '[]', steps: 0 } : await tiersOf(read, teamId, id, config, signal);
        steps += found.steps;
        const [from, to] = [isoTime(fromMs), toMs === null ? null : isoTime(toMs)];
        rows.push(`${JSON.stringify({ version, from, to, config }).slice(0, -1)},"tiers":${found.tiers}}`);
      }
      const last = listed[rows.length - 1];
      if (last === undefined || rows.length === listed.length) return { rows };
      return { rows, next: { createdAtMs: last.fromMs, id: String(last.version) } };
    },
  };
};
