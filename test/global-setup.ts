import { type Postgres, startPostgres } from './postgres.ts';

/**
 * One PostgreSQL server for the whole run; each test creates its own database on it. You can provide your own server.
 */
let postgres: Postgres | undefined;

export const globalSetup = async (): Promise<void> => {
  if (process.env.TEST_POSTGRES_URL !== undefined) return;
  postgres = await startPostgres();
  process.env.TEST_POSTGRES_URL = postgres.url('postgres');
};

export const globalTeardown = async (): Promise<void> => {
  await postgres?.stop();
};
