import { evidenceWords, isWorthSaying } from '../../../src/engine/evidence/words.ts';
import type { Schemas } from '../api/client.ts';

export type Stream = Schemas['Evidence'];

export type Verdict = 'none' | 'some' | 'alarm';

/** What to tell about a configuration. An alarm stays one, whatever comes out later. */
export const verdictOf = ({ evidence, threshold, alarmedAt }: Stream): Verdict => {
  if (alarmedAt !== null || evidence >= threshold) return 'alarm';
  return isWorthSaying(evidence) ? 'some' : 'none';
};

/** The verdict in words. Of an alarm, the greatest evidence is told: it may be less by now. */
export const verdictWords = (stream: Stream): string =>
  evidenceWords(verdictOf(stream) === 'alarm' ? stream.greatest : stream.evidence);

/** What rolls were made on: a template, or all items. */
export const sourceName = (templateId: string | null, templates: readonly Schemas['Template'][]): string => {
  if (templateId === null) return 'Plain rolls';
  return templates.find(({ id }) => id === templateId)?.name ?? `${templateId} (deleted)`;
};
