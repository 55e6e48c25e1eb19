import { readFile } from 'node:fs/promises';

/** The script that distributes the tables over a Citus cluster. */
export const script = await readFile(new URL('../docs/operate/citus.sql', import.meta.url), 'utf8');

/** The tables in a list of the script. */
export const listed = (name: string): string[] => {
  const [, list = ''] = new RegExp(`\\b${name} constant text\\[\\] := array\\[([^\\]]*)\\]`).exec(script) ?? [];
  return [...list.matchAll(/'(\w+)'/g)].map(([, table]) => table as string);
};

export const OF_TEAMS = listed('of_teams');
