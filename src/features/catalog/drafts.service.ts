import { type GivenDraft, readDraft } from '../../catalog/draft.ts';
import type { Compute } from '../../compute/compute.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { Author, Context } from '../../shared/context.ts';
import { invalid, notFound, ServiceError } from '../../shared/errors.ts';
import { requireEtag } from '../../shared/etags.ts';
import { newId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import type { Draft, DraftPublication } from './drafts.contract.ts';
import * as store from './drafts.store.ts';
import {
  applyChange,
  explainRejection,
  type Prepared,
  type PublishingDeps,
  prepareChange,
} from './publishing.service.ts';
import type { Version } from './versions.contract.ts';
import { currentVersionOf, holdCatalog } from './versions.service.ts';

const toDraft = (row: store.DraftSummary): Draft => ({
  id: row.id,
  revision: row.revision,
  name: row.name,
  baseVersion: row.base_version,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
  author: { secretId: row.author_id, name: row.author_name },
  publishAt: row.publish_at === null ? null : isoTime(row.publish_at),
  rebase: row.rebase === 1,
  announce: row.announce === 1,
  message: row.message,
  failure: row.failure,
  count: row.count,
});

/** A draft with its changes, which are stored as JSON. */
const toText = (row: store.DraftRow): string =>
  `${JSON.stringify(toDraft(row)).slice(0, -1)},"changes":${row.changes}}`;

/** The `ETag` of a draft, from the beginning of its JSON: the whole may be very long. */
export const etagOfDraft = (text: string): string => {
  const [, revision] = /"revision":(\d+)/.exec(text.slice(0, 2 * LIMITS.idLength)) ?? [];
  return `"${revision}"`;
};

const requireRevision = (ifMatch: string | undefined, { revision }: store.DraftSummary): void =>
  requireEtag(ifMatch, 'draft', () => `"${revision}"`);

/** Reads the body of a request, in another thread if it is large. */
export const readGiven = async (
  compute: Compute,
  teamId: string,
  bytes: Uint8Array,
  purpose: 'create' | 'update',
  signal?: AbortSignal,
): Promise<GivenDraft> => {
  const read =
    bytes.length <= LIMITS.inlineBodyBytes
      ? readDraft(Buffer.from(bytes).toString(), purpose)
      : await compute.run(teamId, 'draft', { bytes, purpose }, signal);
  if ('issues' in read) throw invalid(...read.issues);
  return read;
};

export const listDrafts = async (reader: Reader): Promise<Draft[]> => (await store.selectDrafts(reader)).map(toDraft);

/** A draft with its changes, as JSON. */
export const getDraft = async (reader: Reader, id: string): Promise<string> => {
  const row = await store.selectDraft(reader, id);
  if (row === undefined) throw notFound();
  return toText(row);
};

/** The changes of a draft, as JSON; undefined if there is no such draft. */
export const findDraftChanges = async (reader: Reader, id: string): Promise<string | undefined> =>
  (await store.selectDraft(reader, id))?.changes;

const holdDraft = async (tx: Transaction, id: string): Promise<store.DraftRow> => {
  const row = await store.holdDraft(tx, id);
  if (row === undefined) throw notFound();
  return row;
};

const requireExisting = (baseVersion: number, current: number): void => {
  if (baseVersion > current)
    throw invalid({ path: '/body/baseVersion', message: `must not be above the current version, ${current}` });
};

export const createDraft = async (tx: Transaction, context: Context, given: GivenDraft): Promise<string> => {
  // Two at once must not both be the last that is allowed.
  const current = await holdCatalog(tx);
  const { id = newId(), baseVersion = current, name = '', changes = '[]', count = 0 } = given;
  requireExisting(baseVersion, current);
  const present = await store.selectDrafts(tx);
  if (present.some((draft) => draft.id === id)) throw invalid({ path: '/body/id', message: 'is already in use' });
  if (present.length >= LIMITS.draftsPerTeam)
    throw invalid({ path: '/body', message: `a team can have at most ${LIMITS.draftsPerTeam} drafts` });
  const row: store.DraftRow = {
    team_id: context.teamId,
    id,
    revision: 1,
    name,
    base_version: baseVersion,
    changes,
    count,
    created_at: context.nowMs,
    updated_at: context.nowMs,
    author_id: context.author.secretId,
    author_name: context.author.name,
    publish_at: null,
    publisher_id: null,
    publisher_name: null,
    rebase: 0,
    announce: 0,
    message: null,
    failure: null,
  };
  await store.insertDraft(tx, row);
  return toText(row);
};

export const updateDraft = async (
  tx: Transaction,
  { nowMs }: Context,
  id: string,
  given: GivenDraft,
  ifMatch: string | undefined,
): Promise<string> => {
  const row = await holdDraft(tx, id);
  requireRevision(ifMatch, row);
  if (given.baseVersion !== undefined) requireExisting(given.baseVersion, await currentVersionOf(tx));
  const changed: store.DraftRow = {
    ...row,
    revision: row.revision + 1,
    name: given.name ?? row.name,
    base_version: given.baseVersion ?? row.base_version,
    changes: given.changes ?? row.changes,
    count: given.count ?? row.count,
    updated_at: nowMs,
    failure: null,
  };
  await store.updateDraft(tx, changed);
  return toText(changed);
};

export const deleteDraft = async (tx: Transaction, id: string, ifMatch: string | undefined): Promise<void> => {
  requireRevision(ifMatch, await holdDraft(tx, id));
  await store.deleteDraft(tx, id);
};

/** Sets when a draft is to be published, or that it is not. */
const schedule = async (
  tx: Transaction,
  { nowMs, author }: Context,
  row: store.DraftRow,
  { at, message, rebase = false, announce = false }: DraftPublication,
): Promise<Draft> => {
  const publishAt = at == null ? null : Date.parse(at);
  if (publishAt !== null && publishAt <= nowMs) throw invalid({ path: '/body/at', message: 'must be in the future' });
  const changed: store.DraftRow = {
    ...row,
    revision: row.revision + 1,
    publish_at: publishAt,
    publisher_id: publishAt === null ? null : author.secretId,
    publisher_name: publishAt === null ? null : author.name,
    rebase: Number(rebase),
    announce: Number(announce && publishAt !== null),
    message: message ?? null,
    failure: null,
    updated_at: nowMs,
  };
  await store.updateDraft(tx, changed);
  return toDraft(changed);
};

/** The body of a request that would publish the same changes. */
const bodyOf = ({ changes, base_version }: store.DraftRow, rebase: boolean) => ({
  bytes: Buffer.from(`{"changes":${changes},"baseVersion":${base_version}}`),
  ...(rebase && { rebaseFrom: base_version }),
});

/** Publishes a draft and deletes it, in one transaction. What takes long is done before, outside of any. */
const createPublication = (deps: PublishingDeps, context: Pick<Context, 'teamId' | 'nowMs'>, signal?: AbortSignal) => {
  let ready: { readonly revision: number; readonly change: Prepared } | undefined;
  let attempts = 0;
  /** Whether what was prepared must be prepared again: the draft has changed or, if it is rebased, the catalog has. */
  const isOutdated = async (tx: Transaction, { revision }: store.DraftRow, rebase: boolean): Promise<boolean> =>
    ready?.revision !== revision || (rebase && (await holdCatalog(tx)) !== ready.change.base.version);
  return async (
    tx: Transaction,
    row: store.DraftRow,
    { author, rebase, message }: { author: Author; rebase: boolean; message: string | null },
  ): Promise<Version> => {
    if (await isOutdated(tx, row, rebase)) {
      attempts += 1;
      if (attempts > LIMITS.publicationAttempts) throw new ServiceError('SERVICE_UNAVAILABLE');
      return tx.rerunAfter(
        prepareChange(deps, context, bodyOf(row, rebase), signal).then((change) => {
          ready = { revision: row.revision, change };
        }),
      );
    }
    const { change } = ready as NonNullable<typeof ready>;
    const version = await applyChange(tx, { ...context, author }, change, message ?? row.name);
    await store.deleteDraft(tx, row.id);
    return version;
  };
};

/** Publishes a draft now, or sets when. */
export const publishDraft = (
  deps: PublishingDeps,
  context: Context,
  id: string,
  given: DraftPublication | null,
  signal?: AbortSignal,
) => {
  const publish = createPublication(deps, context, signal);
  return async (tx: Transaction): Promise<{ version: Version | null; draft: Draft | null }> => {
    const row = await holdDraft(tx, id);
    if (given?.announce && given.at == null)
      throw invalid({ path: '/body/announce', message: 'is only for drafts that are published at a time' });
    if (given?.at !== undefined) return { version: null, draft: await schedule(tx, context, row, given) };
    const { rebase = false, message = null } = given ?? {};
    return { version: await publish(tx, row, { author: context.author, rebase, message }), draft: null };
  };
};

export interface DueDraft {
  readonly teamId: string;
  readonly id: string;
}

/** The teams that have scheduled drafts, with the time of the first one; the earliest team first. */
export const listScheduled = (reader: Reader): Promise<{ teamId: string; firstAtMs: number }[]> =>
  store.selectScheduled(reader);

/** The drafts of a team that are to be published by now, the earliest first. */
export const listDueDrafts = (reader: Reader, nowMs: number): Promise<string[]> => store.selectDue(reader, nowMs);

/** The draft, if it is still to be published by now: another node may have done so, or it was taken off the schedule. */
const holdDue = async (tx: Transaction, id: string, nowMs: number): Promise<store.DraftRow | undefined> => {
  const row = await store.holdDraft(tx, id);
  return row?.publish_at != null && row.publish_at <= nowMs ? row : undefined;
};

/** Publishes a draft that is due. */
export const publishDueDraft = (deps: PublishingDeps, { teamId, id }: DueDraft, nowMs: number) => {
  const publish = createPublication(deps, { teamId, nowMs });
  return async (tx: Transaction): Promise<void> => {
    const row = await holdDue(tx, id, nowMs);
    if (row === undefined) return;
    const author = { secretId: row.publisher_id, name: row.publisher_name ?? row.author_name };
    await publish(tx, row, { author, rebase: row.rebase === 1, message: row.message });
  };
};

/** Whether a draft cannot be published as it is, however often that is tried. */
export const isRejection = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code !== 'SERVICE_UNAVAILABLE' && error.code !== 'TOO_MANY_REQUESTS';

/** Takes a draft off the schedule, and says why it could not be published. */
export const failDueDraft = async (tx: Transaction, id: string, error: ServiceError, nowMs: number): Promise<void> => {
  const row = await holdDue(tx, id, nowMs);
  if (row === undefined) return;
  const failure = explainRejection(error).slice(0, LIMITS.failureLength);
  const failed: store.DraftRow = {
    ...row,
    revision: row.revision + 1,
    publish_at: null,
    announce: 0,
    failure,
    updated_at: nowMs,
  };
  await store.updateDraft(tx, failed);
  const data = () => JSON.stringify(toDraft(failed));
  tx.record({ type: 'draft.failed', nowMs, requestId: null, subject: `drafts/${id}`, data });
};
