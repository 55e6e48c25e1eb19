/**
 * Writes `test/fixtures/releases/VERSION`, for the tests of upgrades: small databases as this version leaves them, and
 * its code.
 */
import { VERSION } from '../src/shared/program.ts';
import { startPostgres } from '../test/postgres.ts';
import { writeRelease } from '../test/releases/release.ts';
import { writeService } from '../test/releases/service.ts';

const server = await startPostgres();
process.env.TEST_POSTGRES_URL = server.url('postgres');
try {
  const bytes = (await writeRelease(VERSION)) + (await writeService(VERSION));
  process.stdout.write(`test/fixtures/releases/${VERSION}: ${bytes} bytes\n`);
} finally {
  await server.stop();
}
