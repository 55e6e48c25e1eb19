import { LIMITS } from './limits.ts';
import { takeTurns } from './turns.ts';

/** Serializes rows as a JSON array, in parts: a list may be as long as a catalog, and must not block the event loop. */
export async function* jsonList<Row>(rows: Iterable<Row>): AsyncGenerator<string> {
  let text = '[';
  let separator = '';
  for (const row of rows) {
    text += `${separator}${JSON.stringify(row)}`;
    separator = ',';
    if (text.length < LIMITS.partLength) continue;
    yield text;
    text = '';
    await takeTurns();
  }
  yield `${text}]`;
}
