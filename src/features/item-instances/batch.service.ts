import type { Work } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { conflict, type Issue, invalid, ServiceError, throwIfAny } from '../../shared/errors.ts';
import { compileShape } from '../../shared/shape.ts';
import { type BatchResult, OPERATION_TYPES, OPERATIONS, type Operation } from './batch.contract.ts';
import { type InstanceDeps, type OperationErrors, runOperations, shapeFaults } from './item-instances.service.ts';

const SHAPES = {
  create: compileShape(OPERATIONS.create),
  update: compileShape(OPERATIONS.update),
  move: compileShape(OPERATIONS.move),
  'take-out': compileShape(OPERATIONS['take-out']),
  transfer: compileShape(OPERATIONS.transfer),
  delete: compileShape(OPERATIONS.delete),
};

const isType = (type: unknown): type is Operation['type'] => (OPERATION_TYPES as readonly unknown[]).includes(type);

/** Maps the path of an issue, as the operation reports it on its own, to its path in the batch. */
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
  return faults.length > 0 ? faults : shapeFaults(operation as Operation).map((fault) => inBatch(index, fault));
};

/** Returns the operations if all are valid for their type; otherwise rejects the batch with every issue. */
export const checkOperations = (operations: readonly unknown[]): Operation[] => {
  throwIfAny(operations.flatMap(operationFaults));
  return operations as Operation[];
};

/** In a batch the body refers to things: what does not exist is a 400, and a changed owner is a 409. */
const IN_BATCH: OperationErrors = {
  cause: 'batch',
  unknown: () => invalid({ path: '/body/id', message: 'is not an item instance of this team' }),
  notOwner: () => conflict({ path: '/body/userId', message: 'is not the current owner' }),
};

/** Adds the index of the operation to its error. */
const rethrow = (error: unknown, index: number): never => {
  if (!(error instanceof ServiceError)) throw error;
  throw new ServiceError(
    error.code,
    error.issues.map((issue) => inBatch(index, issue)),
    { cause: error.cause },
  );
};

/** Runs operations in order, all or none. */
export const runBatch = async (
  work: Work,
  context: Context,
  operations: readonly Operation[],
  deps: InstanceDeps,
): Promise<BatchResult> => ({
  results: await runOperations(work, context, operations, { ...deps, errors: IN_BATCH }, rethrow),
});
