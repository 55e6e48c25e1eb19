import { LIMITS } from './limits.ts';
import { takeTurns } from './turns.ts';

/** Rows as JSON, in parts of a text: for a list that may be as long as a catalog, which nobody should wait for. */
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
