import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import { newId } from '../../shared/ids.ts';
import type { Engine } from '../work.ts';
import { spellingOf } from './spelling.ts';

/** How many rows to read and insert at a time. */
const ROWS = 500;

interface Change {
  readonly kind: string;
  readonly id: string;
  readonly after: string;
}

/** Reads rows of a team in order of their ids, in batches. */
async function* rowsOf<Row extends { readonly id: string }>(
  schema: Kysely<unknown>,
  table: string,
  teamId: string,
): AsyncGenerator<Row[]> {
  for (let lastId = ''; ; ) {
    const { rows } = await sql<Row>`select * from ${sql.table(table)}
      where team_id = ${teamId} and id > ${lastId} order by id limit ${ROWS}`.execute(schema);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS) return;
    lastId = rows.at(-1)?.id as string;
  }
}

interface Positioned {
  readonly position: number;
}

/** The rows of another table that belong to these, in their own order. */
const partsOf = async <Part extends Positioned>(
  schema: Kysely<unknown>,
  table: string,
  column: string,
  teamId: string,
  rows: readonly { readonly id: string }[],
): Promise<Map<string, Part[]>> => {
  const { rows: parts } = await sql<Part>`select * from ${sql.table(table)} where team_id = ${teamId}
    and ${sql.ref(column)} in (${sql.join(rows.map(({ id }) => id))})`.execute(schema);
  parts.sort((a, b) => a.position - b.position);
  return Map.groupBy(parts, (part) => (part as unknown as Record<string, string>)[column] as string);
};

interface AttributeRow {
  readonly id: string;
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly step: number | null;
}
interface ClassifierRow {
  readonly id: string;
  readonly name: string;
}
interface OptionRow extends Positioned {
  readonly id: string;
  readonly name: string;
  readonly drop_rate_multiplier: number | null;
}
interface SpaceRow {
  readonly id: string;
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
}
interface ItemRow {
  readonly id: string;
  readonly name: string;
  readonly thumbnail: string | null;
  readonly roll_numerator: number;
  readonly width: number;
  readonly height: number;
}
interface LinkRow extends Positioned {
  readonly classifier_option_id: string;
}
interface ItemAttributeRow extends Positioned {
  readonly id: string;
  readonly attribute_id: string;
  readonly min: number;
  readonly max: number;
}
interface TemplateRow {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly config: string;
  readonly bindings: string;
}

/** Everything in a team's catalog, as the entities of its first version. */
async function* entitiesOf(schema: Kysely<unknown>, teamId: string): AsyncGenerator<Change[]> {
  const change = (kind: string, { id, ...members }: { readonly id: string }): Change => ({
    kind,
    id,
    after: JSON.stringify({ id, ...members }),
  });
  for await (const rows of rowsOf<AttributeRow>(schema, 'attributes', teamId))
    yield rows.map(({ id, name, min, max, step }) => change('attribute', { id, name, min, max, step } as AttributeRow));
  for await (const rows of rowsOf<ClassifierRow>(schema, 'classifiers', teamId)) {
    const options = await partsOf<OptionRow>(schema, 'classifier_options', 'classifier_id', teamId, rows);
    yield rows.map(({ id, name }) => {
      const classifierOptions = (options.get(id) ?? []).map((option) => ({
        id: option.id,
        name: option.name,
        dropRateMultiplier: option.drop_rate_multiplier,
      }));
      return change('classifier', { id, name, classifierOptions } as ClassifierRow);
    });
  }
  for await (const rows of rowsOf<SpaceRow>(schema, 'spaces', teamId))
    yield rows.map((row) =>
      change('space', { id: row.id, name: row.name, cols: row.cols, rows: row.rows } as SpaceRow),
    );
  for await (const rows of rowsOf<ItemRow>(schema, 'items', teamId)) {
    const links = await partsOf<LinkRow>(schema, 'item_classifiers', 'item_id', teamId, rows);
    const attributes = await partsOf<ItemAttributeRow>(schema, 'item_attributes', 'item_id', teamId, rows);
    yield rows.map(({ id, name, thumbnail, roll_numerator: rollNumerator, width, height }) => {
      const classifierOptionIds = (links.get(id) ?? []).map((link) => link.classifier_option_id);
      const itemAttributes = (attributes.get(id) ?? []).map((attribute) => ({
        id: attribute.id,
        attributeId: attribute.attribute_id,
        min: attribute.min,
        max: attribute.max,
      }));
      const members = { id, name, thumbnail, rollNumerator, width, height, classifierOptionIds, itemAttributes };
      return change('item', members);
    });
  }
  for await (const rows of rowsOf<TemplateRow>(schema, 'templates', teamId))
    yield rows.map(({ id, name, type, config, bindings }) =>
      change('template', { id, name, type, config: JSON.parse(config), bindings: JSON.parse(bindings) } as TemplateRow),
    );
}

/** Makes what a team has now its first version; a team without anything stays at 0. */
const recordFirstVersion = async (schema: Kysely<unknown>, teamId: string, nowMs: number): Promise<void> => {
  let count = 0;
  for await (const changes of entitiesOf(schema, teamId)) {
    const rows = changes.map(({ kind, id, after }) => sql`(${teamId}, 1, ${kind}, ${id}, null, ${after})`);
    await sql`insert into catalog_changes (team_id, version, kind, id, before, after) values ${sql.join(rows)}`.execute(
      schema,
    );
    count += changes.length;
  }
  if (count === 0) return;
  const versionId = newId();
  await sql`insert into catalog_versions
    (team_id, version, id, created_at, author_id, author_name, source, message, changes)
    values (${teamId}, 1, ${versionId}, ${nowMs}, null, 'Itemwright', 'import',
      'The catalog when versions were introduced', ${count})`.execute(schema);
  await sql`update teams set version = 1, catalog_version = ${versionId} where id = ${teamId}`.execute(schema);
};

/**
 * Numbers the versions of each team's catalog, with what changed in each. `catalog_version` becomes the id of the
 * latest one, for templates as well.
 */
export const up = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, byKey } = spellingOf(engine);
  /** On Citus, a new table cannot refer to one that is already distributed. */
  const ofTeam = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
    engine === 'sqlite' ? column.notNull().references('teams.id').onDelete('cascade') : column.notNull();
  await schema.schema
    .alterTable('teams')
    .addColumn('version', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.schema.alterTable('teams').dropColumn('templates_version').execute();
  await schema.schema.alterTable('roll_events').addColumn('catalog_version', 'integer').execute();
  await byKey(
    schema.schema
      .createTable('catalog_versions')
      .addColumn('team_id', id, ofTeam)
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('id', id, (column) => column.notNull())
      .addColumn('created_at', sql`bigint`, (column) => column.notNull())
      .addColumn('author_id', id)
      .addColumn('author_name', 'text', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('message', 'text')
      .addColumn('changes', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('catalog_versions_key', ['team_id', 'version']) as never,
  ).execute();
  await byKey(
    schema.schema
      .createTable('catalog_changes')
      .addColumn('team_id', id, ofTeam)
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('kind', id, (column) => column.notNull())
      .addColumn('id', id, (column) => column.notNull())
      .addColumn('before', 'text')
      .addColumn('after', 'text')
      .addPrimaryKeyConstraint('catalog_changes_key', ['team_id', 'version', 'kind', 'id']) as never,
  ).execute();
  await schema.schema
    .createIndex('catalog_changes_of_entity')
    .on('catalog_changes')
    .columns(['team_id', 'kind', 'id', 'version'])
    .execute();
  const { rows: teams } = await sql<{ id: string }>`select id from teams order by id`.execute(schema);
  const nowMs = Date.now();
  for (const team of teams) await recordFirstVersion(schema, team.id, nowMs);
};
