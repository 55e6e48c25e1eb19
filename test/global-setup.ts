import { type Postgres, startPostgres } from './postgres.ts';

/** One PostgreSQL serves the whole run; each test makes a database of its own on it. A server of yours may be given. */
let postgres: Postgres | undefined;

export const globalSetup = async (): Promise<void> => {
  if (process.env.TEST_POSTGRES_URL !== undefined) return;
  postgres = await startPostgres();
  process.env.TEST_POSTGRES_URL = postgres.url('postgres');
};

export const globalTeardown = async (): Promise<void> => {
  await postgres?.stop();
};
