import { type Static, Type } from 'typebox';
import { answers, Empty, Id, OneOf, Strict } from '../../http/schemas.ts';
import { LIMITS } from '../../limits.ts';
import { GivenInstance, moveMembers, newItemInstanceMembers, transferMembers } from './item-instances.contract.ts';

const type = <const W extends string>(word: W) => OneOf([word] as const, { description: 'Which operation.' });
const instance = { id: { ...Id, description: 'Which item instance.' } };

export const OPERATION_TYPES = ['create', 'move', 'transfer', 'delete'] as const;

/** The operations of a batch, each with the members that it has alone, and the id that its path has. */
export const OPERATIONS = {
  create: Strict({ type: type('create'), ...newItemInstanceMembers }, { title: 'CreateOperation' }),
  move: Strict({ type: type('move'), ...instance, ...moveMembers }, { title: 'MoveOperation' }),
  transfer: Strict({ type: type('transfer'), ...instance, ...transferMembers }, { title: 'TransferOperation' }),
  delete: Strict({ type: type('delete'), ...instance }, { title: 'DeleteOperation' }),
};
export type Operation = { [T in keyof typeof OPERATIONS]: Static<(typeof OPERATIONS)[T]> }[keyof typeof OPERATIONS];

/** Checked by its type, which a schema of the body alone cannot tell without naming the faults of every type. */
const AnyOperation = Type.Unsafe<unknown>({
  description: 'One operation, with the members that it has alone.',
  'x-any-of': Object.values(OPERATIONS),
});

const Batch = Strict(
  {
    operations: Type.Array(AnyOperation, {
      minItems: 1,
      maxItems: LIMITS.operationsPerBatch,
      description: `1 to ${LIMITS.operationsPerBatch}, done in this order.`,
    }),
  },
  {
    title: 'Batch',
    examples: [
      {
        operations: [
          { type: 'transfer', id: 'sword', userId: 'player-1', toUserId: 'player-2' },
          { type: 'transfer', id: 'shield', userId: 'player-2', toUserId: 'player-1' },
        ],
      },
    ],
  },
);

const BatchResult = Type.Object(
  {
    results: Type.Array(Type.Union([GivenInstance, Empty]), {
      description: 'What each operation answers, in their order; `{}` for a deletion.',
    }),
  },
  { title: 'BatchResult' },
);
export type BatchResult = Static<typeof BatchResult>;

export const runBatch = {
  operationId: 'runItemInstanceBatch',
  summary: 'Create, move, transfer and delete item instances, all or nothing',
  description:
    'In one transaction. The first operation that is refused refuses all of them, and is named by its index in the paths of `issues`. An item instance that does not exist is 400 here, since the body names it; a `userId` that is not the present owner is 409. A trade is two transfers, each naming the present owner.',
  tags: ['Item instances'],
  body: Batch,
  response: answers(BatchResult, 400, 401, 403, 409, 500),
};
