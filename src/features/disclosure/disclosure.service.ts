import { createHash } from 'node:crypto';
import type { Compute } from '../../compute/compute.ts';
import type { Disclosure } from '../../compute/disclosure.ts';
import { type Shared, share } from '../../compute/shared.ts';
import type { Read, Reader } from '../../database/work.ts';
import { digestOf } from '../../digest.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { isoTime } from '../../time.ts';
import { createQueues } from '../../turns.ts';
import { currentVersionOf, timeOfVersion } from '../catalog/versions.service.ts';
import { findResults, type Results } from '../evidence/evidence.service.ts';
import { findConfig, findNotedVersion, listConfigs } from '../snapshots/snapshots.service.ts';
import type { KeptOdds } from '../templates/kept-odds.service.ts';
import { getPublicName } from '../templates/templates.service.ts';
import type { PublicOddsInForce, PublicResults } from './disclosure.contract.ts';
import { disclosurePage } from './disclosure.presenter.ts';
import { createKeptDisclosures } from './kept-disclosures.service.ts';
import { STYLE } from './page-style.presenter.ts';

/** The page may use its own style and nothing else; any site may show it in a frame. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** A text for everyone. */
export interface Published {
  readonly text: string;
  /** Differs whenever the text does. */
  readonly etag: string;
}

type Publish = (teamId: string, id: string, signal: AbortSignal) => Promise<Published>;

/** What anyone may read about templates that are public. For any other, all of these are not found. */
export interface Disclosures {
  /** The odds in force and their results, as JSON. */
  readonly odds: Publish;
  /** The odds that there were, as JSON. */
  readonly history: Publish;
  /** All of it as a page. */
  readonly page: Publish;
}

export interface DisclosureDeps {
  readonly read: Read;
  readonly compute: Compute;
  readonly keptOdds: KeptOdds;
  readonly clock: () => number;
}

/** What is in force, and since when. */
interface InForce {
  readonly name: string;
  readonly version: number;
  /** Null if it cannot be rolled on, or is too large. */
  readonly config: string | null;
  readonly fromMs: number;
}

/** A JSON list. */
interface History extends Published {
  readonly isWhole: boolean;
}

/** What is shown at some moment, made of the same results. */
interface Shown {
  readonly name: string;
  readonly results: PublicResults;
  readonly alarmedAt: string | null;
  odds?: Published;
  page?: Published;
}

/** What is known about a template, as long as the same configuration is in force. */
interface Known {
  readonly version: number;
  readonly config: string | null;
  readonly fromMs: number;
  /** Null if nothing can be disclosed. */
  readonly disclosure: Shared<Disclosure | null>;
  readonly history: Shared<History>;
  results: { readonly atMs: number; readonly found: Shared<Results> } | undefined;
  shown: Shown | undefined;
  readonly made: { disclosure?: Disclosure | null; history?: History };
  readonly length: () => number;
}

const etagOf = (...texts: readonly string[]): string => `"${digestOf(texts.join('\n')).slice(0, 32)}"`;

/** What is in force on a template that is public. Cheap, since anyone may ask about any id. */
const findInForce = async (reader: Reader, id: string): Promise<InForce> => {
  const name = await getPublicName(reader, id);
  const [row] = await listConfigs(reader, id, { upTo: undefined, limit: 1 });
  if (row !== undefined) return { name, ...row, fromMs: await timeOfVersion(reader, row.version) };
  // It is noted within a second.
  if ((await findNotedVersion(reader)) < (await currentVersionOf(reader)))
    throw new ServiceError('SERVICE_UNAVAILABLE');
  throw notFound();
};

/** Counts of rolls tell how much a game sells, so they are rounded. */
const rounded = (value: number, digits: number): number => Number(value.toPrecision(digits));

const toResults = ({ rolls, hits, evidence }: Results, { tiers, places }: Disclosure): PublicResults => {
  const counted = hits.reduce((sum, count) => sum + count, 0);
  const byTier = new Map(places.map((tier, place) => [tier, hits[place] ?? 0]));
  return {
    rolls: rounded(rolls, 2),
    tiers:
      counted === 0
        ? []
        : tiers.map(({ tier }) => ({ tier, share: rounded((byTier.get(tier) ?? 0) / counted, LIMITS.shareDigits) })),
    evidence: rounded(evidence, 2),
  };
};

export const createDisclosures = ({ read, compute, keptOdds, clock }: DisclosureDeps): Disclosures => {
  const kept = createKeptDisclosures<Known>();
  // One computation of a team at a time, whatever anyone asks for.
  const inTurn = createQueues();

  const discloseConfig = async (
    teamId: string,
    config: string | null,
    signal: AbortSignal,
  ): Promise<Disclosure | null> => {
    const found = config === null ? undefined : await read(teamId, (reader) => findConfig(reader, config));
    if (found === undefined) return null;
    const limits = { mostSteps: LIMITS.oddsSteps, mostItems: LIMITS.disclosedItems };
    return compute.run(teamId, 'disclosure', { config: found.config, pool: found.pool, ...limits }, signal);
  };

  const listHistory = async (teamId: string, id: string, signal: AbortSignal): Promise<History> => {
    const page = { limit: LIMITS.disclosedVersions, after: undefined };
    const { rows, next } = await keptOdds.history(read, { teamId }, id, page, signal, LIMITS.disclosedVersions);
    const text = `[${rows.join(',')}]`;
    return { text, etag: etagOf(text), isWhole: next === undefined };
  };

  const know = (teamId: string, id: string, { version, config, fromMs }: InForce): Known => {
    const made: Known['made'] = {};
    const known: Known = {
      ...{ version, config, fromMs, made, results: undefined, shown: undefined },
      disclosure: share(async (signal) => {
        made.disclosure = await inTurn(teamId, () => discloseConfig(teamId, config, signal));
        return made.disclosure;
      }),
      history: share(async (signal) => {
        made.history = await inTurn(teamId, () => listHistory(teamId, id, signal));
        kept.weigh();
        return made.history;
      }),
      length: () => {
        const { odds, page } = known.shown ?? {};
        const texts = [made.disclosure?.members, made.history?.text, odds?.text, page?.text];
        return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
      },
    };
    return known;
  };

  const find = async (teamId: string, id: string): Promise<{ inForce: InForce; known: Known }> => {
    const inForce = await read(teamId, (reader) => findInForce(reader, id));
    const { version, config, fromMs } = inForce;
    const isCurrent = (one: Known): boolean =>
      one.version === version && one.config === config && one.fromMs === fromMs;
    return { inForce, known: kept.get(`${teamId}\n${id}`, isCurrent, () => know(teamId, id, inForce)) };
  };

  /** The results of about now: they are counted once a minute, however many ask for them. */
  const resultsOf = (teamId: string, id: string, known: Known, config: string, signal: AbortSignal) => {
    const nowMs = clock();
    if (known.results === undefined || Math.abs(nowMs - known.results.atMs) >= LIMITS.disclosureAgeS * 1000) {
      const stream = { templateId: id, config };
      const found = share((aborted) =>
        inTurn(teamId, () => findResults({ read, compute }, teamId, stream, nowMs, aborted)),
      );
      known.results = { atMs: nowMs, found };
    }
    return known.results.found(signal);
  };

  /** What to show now. Texts that were made of the same stay. */
  const show = async (teamId: string, id: string, signal: AbortSignal) => {
    const { inForce, known } = await find(teamId, id);
    const { name, config } = inForce;
    const disclosure = config === null ? null : await known.disclosure(signal);
    if (config === null || disclosure === null) throw notFound();
    const found = await resultsOf(teamId, id, known, config, signal);
    const results = toResults(found, disclosure);
    const alarmedAt = found.alarmedAtMs === null ? null : isoTime(found.alarmedAtMs);
    const sameAs = (one: Shown): boolean =>
      one.name === name && one.alarmedAt === alarmedAt && JSON.stringify(one.results) === JSON.stringify(results);
    if (known.shown === undefined || !sameAs(known.shown)) known.shown = { name, results, alarmedAt };
    return { known, disclosure, shown: known.shown, config, version: inForce.version };
  };

  /** The members that come before the odds. */
  const headOf = (id: string, name: string, config: string, fromMs: number, disclosure: Disclosure) => {
    const { type, startsAtMs, endsAtMs } = disclosure;
    return {
      ...{ templateId: id, name, type, config, from: isoTime(fromMs) },
      startsAt: startsAtMs === null ? null : isoTime(startsAtMs),
      endsAt: endsAtMs === null ? null : isoTime(endsAtMs),
    };
  };

  return {
    odds: async (teamId, id, signal) => {
      const { known, disclosure, shown, config } = await show(teamId, id, signal);
      if (shown.odds === undefined) {
        const head = JSON.stringify(headOf(id, shown.name, config, known.fromMs, disclosure)).slice(0, -1);
        const tail = `"results":${JSON.stringify(shown.results)}}`;
        const etag = etagOf(head, disclosure.digest, tail);
        shown.odds = { text: `${head},${disclosure.members},${tail}`, etag };
        kept.weigh();
      }
      return shown.odds;
    },
    history: async (teamId, id, signal) => {
      const { known } = await find(teamId, id);
      return known.history(signal);
    },
    page: async (teamId, id, signal) => {
      const { known, disclosure, shown, config, version } = await show(teamId, id, signal);
      const history = await known.history(signal);
      if (shown.page === undefined) {
        const text = disclosurePage({
          ...disclosure,
          ...headOf(id, shown.name, config, known.fromMs, disclosure),
          version,
          results: shown.results,
          alarmedAt: shown.alarmedAt,
          history: JSON.parse(history.text) as PublicOddsInForce[],
          isWholeHistory: history.isWhole,
        });
        shown.page = { text, etag: etagOf(text) };
        kept.weigh();
      }
      return shown.page;
    },
  };
};
