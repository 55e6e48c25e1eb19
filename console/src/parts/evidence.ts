import type { Schemas } from '../interface/client.ts';

export type Stream = Schemas['Evidence'];

/** Less is nothing to talk about: a sound configuration reaches it with a chance of 10 % in its whole life. */
const WORTH_SAYING = 10;
/** The service reports no more. */
const MOST = 1e12;

const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 0, roundingMode: 'floor' });
const compact = new Intl.NumberFormat('en', {
  notation: 'compact',
  compactDisplay: 'long',
  maximumSignificantDigits: 3,
  roundingMode: 'floor',
});

/** Evidence as a ratio: 1 : 24. Rounded down, so that it never seems to have reached what it has not. */
export const formatRatio = (evidence: number): string => {
  if (evidence >= MOST) return `1 : more than ${compact.format(MOST)}`;
  return `1 : ${evidence < 1e6 ? exact.format(Math.max(1, evidence)) : compact.format(evidence)}`;
};

export type Verdict = 'none' | 'some' | 'alarm';

/** What to tell about a configuration. An alarm stays one, whatever comes out later. */
export const verdictOf = ({ evidence, threshold, alarmedAt }: Stream): Verdict => {
  if (alarmedAt !== null || evidence >= threshold) return 'alarm';
  return evidence >= WORTH_SAYING ? 'some' : 'none';
};

export const isWorthSaying = (evidence: number): boolean => evidence >= WORTH_SAYING;

/** The verdict in words. Of an alarm, the greatest evidence is told: it may be less by now. */
export const verdictWords = (stream: Stream): string => {
  switch (verdictOf(stream)) {
    case 'none':
      return 'No evidence against the published odds';
    case 'some':
      return `Evidence ${formatRatio(stream.evidence)} against`;
    case 'alarm':
      return `Evidence ${formatRatio(stream.greatest)} against`;
  }
};
