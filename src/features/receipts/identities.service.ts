import type { Finder } from '../../database/work.ts';
import { digestOf } from '../../digest.ts';
import { configText, type PoolText, plainPoolText, templatePoolText } from '../../engine/fairness/snapshots.ts';
import { allAtOnce, type Steps } from '../../engine/steps.ts';
import type { CompiledTemplate, TemplateSource } from '../../engine/systems/templates.ts';
import { invalid } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { inTurns } from '../../turns.ts';
import type { TeamCatalog } from '../catalog/catalog.service.ts';

/** The hashes of everything that decides a roll. */
export interface Identity {
  readonly config: string;
  readonly pool: string;
}

/** An identity, with the texts that have these hashes. */
export interface Snapshots extends Identity {
  readonly configText: string;
  readonly poolText: string;
}

/** A template that may be verifiable. */
export interface Identifiable {
  readonly team: TeamCatalog;
  template(): CompiledTemplate;
  source(): TemplateSource;
}

const snapshotsOf = (pool: PoolText, source: Parameters<typeof configText>[0]): Snapshots | null => {
  if (pool === null) return null;
  const poolText = pool.join('');
  const poolHash = digestOf(poolText);
  const text = configText({ ...source, pool: poolHash });
  return { pool: poolHash, poolText, config: digestOf(text), configText: text };
};

function* templateSnapshots({ team, template, source }: Identifiable): Steps<Snapshots | null> {
  const { id: templateId, type, config, bindings } = source();
  const pool = yield* templatePoolText(team, template(), { config, bindings }, LIMITS.snapshotLength);
  yield;
  return snapshotsOf(pool, { templateId, type, config, bindings, pool: '' });
}

function* plainSnapshots(team: TeamCatalog): Steps<Snapshots | null> {
  const pool = yield* plainPoolText(team, LIMITS.snapshotLength);
  yield;
  return snapshotsOf(pool, { templateId: '', type: 'plain', config: {}, bindings: {}, pool: '' });
}

/** Who a template, or the plain roll, is to a verifier: computed once, and kept as long as what it was made of. */
export interface Identities {
  /** Throws if the pool is too large. */
  ofTemplate(finder: Finder, ready: Identifiable): Identity;
  ofPlain(finder: Finder, team: TeamCatalog): Identity;
  /** The texts, made again: they may be long, so they are not kept. */
  snapshotsOfTemplate(ready: Identifiable): Promise<Snapshots | null>;
  snapshotsOfPlain(team: TeamCatalog): Promise<Snapshots | null>;
}

const tooLarge = () =>
  invalid({
    path: '/template',
    message: `has a pool whose snapshot would be longer than ${LIMITS.snapshotLength} characters, so its rolls cannot be verified`,
  });

export const createIdentities = (): Identities => {
  const known = new WeakMap<object, Identity | null>();
  const making = new WeakMap<object, Promise<void>>();

  const identityOf = (
    finder: Finder,
    key: object,
    team: TeamCatalog,
    make: () => Steps<Snapshots | null>,
  ): Identity => {
    const keep = (made: Snapshots | null): void => {
      known.set(key, made && { config: made.config, pool: made.pool });
    };
    if (!known.has(key)) {
      if (team.catalog.items.length > LIMITS.inlineItems) {
        const promise = making.get(key) ?? inTurns(make()).then(keep);
        making.set(key, promise);
        return finder.rerunAfter(promise);
      }
      keep(allAtOnce(make()));
    }
    const identity = known.get(key);
    if (identity === undefined || identity === null) throw tooLarge();
    return identity;
  };

  return {
    ofTemplate: (finder, ready) => identityOf(finder, ready, ready.team, () => templateSnapshots(ready)),
    ofPlain: (finder, team) => identityOf(finder, team, team, () => plainSnapshots(team)),
    snapshotsOfTemplate: (ready) => inTurns(templateSnapshots(ready)),
    snapshotsOfPlain: (team) => inTurns(plainSnapshots(team)),
  };
};
