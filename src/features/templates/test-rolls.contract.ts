import { type Static, Type } from 'typebox';
import { Id, responses, Strict } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { subjectMembers } from './subjects.contract.ts';
import { Depth, TierId } from './template-rolls.contract.ts';

const Seed = Type.String({ minLength: 1, maxLength: LIMITS.nameLength });

const TestRollsRequest = Strict(
  {
    ...subjectMembers,
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.rollsPerCall,
        description: 'Number of consecutive rolls (packs, offers) of one new player; 1 by default.',
      }),
    ),
    depth: Type.Optional(Depth),
    seed: Type.Optional({ ...Seed, description: 'Any text: the same request with the same seed has the same rolls.' }),
  },
  { title: 'TestRollsRequest', examples: [{ templateId: 'standard-banner', count: 10 }] },
);
export type TestRollsRequest = Static<typeof TestRollsRequest>;

const TestRolls = Type.Object(
  {
    seed: { ...Seed, description: 'The given seed, or a random one.' },
    rolls: Type.Array(
      Type.Object(
        {
          itemId: Id,
          itemName: Type.String(),
          tier: TierId,
          pity: Type.Boolean({ description: 'Whether the tier was due because of a pity threshold.' }),
          featured: Type.Boolean({ description: 'Whether the item is a featured one.' }),
          values: Type.Array(Type.Object({ attributeId: Id, value: Type.Number() }), {
            description: 'The attribute values that were rolled.',
          }),
        },
        { title: 'TestRoll' },
      ),
      { description: 'Grouped by pack or offer, in order.' },
    ),
  },
  { title: 'TestRolls' },
);

export const rollForTest = {
  operationId: 'rollForTest',
  summary: 'Roll without recording it',
  description:
    'Lets one new player, whose counters begin at 0, roll on a template, or on a configuration that is not saved, live or as a draft makes it. Nothing is given, counted or recorded. An idle template rolls without waiting, and times are ignored. 429 if the team has too many computations in progress; 503 if the time limit was reached.',
  tags: ['Templates'],
  body: TestRollsRequest,
  response: responses('What was rolled.', TestRolls, 400, 401, 403, 500),
};
