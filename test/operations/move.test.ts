import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { check } from '../../src/cli/check.ts';
import { move } from '../../src/cli/move.ts';
import { openDatabase } from '../../src/database/open.ts';
import { logAll, lookAtAll } from '../chores.ts';
import {
  basic,
  createEmptyDatabase,
  ENGINES,
  onEveryQuietDatabase,
  startQuietService,
  startService,
} from '../harness.ts';
import { createGame, responsesOf } from '../played.ts';
import { run } from '../processes.ts';

const moveTo = async (databaseUrl: string, to: string): Promise<string[]> => {
  const lines: string[] = [];
  const call = { databaseUrl, argument: undefined, options: { to }, print: (line: string) => void lines.push(line) };
  assert.ok(await move.run(call));
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

onEveryQuietDatabase('a move', (service, engine) => {
  before(async () => {
    const game = await createGame(service());
    await game.play(6);
    await lookAtAll(service());
    await logAll(service());
  });

  const other = ENGINES.find((one) => one !== engine) as (typeof ENGINES)[number];

  test(`to ${other} and back preserves every row and every response`, async () => {
    const expected = await responsesOf(service());
    const [there, back] = [await createEmptyDatabase(other), await createEmptyDatabase(engine)];
    try {
      const tables = (lines: readonly string[]) => lines.slice(1, -1).map((line) => line.split(/ +/));
      const away = tables(await moveTo(service().databaseUrl, there.url));
      const home = tables(await moveTo(there.url, back.url));
      assert.ok(away.some(([name, rows]) => name === 'roll_events' && Number(rows) > 20));
      for (const [name, rows, hash, rowsThere, hashThere] of [...away, ...home])
        assert.deepEqual([rows, hash], [rowsThere, hashThere], name);
      assert.deepEqual(home, away);
      for (const { url } of [there, back]) {
        assert.ok(await check.run({ databaseUrl: url, argument: undefined, options: {}, print: () => {} }));
        const moved = await startQuietService(url);
        const asBefore = moved.anyone(basic(service().teamId, service().secret));
        assert.deepEqual(await responsesOf(asBefore), expected);
        await moved.stop();
      }
    } finally {
      await there.drop();
      await back.drop();
    }
  });

  if (other === 'postgres')
    test('to a database on any of several servers names them, without the password', async () => {
      const target = await createEmptyDatabase(other);
      try {
        const { host, pathname } = new URL(target.url);
        const to = `${target.url.replace(host, `${host},${host}`)}?connect_timeout=5`;
        const lines = await moveTo(service().databaseUrl, to);
        assert.ok(lines.at(-1)?.endsWith(`DATABASE_URL=postgres://${host},${host}${pathname}`), lines.at(-1));
      } finally {
        await target.drop();
      }
    });

  describe('is rejected', () => {
    test('to a database that is not empty, which does not change', async () => {
      const target = await createEmptyDatabase(other);
      try {
        const running = await startService(target.url);
        await assert.rejects(moveTo(service().databaseUrl, target.url), /is not empty: teams has rows/);
        assert.equal((await running.get('/team')).status, 200);
        await running.stop();
      } finally {
        await target.drop();
      }
    });

    test('to itself', async () => {
      await assert.rejects(moveTo(service().databaseUrl, service().databaseUrl), /--to must differ from DATABASE_URL/);
    });

    test('if the service keeps writing, and leaves nothing behind', async () => {
      const target = await createEmptyDatabase(other);
      let isOver = false;
      const writing = (async () => {
        while (!isOver) assert.equal((await service().post('/items/roll', {})).status, 200);
      })();
      try {
        const moving = run('src/cli.ts', ['move', '--to', target.url], { DATABASE_URL: service().databaseUrl });
        const { code, stderr } = await moving.ended;
        assert.match(
          stderr,
          /nothing was moved: .* was written to during the move \(.*roll_events.*\); stop the service/,
        );
        assert.equal(code, 1);
        assert.ok(await isEmpty(target.url));
      } finally {
        isOver = true;
        await writing;
        await target.drop();
      }
    });

    test('without a source or a target', async () => {
      const empty = await createEmptyDatabase(engine);
      try {
        await assert.rejects(moveTo(empty.url, service().databaseUrl), /no (Itemwright )?database/);
        await assert.rejects(moveTo(service().databaseUrl, 'mysql://a'), /--to must be sqlite:PATH or postgres/);
        await assert.rejects(moveTo(service().databaseUrl, ''), /--to is missing/);
      } finally {
        await empty.drop();
      }
    });
  });
});
