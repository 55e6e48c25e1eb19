import { type Static, Type } from 'typebox';
import { Empty, Id, OneOf, responses, Strict } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import {
  InstanceResult,
  moveMembers,
  newItemInstanceMembers,
  takeOutMembers,
  transferMembers,
  updateMembers,
} from './item-instances.contract.ts';

const type = <const W extends string>(word: W) => OneOf([word] as const, { description: 'The operation.' });
const instance = { id: { ...Id, description: 'Which item instance.' } };

export const OPERATION_TYPES = ['create', 'update', 'move', 'take-out', 'transfer', 'delete'] as const;

/**
 * The operations of a batch, each with the members that it has on its own plus the id that is otherwise in the path.
 */
export const OPERATIONS = {
  create: Strict({ type: type('create'), ...newItemInstanceMembers }, { title: 'CreateOperation' }),
  update: Strict({ type: type('update'), ...instance, ...updateMembers }, { title: 'UpdateOperation' }),
  move: Strict({ type: type('move'), ...instance, ...moveMembers }, { title: 'MoveOperation' }),
  'take-out': Strict({ type: type('take-out'), ...instance, ...takeOutMembers }, { title: 'TakeOutOperation' }),
  transfer: Strict({ type: type('transfer'), ...instance, ...transferMembers }, { title: 'TransferOperation' }),
  delete: Strict({ type: type('delete'), ...instance }, { title: 'DeleteOperation' }),
};
export type Operation = { [T in keyof typeof OPERATIONS]: Static<(typeof OPERATIONS)[T]> }[keyof typeof OPERATIONS];

/** Validated by type in the service: a schema of the whole body would report the errors of every type. */
const AnyOperation = Type.Unsafe<unknown>({
  description: 'An operation, with the same members as the endpoint of that operation.',
  'x-any-of': Object.values(OPERATIONS),
});

const Batch = Strict(
  {
    operations: Type.Array(AnyOperation, {
      minItems: 1,
      maxItems: LIMITS.operationsPerBatch,
      description: `1 to ${LIMITS.operationsPerBatch} operations, run in this order.`,
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
    results: Type.Array(Type.Union([InstanceResult, Empty]), {
      description: 'The result of each operation, in order; `{}` for a deletion.',
    }),
  },
  { title: 'BatchResult' },
);
export type BatchResult = Static<typeof BatchResult>;

export const runBatch = {
  operationId: 'runItemInstanceBatch',
  'x-reason': true,
  summary: 'Create, change, move, take out, transfer and delete item instances, all or nothing',
  description:
    'Runs in one transaction. The first operation that fails undoes all of them; the paths of the issues contain its index. An item instance that does not exist is a 400 here, because the body refers to it; a `userId` that is not the current owner is a 409. A trade is two transfers, each with its current owner.',
  tags: ['Item instances'],
  body: Batch,
  response: responses('The result of each operation, in order.', BatchResult, 400, 401, 403, 409, 500),
};
