import { type Static, Type } from 'typebox';
import { Nullable, OneOf, responses, Strict, Timestamp } from '../../http/schemas.ts';
import { LIMITS } from '../../limits.ts';

const Amount = (description: string) =>
  Type.Number({ description: `${description} At most ${LIMITS.evidence.toLocaleString('en')}.` });

const EvidenceRow = Type.Object(
  {
    kind: OneOf(['tier', 'pity', 'featured', 'item'] as const, {
      description:
        'What was counted: results of a tier, the same while a counter raises its odds, featured ones among the top results that a draw decided, or an item among those of its tier.',
    }),
    id: Nullable(Type.String(), {
      description:
        'The option of the tier, or the item; null for featured results, for the only tier of a template without tiers, and for all items that are too unlikely to be told apart.',
    }),
    rolls: Type.Integer({ description: 'How often it could have been the result.' }),
    hits: Type.Integer({ description: 'How often it was.' }),
    expected: Type.Number({ description: 'How often it would have been on average, by the odds of each roll.' }),
    low: Type.Number({ description: 'The lowest rate that the results do not contradict, with 95 %.' }),
    high: Type.Number({ description: 'The highest one. The range is right at all times, however often one looks.' }),
    evidence: Amount('The evidence of this row alone.'),
  },
  { title: 'EvidenceRow' },
);
export type EvidenceRow = Static<typeof EvidenceRow>;

const Evidence = Type.Object(
  {
    templateId: Nullable(Type.String(), { description: 'The template; null for rolls without one.' }),
    config: Type.String({
      description: 'The hash of the configuration that was rolled on, as in the history of its odds.',
      examples: ['b2849b2da61e346930ab44ee5958cf8dff36cd7c4688587f18eed5ef9b7b798b'],
    }),
    since: { ...Timestamp, description: 'From when on its rolls count.' },
    rolls: Type.Integer({ description: 'Number of rolled items.' }),
    evidence: Amount(
      'How much more likely the results are if something is wrong: 20 is strong evidence against the odds, 1 or less is none.',
    ),
    greatest: Amount('The greatest evidence there ever was.'),
    threshold: Type.Number({
      description:
        'The evidence that causes an alarm: 20 for each configuration that is watched at a time, so that configurations without faults that are watched together ever cause one with a chance of 5 % at most.',
    }),
    alarmedAt: Nullable(Timestamp, { description: 'When the evidence first reached the threshold.' }),
    rows: Type.Array(EvidenceRow, {
      description: `Tiers, featured results and items; of the items, those with the most evidence, so that there are at most ${LIMITS.evidenceRows.toLocaleString('en')} rows.`,
    }),
  },
  { title: 'Evidence', description: 'The evidence against the odds of one configuration of a template.' },
);
export type Evidence = Static<typeof Evidence>;

export const listEvidence = {
  operationId: 'listEvidence',
  summary: 'List the evidence against the odds',
  description: `Every roll is compared with the odds that it had, given the counters of its user. For each configuration that is in force or was rolled on in the last ${LIMITS.evidenceDays} days, newest first, at most ${LIMITS.listedStreams}: how strongly the results speak against its odds. Computed when asked for. Seeded offers, and rolls on a part of all items, are not counted.`,
  tags: ['Statistics'],
  querystring: Strict({
    templateId: Type.Optional(
      Type.String({
        maxLength: LIMITS.idLength,
        description: 'Only rolls on this template; if empty, only rolls without one.',
      }),
    ),
  }),
  response: responses('The evidence, by configuration.', Type.Array(Evidence), 400, 401, 403, 500),
};
