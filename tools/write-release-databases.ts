/** Writes `test/fixtures/releases/VERSION`: small databases as this version leaves them, for the tests of upgrades. */
import { VERSION } from '../src/program.ts';
import { startPostgres } from '../test/postgres.ts';
import { writeRelease } from '../test/releases/release.ts';

const server = await startPostgres();
process.env.TEST_POSTGRES_URL = server.url('postgres');
try {
  const bytes = await writeRelease(VERSION);
  process.stdout.write(`test/fixtures/releases/${VERSION}: ${bytes} bytes\n`);
} finally {
  await server.stop();
}
