import { type Identity, type Snapshots, snapshotsOf } from '../../catalog/snapshots.ts';
import type { Finder } from '../../database/work.ts';
import { itemText, type SnapshotCatalog } from '../../engine/fairness/snapshots.ts';
import type { CompiledItem } from '../../engine/pool/catalog.ts';
import { allAtOnce, type Steps } from '../../engine/steps.ts';
import type { CompiledTemplate, TemplateSource } from '../../engine/systems/templates.ts';
import { invalid } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { inTurns } from '../../shared/turns.ts';
import type { TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';

/** A template that may be verifiable. */
export interface Identifiable {
  readonly team: TeamCatalog;
  template(): CompiledTemplate;
  source(): TemplateSource;
}

/** A template, or the plain roll of a team. */
export type Subject = Identifiable | TeamCatalog;

const teamOf = (subject: Subject): TeamCatalog => ('team' in subject ? subject.team : subject);

const snapshotSteps = (subject: Subject, catalog: SnapshotCatalog): Steps<Snapshots | null> =>
  snapshotsOf(catalog, 'team' in subject ? { template: subject.template(), source: subject.source() } : null);

/** The same catalog, in which the text of each item is made once. */
const sharingTexts = ({ catalog, rollNumeratorOf }: TeamCatalog): SnapshotCatalog => {
  const texts = new Map<number, string>();
  const textOf = (item: CompiledItem): string => {
    const known = texts.get(item.place);
    if (known !== undefined) return known;
    const text = itemText(item, rollNumeratorOf(item));
    texts.set(item.place, text);
    return text;
  };
  return { catalog, rollNumeratorOf, textOf };
};

/** Who a template, or the plain roll, is to a verifier: computed once, and kept as long as what it was made of. */
export interface Identities {
  /** Throws if the pool is too large. */
  of(finder: Finder, subject: Subject): Identity;
  isKnown(subject: Subject): boolean;
  /** Computes those of several subjects of a team, which is faster than one by one. */
  prepare(team: TeamCatalog, subjects: readonly Subject[]): Promise<void>;
  /** The texts, made again: they may be long, so they are not kept. */
  snapshotsOf(subject: Subject): Promise<Snapshots | null>;
}

const tooLarge = () =>
  invalid({
    path: '/template',
    message: `has a pool whose snapshot would be longer than ${LIMITS.snapshotLength} characters, so its rolls cannot be verified`,
  });

export const createIdentities = (): Identities => {
  const known = new WeakMap<Subject, Identity | null>();
  const preparing = new WeakMap<TeamCatalog, Promise<void>>();
  const keep = (subject: Subject, made: Snapshots | null): void => {
    known.set(subject, made && { config: made.config, pool: made.pool });
  };

  const prepareAll = async (team: TeamCatalog, subjects: readonly Subject[]): Promise<void> => {
    const catalog = sharingTexts(team);
    for (const subject of subjects)
      if (!known.has(subject)) keep(subject, await inTurns(snapshotSteps(subject, catalog)));
  };
  /** Whoever comes while others are computed waits for them, and then asks again. */
  const prepare: Identities['prepare'] = (team, subjects) => {
    let promise = preparing.get(team);
    if (promise === undefined) {
      promise = prepareAll(team, subjects).finally(() => preparing.delete(team));
      preparing.set(team, promise);
    }
    return promise;
  };

  return {
    prepare,
    isKnown: (subject) => known.has(subject),
    snapshotsOf: (subject) => inTurns(snapshotSteps(subject, teamOf(subject))),
    of: (finder, subject) => {
      const team = teamOf(subject);
      if (!known.has(subject)) {
        if (team.catalog.items.length > LIMITS.inlineItems) return finder.rerunAfter(prepare(team, [subject]));
        keep(subject, allAtOnce(snapshotSteps(subject, team)));
      }
      const identity = known.get(subject);
      if (identity === undefined || identity === null) throw tooLarge();
      return identity;
    },
  };
};
