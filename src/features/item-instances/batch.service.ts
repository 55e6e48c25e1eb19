import type { Context } from '../../context.ts';
import type { Work } from '../../database/work.ts';
import { conflict, type Issue, invalid, ServiceError, throwIfAny } from '../../errors.ts';
import { compileShape } from '../../shape.ts';
import { type BatchResult, OPERATION_TYPES, OPERATIONS, type Operation } from './batch.contract.ts';
import { carryOutAll, type Manner, shapeFaults, type Workshop } from './item-instances.service.ts';

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
  return faults.length > 0 ? faults : shapeFaults(operation as Operation).map((fault) => inBatch(index, fault));
};

/** The operations, if all of them have the shape that their type asks for; else a refusal with every fault. */
export const checkOperations = (operations: readonly unknown[]): Operation[] => {
  throwIfAny(operations.flatMap(operationFaults));
  return operations as Operation[];
};

/** In a batch it is the body that names things: what is not there is 400, and an owner who has changed is 409. */
const IN_BATCH: Manner = {
  cause: 'batch',
  unknown: () => invalid({ path: '/body/id', message: 'is not an item instance of this team' }),
  notOwner: () => conflict({ path: '/body/userId', message: 'is not the current owner' }),
};

/** A refusal names the operation that it came from. */
const refuse = (error: unknown, index: number): never => {
  if (!(error instanceof ServiceError)) throw error;
  throw new ServiceError(
    error.code,
    error.issues.map((issue) => inBatch(index, issue)),
    { cause: error.cause },
  );
};

/** Runs operations in their order, all of them or none. */
export const runBatch = async (
  work: Work,
  context: Context,
  operations: readonly Operation[],
  workshop: Workshop,
): Promise<BatchResult> => ({
  results: await carryOutAll(work, context, operations, { ...workshop, manner: IN_BATCH }, refuse),
});
