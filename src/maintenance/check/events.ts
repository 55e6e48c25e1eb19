import * as store from './queries.ts';
import { type Check, forEachRow } from './rows.ts';

const isList = (text: string): boolean => {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
};

/** The feeds: each has one row per position, up to the last one. Returns the number of rows. */
export const checkEvents: Check = async (snapshot, report) => {
  const last = new Map<string, { readonly position: number; readonly id: string }>();
  const rows = await forEachRow(snapshot, store.selectEvents(snapshot.queries), ({ team_id, position, id, events }) => {
    const before = last.get(team_id);
    if (before?.position === position) report(team_id, `two rows of events have position ${position}`);
    if (!isList(events)) report(team_id, `the events ${id} cannot be read`);
    last.set(team_id, { position: Number(position), id });
  });
  await forEachRow(snapshot, store.selectFeeds(snapshot.queries), ({ team_id, position, last_id }) => {
    const found = last.get(team_id);
    // Without any, all have been removed.
    if (found !== undefined && (found.position !== Number(position) || found.id !== last_id))
      report(team_id, `the feed of events ends at position ${position}, but there are events up to ${found.position}`);
    last.delete(team_id);
  });
  for (const teamId of last.keys()) report(teamId, 'there are events, but no feed');
  return rows;
};
