import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';
import { check } from '../../src/cli/check.ts';
import { move } from '../../src/cli/move.ts';
import { openDatabase } from '../../src/database/open.ts';
import type { Engine } from '../../src/database/work.ts';
import { logAll, lookAtAll } from '../chores.ts';
import {
  basic,
  createEmptyDatabase,
  createMigratedDatabase,
  type EmptyDatabase,
  ENGINES,
  startQuietService,
  startService,
} from '../harness.ts';
import { createGame, responsesOf } from '../played.ts';
import { run } from '../processes.ts';

const moveTo = async (databaseUrl: string, to: string, isTerminal = false): Promise<string[]> => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  assert.ok(await move.run({ databaseUrl, argument: undefined, options: { to }, print, isTerminal }));
  return lines;
};

const isEmpty = async (url: string): Promise<boolean> => {
  const database = openDatabase(url);
  try {
    const teams = await database.read('', ({ queries }) => queries.selectFrom('teams').select('id').execute());
    return teams.length === 0;
  } finally {
    await database.close();
  }
};

/** Writes to a database again and again, as somebody whom the move cannot see. */
const writeOnAndOn = (engine: Engine, url: string): (() => Promise<void>) => {
  const rename = `update teams set name = '${'x'.repeat(20)}' || length(name)`;
  let isOver = false;
  const writing = (async () => {
    if (engine === 'sqlite') {
      const file = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 5000 });
      for (let count = 0; !isOver; count += 1, await turn()) file.exec(`${rename} || ${count}`);
      file.close();
    } else {
      const client = new pg.Client({ connectionString: url, application_name: 'psql' });
      await client.connect();
      for (let count = 0; !isOver; count += 1) await client.query(`${rename} || ${count}`);
      await client.end();
    }
  })();
  return () => {
    isOver = true;
    return writing;
  };
};

const movesFrom = (engine: Engine): void => {
  let played: EmptyDatabase;
  let url: string;
  let expected: unknown;
  let authorization: string;
  before(async () => {
    played = await createMigratedDatabase(engine);
    url = played.url;
    const service = await startQuietService(url);
    authorization = basic(service.teamId, service.secret);
    const game = await createGame(service);
    await game.play(6);
    await lookAtAll(service);
    await logAll(service);
    expected = await responsesOf(service);
    await service.stop();
  });
  after(() => played.drop());

  const other = ENGINES.find((one) => one !== engine) as Engine;

  test(`to ${other} and back preserves every row and every response`, async () => {
    const [there, back] = [await createEmptyDatabase(other), await createEmptyDatabase(engine)];
    try {
      const tables = (lines: readonly string[]) => lines.slice(1, -2).map((line) => line.split(/ +/));
      const away = tables(await moveTo(url, there.url));
      const home = tables(await moveTo(there.url, back.url));
      assert.ok(away.some(([name, rows]) => name === 'roll_events' && Number(rows) > 20));
      for (const [name, rows, hash, rowsThere, hashThere] of [...away, ...home])
        assert.deepEqual([rows, hash], [rowsThere, hashThere], name);
      assert.deepEqual(home, away);
      for (const copy of [there, back]) {
        assert.ok(await check.run({ databaseUrl: copy.url, argument: undefined, options: {}, print: () => {} }));
        const moved = await startQuietService(copy.url);
        assert.deepEqual(await responsesOf(moved.anyone(authorization)), expected);
        await moved.stop();
      }
    } finally {
      await there.drop();
      await back.drop();
    }
  });

  test(`to ${other} ends with the new address, to be pasted into a shell; a log gets no password`, async () => {
    for (const isTerminal of [true, false]) {
      const target = await createEmptyDatabase(other);
      try {
        const { host, password } = new URL(target.url);
        // Several servers are one address.
        const to = other === 'sqlite' ? target.url : `${target.url.replace(host, `${host},${host}`)}?connect_timeout=5`;
        const lines = await moveTo(url, to, isTerminal);
        assert.match(lines.at(-2) ?? '', /^moved in [\d.]+ s, all tables match; now start the service with$/);
        const pasted = execFileSync('sh', ['-c', `${lines.at(-1)}; printf %s "$DATABASE_URL"`], { encoding: 'utf8' });
        assert.equal(pasted, isTerminal ? to : to.replace(`:${password}@`, ':***@'));
        assert.equal(password === '', other === 'sqlite');
      } finally {
        await target.drop();
      }
    }
  });

  describe('is rejected', () => {
    test('to a database that is not empty, which does not change', async () => {
      const target = await createEmptyDatabase(other);
      try {
        const running = await startService(target.url);
        await assert.rejects(moveTo(url, target.url), /is not empty: teams has rows/);
        assert.equal((await running.get('/team')).status, 200);
        await running.stop();
      } finally {
        await target.drop();
      }
    });

    test('to itself', async () => {
      await assert.rejects(moveTo(url, url), /--to must differ from DATABASE_URL/);
    });

    test('while a service is running, before anything is copied', async () => {
      const target = await createEmptyDatabase(other);
      const running = await startService(url, {}, undefined, { databaseOptions: { isOwner: true } });
      try {
        const { host, pathname } = new URL(url);
        await assert.rejects(moveTo(url, target.url), {
          message:
            engine === 'sqlite'
              ? `a service is already running on ${url.slice('sqlite:'.length)}`
              : new RegExp(
                  `^nothing was moved: a service or another command is using postgres://${host}${pathname} \\(\\d+ connections?\\); stop it and try again$`,
                ),
        });
        const untouched = openDatabase(target.url);
        assert.equal(await untouched.snapshot((snapshot) => snapshot.schema()), undefined);
        await untouched.close();
      } finally {
        await running.stop();
        await target.drop();
      }
    });

    test('if anyone keeps writing, and leaves nothing behind', async () => {
      const target = await createEmptyDatabase(other);
      const stopWriting = writeOnAndOn(engine, url);
      try {
        const moving = run('src/cli.ts', ['move', '--to', target.url], { DATABASE_URL: url });
        const { code, stderr } = await moving.ended;
        assert.match(stderr, /nothing was moved: .* was written to during the move \(teams\); stop the service/);
        assert.equal(code, 1);
        assert.ok(await isEmpty(target.url));
      } finally {
        await stopWriting();
        await target.drop();
      }
    });

    test('without a source or a target', async () => {
      const empty = await createEmptyDatabase(engine);
      try {
        await assert.rejects(moveTo(empty.url, url), /no (Itemwright )?database/);
        await assert.rejects(moveTo(url, 'mysql://a'), /--to must be sqlite:PATH or postgres/);
        await assert.rejects(moveTo(url, ''), /--to is missing/);
      } finally {
        await empty.drop();
      }
    });
  });
};

for (const engine of ENGINES) describe(`a move from ${engine}`, () => movesFrom(engine));
