import { createHash } from 'node:crypto';
import type { Compute } from '../../compute/compute.ts';
import type { Disclosure } from '../../compute/disclosure.ts';
import { type Shared, share } from '../../compute/shared.ts';
import type { PublicReads } from '../../database/public-reads.ts';
import type { Reader } from '../../database/work.ts';
import { digestOf } from '../../shared/digest.ts';
import { notFound, ServiceError } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { Prepared, prepare } from '../../shared/prepared.ts';
import { isoTime } from '../../shared/time.ts';
import { createQueues } from '../../shared/turns.ts';
import type { PublishingDeps } from '../catalog/publishing.service.ts';
import { currentVersionOf, timeOfVersion } from '../catalog/versions.service.ts';
import { findResults, type Results } from '../evidence/evidence.service.ts';
import type { Identities } from '../receipts/identities.service.ts';
import { findConfig, findRecordedVersion, listConfigs } from '../snapshots/snapshots.service.ts';
import type { ReadyTemplate, ReadyTemplates } from '../templates/compiled-templates.service.ts';
import type { KeptOdds } from '../templates/kept-odds.service.ts';
import { getPublicName } from '../templates/templates.service.ts';
import type { Language, PublicOddsInForce, PublicResults, Surroundings } from './disclosure.contract.ts';
import { disclosurePage } from './disclosure.presenter.ts';
import { createKeptDisclosures } from './kept-disclosures.service.ts';
import type { PageContent } from './page-parts.presenter.ts';
import { STYLE } from './page-style.presenter.ts';
import { findSurroundings, type KnownAnnouncements } from './surroundings.service.ts';

/** The page may use its own style and nothing else; any site may show it in a frame. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

type Publish = (teamId: string, id: string, signal: AbortSignal) => Promise<Prepared>;
type PublishIn = (teamId: string, id: string, language: Language, signal: AbortSignal) => Promise<Prepared>;

/** What anyone may read about templates that are public. For any other, all of these are not found. */
export interface Disclosures {
  /** The odds in force and their results, as JSON. */
  readonly odds: Publish;
  /** The odds that there were, as JSON. */
  readonly history: Publish;
  /** All of it as a page in a language. */
  readonly page: PublishIn;
}

export interface DisclosureDeps extends InForceDeps {
  readonly reads: PublicReads;
  readonly compute: Compute;
  readonly keptOdds: KeptOdds;
  readonly readWhole: PublishingDeps['readWhole'];
  readonly clock: () => number;
}

/** What finding the configuration that rolls use needs. */
interface InForceDeps {
  readonly readyTemplates: ReadyTemplates;
  readonly identities: Identities;
}

/** What is in force, and since when at the latest. */
interface InForce {
  readonly name: string;
  readonly version: number;
  /** That of the whole catalog, which may have changed since in other ways. */
  readonly catalogVersion: number;
  /** Null if it cannot be rolled on, or is too large. */
  readonly config: string | null;
  readonly fromMs: number;
  /** The template as it is rolled on, if its configuration is not recorded yet; otherwise null. */
  readonly unrecorded: ReadyTemplate | null;
}

/** A JSON list. */
interface History {
  readonly text: Prepared;
  readonly isWhole: boolean;
}

/** What is shown at some moment, made of the same results. */
interface Shown {
  readonly name: string;
  readonly results: PublicResults;
  readonly alarm: PageContent['alarm'];
  readonly surroundings: Surroundings;
  odds?: Prepared;
  readonly pages: Map<Language, Prepared>;
}

/** What is known about a template, as long as the same configuration is in force. */
interface Known {
  readonly isRecorded: boolean;
  readonly version: number;
  readonly config: string | null;
  readonly fromMs: number;
  /** Null if nothing can be disclosed. */
  readonly disclosure: Shared<Disclosure | null>;
  readonly history: Shared<History>;
  results: { readonly atMs: number; readonly found: Shared<Results> } | undefined;
  surroundings: { readonly atMs: number; readonly version: number; readonly found: Shared<Surroundings> } | undefined;
  announcements: KnownAnnouncements | undefined;
  shown: Shown | undefined;
  readonly made: { disclosure?: Disclosure | null; history?: History };
  readonly length: () => number;
}

const tagOf = (...texts: readonly string[]): string => digestOf(texts.join('\n')).slice(0, 32);

/** The hash of what rolls on a template use; null if it cannot be rolled on, or is too large. */
const configOf = (reader: Reader, ready: ReadyTemplate, { identities }: InForceDeps): string | null => {
  try {
    return identities.of(reader, ready).config;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'BAD_REQUEST') return null;
    throw error;
  }
};

/**
 * What is in force on a template that is public: what was recorded of the version that rolls use and, until it is recorded,
 * what rolls use themselves. Cheap, since anyone may ask about any id.
 */
const findInForce = async (reader: Reader, id: string, deps: InForceDeps): Promise<InForce> => {
  const name = await getPublicName(reader, id);
  const [row] = await listConfigs(reader, id, { upTo: undefined, limit: 1 });
  const [recorded, version] = [await findRecordedVersion(reader), await currentVersionOf(reader)];
  const ready = recorded < version ? await deps.readyTemplates(reader, id) : null;
  const config = ready && configOf(reader, ready, deps);
  if (ready !== null && (row === undefined || row.config !== config))
    return {
      ...{ name, version, catalogVersion: version, config, unrecorded: ready },
      fromMs: await timeOfVersion(reader, version),
    };
  if (row === undefined) throw notFound();
  return { name, ...row, catalogVersion: version, fromMs: await timeOfVersion(reader, row.version), unrecorded: null };
};

/** Counts of rolls tell how much a game sells, so they are rounded. */
const rounded = (value: number, digits: number): number => Number(value.toPrecision(digits));

const toResults = (
  { rolls, hits, expected, evidence, templateEvidence }: Results,
  { tiers, places }: Disclosure,
): PublicResults => {
  const counted = hits.reduce((sum, count) => sum + count, 0);
  const placeOf = new Map(places.map((tier, place) => [tier, place]));
  const shareIn = (counts: readonly number[], tier: string | null): number =>
    rounded((counts[placeOf.get(tier) ?? -1] ?? 0) / counted, LIMITS.shareDigits);
  return {
    rolls: rounded(rolls, 2),
    tiers:
      counted === 0
        ? []
        : tiers.map(({ tier }) => ({ tier, share: shareIn(hits, tier), expected: shareIn(expected, tier) })),
    evidence: rounded(evidence, 2),
    templateEvidence: rounded(templateEvidence, 2),
  };
};

/** What is in force, but not in the history yet. */
interface Unrecorded extends Pick<InForce, 'version' | 'config' | 'fromMs'> {
  /** Null if they take too long to compute. */
  readonly tiers: Disclosure['tiers'] | null;
}

const withUnrecorded = (rows: readonly string[], { version, config, fromMs, tiers }: Unrecorded): string[] => {
  const from = isoTime(fromMs);
  const [last, ...others] = rows;
  const ended = last === undefined ? [] : [JSON.stringify({ ...(JSON.parse(last) as object), to: from })];
  return [JSON.stringify({ version, from, to: null, config, tiers }), ...ended, ...others];
};

export const createDisclosures = ({
  reads,
  compute,
  keptOdds,
  readWhole,
  clock,
  ...deps
}: DisclosureDeps): Disclosures => {
  const { read } = reads;
  const kept = createKeptDisclosures<Known>();
  // One computation of a team at a time, whatever anyone asks for.
  const inTurn = createQueues();

  /** The texts of a configuration: kept ones or, if it is not recorded yet, those that recording will keep. */
  const textsOf = async (teamId: string, config: string, unrecorded: ReadyTemplate | null) => {
    const kept = await read(teamId, (reader) => findConfig(reader, config));
    if (kept !== undefined || unrecorded === null) return kept;
    const made = await deps.identities.snapshotsOf(unrecorded);
    return made === null ? undefined : { config: made.configText, pool: made.poolText };
  };

  const discloseConfig = async (
    teamId: string,
    config: string | null,
    unrecorded: ReadyTemplate | null,
    signal: AbortSignal,
  ): Promise<Disclosure | null> => {
    const found = config === null ? undefined : await textsOf(teamId, config, unrecorded);
    if (found === undefined) return null;
    const limits = { mostSteps: LIMITS.oddsSteps, mostItems: LIMITS.disclosedItems };
    return compute.run(teamId, 'disclosure', { config: found.config, pool: found.pool, ...limits }, signal);
  };

  const listHistory = async (
    teamId: string,
    id: string,
    signal: AbortSignal,
    unrecorded?: Unrecorded,
  ): Promise<History> => {
    const page = { limit: LIMITS.disclosedVersions, after: undefined };
    const recorded = await keptOdds.history(read, { teamId }, id, page, signal, LIMITS.disclosedVersions);
    const rows = unrecorded === undefined ? recorded.rows : withUnrecorded(recorded.rows, unrecorded);
    return { text: prepare(`[${rows.join(',')}]`), isWhole: recorded.next === undefined };
  };

  const know = (teamId: string, id: string, inForce: InForce): Known => {
    const { version, config, fromMs } = inForce;
    const isRecorded = inForce.unrecorded === null;
    // Not kept any longer than it is needed, since a whole catalog belongs to it.
    let unrecorded = config === null ? null : inForce.unrecorded;
    const made: Known['made'] = {};
    const disclosure = share(async (signal) => {
      made.disclosure = await inTurn(teamId, () => discloseConfig(teamId, config, unrecorded, signal));
      unrecorded = null;
      return made.disclosure;
    });
    const known: Known = {
      ...{ isRecorded, version, config, fromMs, made, results: undefined, shown: undefined },
      ...{ surroundings: undefined, announcements: undefined },
      disclosure,
      history: share(async (signal) => {
        const tiers = isRecorded || config === null ? [] : ((await disclosure(signal))?.tiers ?? null);
        const last = isRecorded ? undefined : { version, config, fromMs, tiers };
        made.history = await inTurn(teamId, () => listHistory(teamId, id, signal, last));
        kept.weigh();
        return made.history;
      }),
      length: () => {
        const { odds, pages } = known.shown ?? {};
        const texts = [made.disclosure?.members, made.history?.text, odds, ...(pages?.values() ?? [])];
        return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
      },
    };
    return known;
  };

  const find = async (teamId: string, id: string): Promise<{ inForce: InForce; known: Known }> => {
    const inForce = await reads.find(teamId, `template ${id}`, (reader) => findInForce(reader, id, deps));
    const { version, config, fromMs } = inForce;
    const isRecorded = inForce.unrecorded === null;
    const isCurrent = (one: Known): boolean =>
      one.isRecorded === isRecorded && one.version === version && one.config === config && one.fromMs === fromMs;
    return { inForce, known: kept.get(`${teamId}\n${id}`, isCurrent, () => know(teamId, id, inForce)) };
  };

  /** The results of about now: they are counted once a minute, however many ask for them. */
  const resultsOf = (teamId: string, id: string, known: Known, config: string, signal: AbortSignal) => {
    const nowMs = clock();
    if (known.results === undefined || Math.abs(nowMs - known.results.atMs) >= LIMITS.disclosureAgeS * 1000) {
      const stream = { templateId: id, config };
      const found = share((aborted) => inTurn(teamId, () => findResults({ read, compute }, teamId, stream, aborted)));
      known.results = { atMs: nowMs, found };
    }
    return known.results.found(signal);
  };

  /** What surrounds a configuration: as the catalog is now, with announcements of about now. */
  const surroundingsOf = (
    teamId: string,
    templateId: string,
    { known, catalogVersion, disclosure }: { known: Known; catalogVersion: number; disclosure: Disclosure },
    signal: AbortSignal,
  ): Promise<Surroundings> => {
    const nowMs = clock();
    const isRecent = ({ atMs, version }: NonNullable<Known['surroundings']>): boolean =>
      version === catalogVersion && Math.abs(nowMs - atMs) < LIMITS.disclosureAgeS * 1000;
    if (known.surroundings === undefined || !isRecent(known.surroundings)) {
      const found = share((aborted) =>
        inTurn(teamId, async () => {
          const asked = { teamId, templateId, catalogVersion, nowMs, signal: aborted };
          const { announcements, ...surroundings } = await findSurroundings(
            { read, compute, readWhole },
            asked,
            disclosure,
            known.announcements,
          );
          known.announcements = announcements;
          return surroundings;
        }),
      );
      known.surroundings = { atMs: nowMs, version: catalogVersion, found };
    }
    return known.surroundings.found(signal);
  };

  /** What to show now. Texts that were made of the same stay. */
  const show = async (teamId: string, id: string, signal: AbortSignal) => {
    const { inForce, known } = await find(teamId, id);
    const { name, config, catalogVersion } = inForce;
    const disclosure = config === null ? null : await known.disclosure(signal);
    if (config === null || disclosure === null) throw notFound();
    const found = await resultsOf(teamId, id, known, config, signal);
    const surroundings = await surroundingsOf(teamId, id, { known, catalogVersion, disclosure }, signal);
    const results = toResults(found, disclosure);
    const alarm =
      found.alarmedAtMs === null ? null : { at: isoTime(found.alarmedAtMs), evidence: rounded(found.greatest, 2) };
    const next: Shown = { name, results, alarm, surroundings, pages: new Map() };
    const textOf = (one: Shown): string => JSON.stringify([one.name, one.results, one.alarm, one.surroundings]);
    if (known.shown === undefined || textOf(known.shown) !== textOf(next)) known.shown = next;
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
        const tail = JSON.stringify({ ...shown.surroundings, results: shown.results }).slice(1);
        const tag = tagOf(head, disclosure.digest, tail);
        // Not as a text: to encode one of megabytes would keep everyone waiting.
        const bytes = Buffer.concat([Buffer.from(`${head},`), disclosure.members, Buffer.from(`,${tail}`)]);
        shown.odds = new Prepared(bytes, tag);
        kept.weigh();
      }
      return shown.odds;
    },
    history: async (teamId, id, signal) => {
      const { known } = await find(teamId, id);
      return (await known.history(signal)).text;
    },
    page: async (teamId, id, language, signal) => {
      const { known, disclosure, shown, config, version } = await show(teamId, id, signal);
      const history = await known.history(signal);
      let page = shown.pages.get(language);
      if (page === undefined) {
        const text = disclosurePage(language, {
          ...disclosure,
          ...shown.surroundings,
          ...headOf(id, shown.name, config, known.fromMs, disclosure),
          version,
          results: shown.results,
          alarm: shown.alarm,
          history: JSON.parse(history.text.bytes.toString()) as PublicOddsInForce[],
          isWholeHistory: history.isWhole,
        });
        page = prepare(text);
        shown.pages.set(language, page);
        kept.weigh();
      }
      return page;
    },
  };
};
