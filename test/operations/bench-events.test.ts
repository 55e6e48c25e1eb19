import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { createTeam } from '../../src/features/teams/teams.service.ts';
import { kill, startApart } from '../faults/game.ts';
import { createMigratedDatabase, ENGINES, startService } from '../harness.ts';

const cpuOf = (pid: string | number): number => {
  try {
    const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(f[11]) + Number(f[12])) * 10;
  } catch {
    return 0;
  }
};
for (const engine of ENGINES)
  test(engine, { timeout: 300000 }, async () => {
    const { url, drop } = await createMigratedDatabase(engine);
    const name = url.split('/').at(-1)!.split('?')[0]!;
    const database = openDatabase(url);
    const teams = [] as { teamId: string; secret: string }[];
    for (let i = 0; i < 2; i += 1)
      teams.push(await database.transaction('', (tx) => createTeam(tx, Date.now(), { name: 'T' })));
    await database.close();
    const node = await startApart(url);
    const agent = new Agent({ keepAlive: true, maxSockets: 32 });
    const { port } = new URL(node.address);
    const call = (t: number, method: string, path: string, body?: object) =>
      new Promise<string>((resolve, reject) => {
        const r = request(
          {
            port,
            method,
            path,
            agent,
            headers: {
              authorization: 'Basic ' + btoa(`${teams[t]!.teamId}:${teams[t]!.secret}`),
              'content-type': 'application/json',
            },
          },
          (res) => {
            let s = '';
            res.on('data', (c) => (s += c));
            res.on('end', () => (res.statusCode === 200 ? resolve(s) : reject(new Error(s))));
          },
        );
        r.on('error', reject);
        r.end(body === undefined ? undefined : JSON.stringify(body));
      });
    for (const t of [0, 1]) {
      for (let i = 0; i < 50; i += 1)
        await call(t, 'POST', '/items', { id: `i${i}`, name: `Item ${i}`, rollNumerator: 1 });
      const itemIds = Array.from({ length: 50 }, (_, i) => `i${i}`);
      await call(t, 'POST', '/templates', { id: 'b', name: 'B', config: { pool: { itemIds } } });
    }
    await call(0, 'PUT', '/team/events', { types: [] });
    const pg = (): string[] =>
      engine === 'sqlite'
        ? []
        : readdirSync('/proc').filter(
            (p) =>
              /^\d+$/.test(p) &&
              (() => {
                try {
                  return readFileSync(`/proc/${p}/cmdline`, 'utf8').includes(name);
                } catch {
                  return false;
                }
              })(),
          );
    const cpu = () => {
      const own = cpuOf(node.running.child.pid!);
      return [own, pg().reduce((s, p) => s + cpuOf(p), 0)] as const;
    };
    for (const grant of [true]) {
      const sums = [
        [0, 0, 0],
        [0, 0, 0],
      ];
      for (let round = 0; round < 11; round += 1)
        for (const t of round % 2 ? [1, 0] : [0, 1]) {
          const b = cpu();
          let n = 0;
          const until = performance.now() + 1200;
          await Promise.all(
            Array.from({ length: 32 }, async (_, c) => {
              while (performance.now() < until) {
                await call(t, 'POST', '/templates/b/roll', {
                  userId: `u${(n * 7 + c) % 500}`,
                  ...(grant && { grant }),
                });
                n += 1;
              }
            }),
          );
          const a = cpu();
          if (round > 0) {
            sums[t]![0] += a[0] - b[0];
            sums[t]![1] += a[1] - b[1];
            sums[t]![2] += n;
          }
        }
      const per = sums.map(([s, p, n]) => [(s! / n!) * 1000, (p! / n!) * 1000].map((x) => x.toFixed(0)));
      const total = sums.map(([s, p, n]) => (s! + p!) / n!);
      console.error(
        engine,
        grant ? 'kept' : 'plain',
        'without',
        per[0],
        'with',
        per[1],
        'us; rolls',
        sums[0]![2],
        sums[1]![2],
        'ratio',
        (total[0]! / total[1]!).toFixed(3),
      );
    }
    kill(node.running);
    await node.running.ended;
    agent.destroy();
    await drop();
  });
