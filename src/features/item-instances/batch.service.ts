import type { Context } from '../../context.ts';
import type { Transaction } from '../../database/database.ts';
import { conflict, type Issue, invalid, refuseAny, ServiceError } from '../../errors.ts';
import { compileShape } from '../../shape.ts';
import { userSpacesOfInstances } from '../placements/placements.service.ts';
import { holdUserSpaces, userSpacesOf } from '../spaces/spaces.service.ts';
import { type BatchResult, OPERATION_TYPES, OPERATIONS, type Operation } from './batch.contract.ts';
import {
  createItemInstance,
  creationFaults,
  deleteItemInstance,
  type Manner,
  moveItemInstance,
  transferFaults,
  transferItemInstance,
  type Workshop,
} from './item-instances.service.ts';
import * as store from './item-instances.store.ts';

const SHAPES = {
  create: compileShape(OPERATIONS.create),
  move: compileShape(OPERATIONS.move),
  transfer: compileShape(OPERATIONS.transfer),
  delete: compileShape(OPERATIONS.delete),
};

const isType = (type: unknown): type is Operation['type'] => (OPERATION_TYPES as readonly unknown[]).includes(type);

/** An operation's own path, as a fault of the same operation alone has it, in the batch. */
const inBatch = (index: number, { path, message }: Issue): Issue => ({
  path: path === '/path/id' ? `/body/operations/${index}/id` : path.replace(/^\/body/, `/body/operations/${index}`),
  message,
});

const operationFaults = (operation: unknown, index: number): Issue[] => {
  const path = `/body/operations/${index}`;
  if (typeof operation !== 'object' || operation === null || Array.isArray(operation))
    return [{ path, message: 'must be object' }];
  const { type } = operation as { type?: unknown };
  if (type === undefined) return [{ path: `${path}/type`, message: 'is required' }];
  if (!isType(type)) return [{ path: `${path}/type`, message: `must be one of ${OPERATION_TYPES.join(', ')}` }];
  const faults = SHAPES[type](operation, path);
  if (faults.length > 0) return faults;
  const known = operation as Operation;
  if (known.type === 'create') return creationFaults(known).map((fault) => inBatch(index, fault));
  if (known.type === 'transfer') return transferFaults(known).map((fault) => inBatch(index, fault));
  return [];
};

/** The operations, if all of them have the shape that their type asks for; else a refusal with every fault. */
export const checkOperations = (operations: readonly unknown[]): Operation[] => {
  refuseAny(operations.flatMap(operationFaults));
  return operations as Operation[];
};

/**
 * Holds everything that the operations name before the first of them begins, in the order in which everybody holds
 * things; one by one they would hold an instance after the user space of another.
 */
const holdAll = async (tx: Transaction, context: Context, operations: readonly Operation[]): Promise<void> => {
  const ids = operations.flatMap((operation) => (operation.type === 'create' ? [] : [operation.id]));
  const rows = await store.holdInstances(tx, context.teamId, ids);
  const itemIds = operations.flatMap((operation) => (operation.type === 'create' ? [operation.itemId] : []));
  await store.shareFootprints(tx, context.teamId, [...itemIds, ...rows.map((row) => row.item_id)]);
  const userSpaceIds = await userSpacesOfInstances(tx, context, ids);
  for (const operation of operations) {
    if (operation.type === 'transfer') userSpaceIds.push(operation.toUserSpaceId ?? '');
    if (operation.type === 'create' || operation.type === 'move') userSpaceIds.push(operation.userSpaceId ?? '');
    if (operation.type === 'move' && operation.spaceId !== undefined && operation.userSpaceId === undefined) {
      const found = await userSpacesOf(tx, context, operation.userId, operation.spaceId);
      userSpaceIds.push(...found.map(({ id }) => id));
    }
  }
  await holdUserSpaces(
    tx,
    context,
    userSpaceIds.filter((id) => id !== ''),
  );
};

/** In a batch it is the body that names things: what is not there is 400, and an owner who has changed is 409. */
const IN_BATCH: Manner = {
  cause: 'batch',
  unknown: () => invalid({ path: '/body/id', message: 'is no item instance of this team' }),
  notOwner: () => conflict({ path: '/body/userId', message: 'is not the owner' }),
};

type Result = BatchResult['results'][number];

const run = async (tx: Transaction, context: Context, operation: Operation, workshop: Workshop): Promise<Result> => {
  switch (operation.type) {
    case 'create':
      return createItemInstance(tx, context, operation, workshop, IN_BATCH);
    case 'move':
      return moveItemInstance(tx, context, operation.id, operation, IN_BATCH);
    case 'transfer':
      return transferItemInstance(tx, context, operation.id, operation, IN_BATCH);
    case 'delete':
      await deleteItemInstance(tx, context, operation.id, IN_BATCH);
      return {};
  }
};

/** Runs operations in their order, all of them or none. */
export const runBatch = async (
  tx: Transaction,
  context: Context,
  operations: readonly Operation[],
  workshop: Workshop,
): Promise<BatchResult> => {
  await holdAll(tx, context, operations);
  const results: Result[] = [];
  for (const [index, operation] of operations.entries()) {
    try {
      results.push(await run(tx, context, operation, workshop));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw new ServiceError(
        error.code,
        error.issues.map((issue) => inBatch(index, issue)),
        { cause: error.cause },
      );
    }
  }
  return { results };
};
