/**
 * Writes a PostgreSQL database as SQL, because the server that npm installs comes without `pg_dump`. It knows what the
 * migrations use: sequences, tables, partitions, keys, indexes, storage parameters, functions and triggers.
 */
import type pg from 'pg';

const OWN = 'relnamespace = current_schema()::regnamespace';

const TABLES = `select quote_ident(relname) as name, relkind = 'p' as "isParent", relispartition as "isPartition",
    case when relkind = 'p' then ' partition by ' || pg_get_partkeydef(oid) else '' end
      || coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '') as options,
    (select 'alter table ' || quote_ident(parent.relname) || ' attach partition ' || quote_ident(pg_class.relname) || ' '
        || pg_get_expr(pg_class.relpartbound, pg_class.oid)
      from pg_inherits join pg_class as parent on parent.oid = inhparent where inhrelid = pg_class.oid) as attach
  from pg_class where ${OWN} and relkind in ('r', 'p') order by relname collate "C"`;

const COLUMNS = `select quote_ident(relname) as "table", quote_ident(attname) as name,
    quote_ident(attname) || ' ' || format_type(atttypid, atttypmod)
      || case when attcollation <> typcollation then ' collate ' || quote_ident(collname) else '' end
      || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')
      || case when attnotnull then ' not null' else '' end as definition
  from pg_attribute join pg_class on pg_class.oid = attrelid join pg_type on pg_type.oid = atttypid
    left join pg_collation on pg_collation.oid = attcollation
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where ${OWN} and relkind in ('r', 'p') and attnum > 0 and not attisdropped order by relname collate "C", attnum`;

/** Later servers also list what must not be null, which is part of the columns here. */
const CONSTRAINTS = `select 'alter table ' || quote_ident(relname) || ' add constraint ' || quote_ident(conname) || ' '
    || pg_get_constraintdef(pg_constraint.oid) as statement, contype = 'f' as "isReference", relispartition as "isPartition"
  from pg_constraint join pg_class on pg_class.oid = conrelid
  where ${OWN} and contype in ('p', 'u', 'c', 'f') and not (contype = 'f' and conparentid <> 0)
  order by relname collate "C", conname collate "C"`;

const INDEXES = `select replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as statement,
    relispartition as "isPartition"
  from pg_index join pg_class on pg_class.oid = indrelid
  where ${OWN} and not exists (select 1 from pg_constraint where conindid = indexrelid)
  order by indexrelid::regclass::text collate "C"`;

const SEQUENCES = `select quote_ident(relname) as name, (select quote_ident(tables.relname) || '.' || quote_ident(attname)
      from pg_depend join pg_class as tables on tables.oid = refobjid
      join pg_attribute on attrelid = refobjid and attnum = refobjsubid
      where objid = pg_class.oid and deptype = 'a') as owner
  from pg_class where ${OWN} and relkind = 'S' order by relname collate "C"`;

const FUNCTIONS = `select pg_get_functiondef(oid) as statement from pg_proc
  where pronamespace = current_schema()::regnamespace order by proname collate "C"`;

const TRIGGERS = `select replace(pg_get_triggerdef(pg_trigger.oid), current_schema() || '.', '') as statement
  from pg_trigger join pg_class on pg_class.oid = tgrelid
  where ${OWN} and not tgisinternal and tgparentid = 0 order by relname collate "C", tgname collate "C"`;

interface Sequence {
  readonly name: string;
  /** The column that it belongs to. */
  readonly owner: string | null;
}

interface Table {
  readonly name: string;
  readonly isParent: boolean;
  readonly isPartition: boolean;
  readonly options: string;
  readonly attach: string | null;
}

interface Part {
  readonly statement: string;
  readonly isPartition: boolean;
}

interface Constraint extends Part {
  readonly isReference: boolean;
}

/** All tables in one statement each, and then everything that is added to them once they have rows. */
const describe = async (client: pg.Client) => {
  const { rows: tables } = await client.query<Table>(TABLES);
  const { rows: columns } = await client.query<{ table: string; name: string; definition: string }>(COLUMNS);
  const { rows: constraints } = await client.query<Constraint>(CONSTRAINTS);
  const { rows: indexes } = await client.query<Part>(INDEXES);
  const { rows: sequences } = await client.query<Sequence>(SEQUENCES);
  const { rows: functions } = await client.query<{ statement: string }>(FUNCTIONS);
  const { rows: triggers } = await client.query<{ statement: string }>(TRIGGERS);
  const columnsOf = (name: string) => columns.filter(({ table }) => table === name);
  return {
    tables: tables.map((table) => ({
      ...table,
      columns: columnsOf(table.name).map(({ name }) => name),
      create: `create table ${table.name} (\n  ${columnsOf(table.name)
        .map(({ definition }) => definition)
        .join(',\n  ')}\n)${table.options}`,
    })),
    sequences,
    constraints,
    functions: functions.map(({ statement }) => statement.replace(/ FUNCTION \w+\./, ' FUNCTION ').trimEnd()),
    triggers: triggers.map(({ statement }) => statement),
    indexes: indexes.map((index) => ({ ...index, statement: index.statement.replace(/ ON \w+\./, ' ON ') })),
  };
};

const insertOf = async (client: pg.Client, name: string, columns: readonly string[]): Promise<string[]> => {
  const values = columns.map((column) => `quote_nullable(${column}::text)`).join(` || ', ' || `);
  const { rows } = await client.query<{ row: string }>(`select '(' || ${values} || ')' as row from ${name}`);
  if (rows.length === 0) return [];
  return [`insert into ${name} (${columns.join(', ')}) values\n${rows.map(({ row }) => row).join(',\n')}`];
};

const createSequences = (sequences: readonly Sequence[]): string[] =>
  sequences.map(({ name }) => `create sequence ${name}`);

const ownSequences = (sequences: readonly Sequence[]): string[] =>
  sequences.flatMap(({ name, owner }) => (owner === null ? [] : [`alter sequence ${name} owned by ${owner}`]));

/** The whole database as a script. Partitions are filled and indexed before they are attached, so all keep their names. */
export const dumpPostgres = async (client: pg.Client): Promise<string> => {
  const { sequences, tables, constraints, indexes, functions, triggers } = await describe(client);
  const inserts: string[] = [];
  for (const { name, columns, isParent } of tables)
    if (!isParent) inserts.push(...(await insertOf(client, name, columns)));
  for (const { name } of sequences) {
    const { rows } = await client.query<{ last: string; isCalled: boolean }>(
      `select last_value as last, is_called as "isCalled" from ${name}`,
    );
    for (const { last, isCalled } of rows) inserts.push(`select setval('${name}', ${last}, ${isCalled})`);
  }
  return [
    ...createSequences(sequences),
    ...tables.map(({ create }) => create),
    ...ownSequences(sequences),
    ...inserts,
    ...constraints.filter(({ isReference }) => !isReference).map(({ statement }) => statement),
    ...indexes.map(({ statement }) => statement),
    ...tables.flatMap(({ attach }) => attach ?? []),
    ...constraints.filter(({ isReference }) => isReference).map(({ statement }) => statement),
    ...functions,
    ...triggers,
  ]
    .map((statement) => `${statement};\n`)
    .join('');
};

/** The schema as lines to compare, without partitions, which depend on the week in which the database was created. */
export const postgresSchema = async (client: pg.Client): Promise<string[]> => {
  const { sequences, tables, constraints, indexes, functions, triggers } = await describe(client);
  return [
    ...createSequences(sequences),
    ...ownSequences(sequences),
    ...tables.filter(({ isPartition }) => !isPartition).map(({ create }) => create),
    ...[...constraints, ...indexes].filter(({ isPartition }) => !isPartition).map(({ statement }) => statement),
    ...functions,
    ...triggers,
  ];
};
