import { type Logger, pino } from 'pino';
import { lookAtEvidence, noteVersions } from '../src/chores.ts';
import { createCompute } from '../src/compute/compute.ts';
import { createWholeCatalogs } from '../src/features/catalog/document.service.ts';
import { teamsToNote } from '../src/features/snapshots/noting.service.ts';
import type { Service } from './harness.ts';

type Running = Pick<Service, 'database'>;

/** Its threads do not keep the process alive. */
const compute = createCompute();

/** Notes what was configured at all versions, without waiting for the service to do it. */
export const noteAll = async ({ database }: Running): Promise<void> => {
  while ((await database.read('', teamsToNote)).length > 0)
    await noteVersions({ database, compute, readWhole: createWholeCatalogs(), clock: Date.now }, () => true);
};

interface LookOptions {
  readonly clock?: () => number;
  readonly logger?: Logger;
  readonly alarmed?: () => void;
}

/** Notes everything, adds up all rolls and looks at the evidence against all odds, as the service does once a minute. */
export const lookAtAll = async (
  service: Running,
  { clock = Date.now, logger = pino({ level: 'silent' }), alarmed }: LookOptions = {},
): Promise<void> => {
  await noteAll(service);
  await lookAtEvidence({ database: service.database, compute, clock, logger, alarmed }, () => true);
};
