import { type Static, Type } from 'typebox';
import { Nullable, OneOf, responses, Strict, Timestamp } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';

const Amount = (description: string) =>
  Type.Number({ description: `${description} At most ${LIMITS.evidence.toLocaleString('en')}.` });

const EvidenceRow = Type.Object(
  {
    kind: OneOf(['tier', 'pity', 'featured', 'item'] as const, {
      description:
        'What was counted: results of a tier; the same, only while a pity counter raises its odds; featured results among those of the top tier that a draw decided; or an item among the results of its tier.',
    }),
    id: Nullable(Type.String(), {
      description:
        'The id of the option that is the tier, or of the item; null for featured results, for the only tier of a template without tiers, and for all items that are too unlikely to be counted one by one.',
    }),
    rolls: Type.Integer({ description: 'How often this could have been the result.' }),
    hits: Type.Integer({ description: 'How often it was the result.' }),
    expected: Type.Number({
      description: 'How often it would have been the result on average, by the odds of each roll.',
    }),
    low: Type.Number({ description: 'The lowest rate that the results do not contradict, with a confidence of 95 %.' }),
    high: Type.Number({ description: 'The highest such rate. The range stays valid however often one looks.' }),
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
    since: { ...Timestamp, description: 'The time from which its rolls count.' },
    rolls: Type.Integer({ description: 'Number of rolled items.' }),
    evidence: Amount(
      'How much more likely the results are if something is wrong: 20 is strong evidence against the odds, 1 or less is none.',
    ),
    greatest: Amount('The greatest evidence so far.'),
    threshold: Type.Number({
      description:
        'The evidence that causes an alarm: 20 times the number of configurations that are watched at the same time. So if none of them has a fault, the chance that any of them ever causes an alarm is at most 5 %.',
    }),
    alarmedAt: Nullable(Timestamp, { description: 'When the evidence first reached the threshold.' }),
    templateEvidence: Amount(
      'The evidence against all configurations that the template ever had, one after another, as of the last look about a minute ago. It grows although each of them lasts for a short time. It causes no alarm.',
    ),
    teamEvidence: Amount('The same, against all configurations of all templates, and of rolls without one.'),
    rows: Type.Array(EvidenceRow, {
      description: `Tiers, featured results, and the items with the most evidence: at most ${LIMITS.evidenceRows.toLocaleString('en')} rows.`,
    }),
  },
  { title: 'Evidence', description: 'The evidence against the odds of one configuration of a template.' },
);
export type Evidence = Static<typeof Evidence>;

export const listEvidence = {
  operationId: 'listEvidence',
  summary: 'List the evidence against the odds',
  description: `Every roll is compared with the odds that applied to it, given the counters of its user. The response says how strongly the results speak against the odds of each configuration that is in force or was rolled on in the last ${LIMITS.evidenceDays} days, from its first roll on, newest first, at most ${LIMITS.listedStreams}. It is computed on request. Seeded offers, and rolls on only some of the items, are not counted.`,
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
