import { type Identity, PLAIN, type Snapshots, snapshotsOf } from '../../catalog/snapshots.ts';
import type { Finder } from '../../database/work.ts';
import { itemText, type SnapshotCatalog } from '../../engine/fairness/snapshots.ts';
import type { CompiledItem } from '../../engine/pool/catalog.ts';
import { allAtOnce, type Steps } from '../../engine/steps.ts';
import type { CompiledTemplate, TemplateSource } from '../../engine/systems/templates.ts';
import { invalid } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { createQueues, inTurns } from '../../shared/turns.ts';
import type { TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';

/** A template that may be verifiable. */
export interface Identifiable {
  readonly id: string;
  readonly team: TeamCatalog;
  template(): CompiledTemplate;
  source(): TemplateSource;
}

/** A template, or the plain roll of a team. */
export type Subject = Identifiable | TeamCatalog;

export const teamOf = (subject: Subject): TeamCatalog => ('team' in subject ? subject.team : subject);

/** The template, if any, as receipts name it. */
export const templateIdOf = (subject: Subject): string => ('team' in subject ? subject.id : PLAIN);

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

/** Who a template, or the plain roll, is to a verifier: computed once, and kept with the catalog. */
export interface Identities {
  /** Throws if the pool is too large. */
  of(finder: Finder, subject: Subject): Identity;
  /** Computes those of several subjects of a team, which is faster than one by one. */
  prepare(finder: Finder, team: TeamCatalog, subjects: readonly Subject[]): void;
  /** The texts, made again: they may be long, so they are not kept. */
  snapshotsOf(subject: Subject): Promise<Snapshots | null>;
}

const tooLarge = () =>
  invalid({
    path: '/template',
    message: `has a pool whose snapshot would be longer than ${LIMITS.snapshotLength} characters, so its rolls cannot be verified`,
  });

const withoutTexts = (made: Snapshots | null): Identity | null => made && { config: made.config, pool: made.pool };

export const createIdentities = (): Identities => {
  // One at a time for each team, since the texts may be long.
  const inTurn = createQueues();
  return {
    snapshotsOf: (subject) => inTurns(snapshotSteps(subject, teamOf(subject))),
    of: (finder, subject) => {
      const team = teamOf(subject);
      const identity = team.prepared(finder, 'identity', templateIdOf(subject), () =>
        team.catalog.items.length <= LIMITS.inlineItems
          ? withoutTexts(allAtOnce(snapshotSteps(subject, team)))
          : inTurn(finder.teamId, async () => withoutTexts(await inTurns(snapshotSteps(subject, team)))),
      );
      if (identity === null) throw tooLarge();
      return identity;
    },
    prepare: (finder, team, subjects) => {
      const isUnknown = (subject: Subject): boolean => team.kept('identity', templateIdOf(subject)) === undefined;
      const unknown = subjects.filter(isUnknown);
      if (unknown.length < 2) return;
      team.prepared(finder, 'identities', JSON.stringify(unknown.map(templateIdOf)), () =>
        inTurn(finder.teamId, async () => {
          const catalog = sharingTexts(team);
          for (const subject of unknown.filter(isUnknown)) {
            const made = withoutTexts(await inTurns(snapshotSteps(subject, catalog)));
            team.kept('identity', templateIdOf(subject), () => made);
          }
        }),
      );
    },
  };
};
