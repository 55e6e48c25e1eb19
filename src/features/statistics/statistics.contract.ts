import { type Static, Type } from 'typebox';
import { responses, Strict } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';

const day = (description: string) => Type.String({ format: 'date', description, examples: ['2026-11-14'] });

const Filter = Strict({
  from: Type.Optional(day('First day of the period, in UTC.')),
  to: Type.Optional(day('Last day of the period, in UTC.')),
  templateId: Type.Optional(Type.String({ maxLength: LIMITS.idLength, description: 'Only rolls on this template.' })),
});
export type StatisticsFilter = Static<typeof Filter>;

const RollStatistics = Type.Object(
  {
    totalRolls: Type.Integer({ description: 'Number of rolled items.' }),
    uniqueItems: Type.Integer({ description: 'Number of distinct items that were rolled.' }),
    rollsByTemplate: Type.Record(Type.String(), Type.Integer(), {
      description: 'Template id → number of rolls. Rolls without a template are in `totalRolls` only.',
    }),
    rollsByDay: Type.Array(Type.Object({ date: Type.String({ examples: ['2026-11-14'] }), count: Type.Integer() }), {
      description: 'Days with rolls, in UTC, ascending.',
    }),
  },
  { title: 'RollStatistics' },
);
export type RollStatistics = Static<typeof RollStatistics>;

const DropRate = Type.Object(
  {
    itemId: Type.String(),
    itemName: Type.String({ description: 'For a deleted item, its last name.' }),
    dropCount: Type.Integer(),
    dropRate: Type.Number({ description: 'Share of all selected rolls, from 0 to 1.' }),
  },
  { title: 'DropRate' },
);
export type DropRate = Static<typeof DropRate>;

const tags = ['Statistics'];

export const getStatistics = {
  operationId: 'getRollStatistics',
  summary: 'Get totals of rolls',
  description: 'How many items were rolled in a period, per template and per day in UTC.',
  tags,
  querystring: Filter,
  response: responses('The totals.', RollStatistics, 400, 401, 403, 404, 500),
};

export const listDropRates = {
  operationId: 'listDropRates',
  summary: 'List how often each item dropped',
  description:
    'Every item that was rolled in a period, most frequent first, to compare with the promised odds. Not paged.',
  tags,
  querystring: Filter,
  response: responses('The drops of every item that was rolled.', Type.Array(DropRate), 400, 401, 403, 404, 500),
};
