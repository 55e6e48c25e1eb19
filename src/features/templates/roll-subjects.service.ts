import type { DraftedInput, DraftSubject } from '../../catalog/drafted.ts';
import type { Compute } from '../../compute/compute.ts';
import type { TemplateSnapshot } from '../../compute/drafted.ts';
import { type RollPlan, requestFaults } from '../../compute/roll-plans.ts';
import type { Finder, Read } from '../../database/work.ts';
import { templatePoolText } from '../../engine/fairness/snapshots.ts';
import type { Steps } from '../../engine/steps.ts';
import type { TemplateConfig, TemplateType } from '../../engine/systems/config.ts';
import type { CompiledTemplate, TemplateSource } from '../../engine/systems/templates.ts';
import { type Issue, invalid, ServiceError, throwIfAny } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { type SharedText, shareText } from '../../shared/shared-text.ts';
import { inTurns } from '../../shared/turns.ts';
import type { ReadWhole } from '../catalog/document.service.ts';
import { findDraftChanges } from '../catalog/drafts.service.ts';
import type { TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import type { ReadyTemplates } from './compiled-templates.service.ts';
import type { ConfigChecks } from './config-checks.service.ts';

/** What a request is about: a template or a configuration, live or as a draft makes it. */
export interface SubjectRequest {
  readonly templateId?: string;
  readonly type?: TemplateType;
  readonly config?: Record<string, unknown>;
  readonly draftId?: string;
}

export interface SubjectDeps {
  readonly readyTemplates: ReadyTemplates;
  readonly checkConfig: ConfigChecks;
  readonly compute: Compute;
  readonly readWhole: ReadWhole;
}

/** A template that compiles on the live catalog. */
export interface LiveSubject {
  readonly team: TeamCatalog;
  readonly template: CompiledTemplate;
  readonly source: TemplateSource;
}

/** Either a template or a configuration must be named, not both. */
export const subjectOf = ({ templateId, type, config }: SubjectRequest): DraftSubject => {
  if (templateId !== undefined) {
    const surplus = Object.entries({ type, config }).filter(([, member]) => member !== undefined);
    throwIfAny(surplus.map(([name]) => ({ path: `/body/${name}`, message: 'must not be given with templateId' })));
    return { templateId };
  }
  if (config === undefined) throw invalid({ path: '/body/templateId', message: 'is required without config' });
  return { type: type ?? 'gacha', config };
};

const findSaved = async (finder: Finder, id: string, { readyTemplates }: SubjectDeps): Promise<LiveSubject> => {
  try {
    const ready = await readyTemplates(finder, id);
    return { team: ready.team, template: ready.template(), source: ready.source() };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND')
      throw invalid({ path: '/body/templateId', message: 'is not a template of this team' });
    throw error;
  }
};

export const findLive = async (finder: Finder, subject: DraftSubject, deps: SubjectDeps): Promise<LiveSubject> => {
  if ('templateId' in subject) return findSaved(finder, subject.templateId, deps);
  const { type, config } = subject;
  const { team, bindings, template } = await deps.checkConfig(finder, { type, config });
  return { team, template, source: { id: '', type, config: config as TemplateConfig, bindings } };
};

const resultOf = <T extends object>(result: T | { readonly issues: readonly Issue[] }): T => {
  if ('issues' in result) throw invalid(...result.issues);
  return result;
};

/** What a worker needs to lay a draft over the live catalog. */
const readDrafted = (read: Read, teamId: string, draftId: string, subject: DraftSubject, { readWhole }: SubjectDeps) =>
  read(teamId, async (reader): Promise<DraftedInput> => {
    const changes = await findDraftChanges(reader, draftId);
    if (changes === undefined) throw invalid({ path: '/body/draftId', message: 'is not a draft of this team' });
    const { chunks } = await readWhole(reader);
    return { base: chunks, changes: shareText(changes), subject };
  });

/** The odds of a subject as a draft makes it: members of a JSON object, as bytes. */
export const oddsInDraft = async (
  read: Read,
  teamId: string,
  { draftId, depth, subject }: { readonly draftId: string; readonly depth?: number; readonly subject: DraftSubject },
  deps: SubjectDeps,
  signal: AbortSignal,
): Promise<SharedText> => {
  const drafted = await readDrafted(read, teamId, draftId, subject, deps);
  return resultOf(await deps.compute.run(teamId, 'draftedOdds', { ...drafted, depth }, signal));
};

function* poolOf({ team, template, source }: LiveSubject): Steps<SharedText[] | null> {
  const parts = yield* templatePoolText(team, template, source, LIMITS.simulationPoolLength);
  if (parts === null) return null;
  const pool: SharedText[] = [];
  for (const part of parts) {
    pool.push(shareText(part));
    yield;
  }
  return pool;
}

const liveSnapshot = async (live: LiveSubject): Promise<TemplateSnapshot> => {
  const pool = await inTurns(poolOf(live));
  if (pool === null) throw invalid({ path: '/body', message: 'has a pool that is too large: have fewer items in it' });
  const { id: templateId, type, config, bindings } = live.source;
  return { template: { templateId, type, config, bindings }, pool };
};

/**
 * All that a worker needs to roll on a subject, once the request has turned out to be possible. A large pool is not kept
 * in memory while others have their turn: it is made when it is asked for.
 */
export const snapshotFor = async (
  read: Read,
  teamId: string,
  { draftId, ...request }: SubjectRequest,
  plan: RollPlan,
  deps: SubjectDeps,
  signal: AbortSignal,
): Promise<() => Promise<TemplateSnapshot>> => {
  const subject = subjectOf(request);
  if (draftId === undefined) {
    const live = await read(teamId, (reader) => findLive(reader, subject, deps));
    throwIfAny(requestFaults(live.template, plan));
    return () => liveSnapshot(live);
  }
  const drafted = await readDrafted(read, teamId, draftId, subject, deps);
  const snapshot = resultOf(await deps.compute.run(teamId, 'draftedSnapshot', { ...drafted, plan }, signal));
  return async () => snapshot;
};
