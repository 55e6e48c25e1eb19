import type { Logger } from 'pino';
import type { Database } from '../database/work.ts';
import { ServiceError } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';

/**
 * Notices soon, even without requests, that a newer version has migrated the database. The database refuses everything
 * from then on; what this process does on its own is to be stopped.
 */
export const watchSchema = (
  database: Pick<Database, 'checkSchema'>,
  logger: Logger,
  stopWork: () => Promise<void>,
): { stop(): void } => {
  let isChecking = false;
  const check = async (): Promise<void> => {
    if (isChecking) return;
    isChecking = true;
    try {
      await database.checkSchema();
    } catch (error) {
      // If the database is away, readiness and requests say so.
      const [issue] = error instanceof ServiceError ? error.issues : [];
      if (issue === undefined) return;
      clearInterval(timer);
      logger.error(`this node serves nothing any more: ${issue.message}`);
      await stopWork();
    } finally {
      isChecking = false;
    }
  };
  const timer = setInterval(check, LIMITS.schemaCheckMs).unref();
  return { stop: () => clearInterval(timer) };
};
