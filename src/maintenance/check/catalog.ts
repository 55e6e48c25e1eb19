import { readerOn } from '../../database/snapshot-reader.ts';
import type { Snapshot } from '../../database/work.ts';
import { presentEntities } from '../../features/compiled-catalog/entity-rows.service.ts';
import { digestOf } from '../../shared/digest.ts';
import * as store from './queries.ts';

type Report = (finding: string) => void;

const keyOf = ({ kind, id }: { readonly kind: string; readonly id: string }): string => `${kind} ${id}`;

/** Follows the changes of all versions; returns what they leave: a digest per entity, since texts may be long. */
const followChanges = async (
  snapshot: Snapshot,
  teamId: string,
  report: Report,
): Promise<{ left: Map<string, string>; changes: Map<number, number> }> => {
  const left = new Map<string, string>();
  const changes = new Map<number, number>();
  for await (const rows of snapshot.stream(store.selectCatalogChanges(snapshot.queries, teamId)))
    for (const { version, before, after, ...entity } of rows) {
      const key = keyOf(entity);
      if ((before === null ? undefined : digestOf(before)) !== left.get(key))
        report(`version ${version} of the catalog changed ${key} from something else than the version before it left`);
      if (after === null) left.delete(key);
      else left.set(key, digestOf(after));
      changes.set(version, (changes.get(version) ?? 0) + 1);
    }
  return { left, changes };
};

/** Versions are numbered without gaps, and each has as many changes as it says. */
const checkVersions = async (
  snapshot: Snapshot,
  team: store.CatalogTeam,
  changes: ReadonlyMap<number, number>,
  report: Report,
): Promise<void> => {
  let last = { version: 0, id: '' };
  const unknown = new Set(changes.keys());
  for await (const rows of snapshot.stream(store.selectCatalogVersions(snapshot.queries, team.id)))
    for (const row of rows) {
      if (row.version !== last.version + 1)
        report(`the catalog has version ${row.version} where version ${last.version + 1} should be`);
      const found = changes.get(row.version) ?? 0;
      if (found !== row.changes)
        report(`version ${row.version} of the catalog has ${found} changes, but says ${row.changes}`);
      unknown.delete(row.version);
      last = row;
    }
  for (const version of unknown) report(`the catalog has changes of version ${version}, which does not exist`);
  if (last.version !== team.version)
    report(`the catalog is at version ${team.version}, but its last version is ${last.version}`);
  else if (last.version > 0 && last.id !== team.catalog_version)
    report(`the catalog is at version ${team.version}, but with the id of another`);
};

/** Compares a catalog with its history, and returns the number of its entities. */
export const checkCatalog = async (snapshot: Snapshot, team: store.CatalogTeam, report: Report): Promise<number> => {
  const { left, changes } = await followChanges(snapshot, team.id, report);
  await checkVersions(snapshot, team, changes, report);
  let entities = 0;
  for await (const { text, ...entity } of presentEntities(readerOn(snapshot, team.id))) {
    entities += 1;
    const key = keyOf(entity);
    const recorded = left.get(key);
    if (recorded === undefined) report(`${key} is in the catalog, but in no version of it`);
    else if (recorded !== digestOf(text)) report(`${key} is not as the last version that changed it left it`);
    left.delete(key);
  }
  for (const key of left.keys()) report(`${key} is missing from the catalog, though no version deleted it`);
  return entities;
};
