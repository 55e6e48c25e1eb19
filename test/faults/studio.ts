import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../../src/database/open.ts';
import { createTeam } from '../../src/features/teams/teams.service.ts';
import { basic } from '../harness.ts';
import { cheapDraws } from '../statistics.ts';
import { verified } from '../verified.ts';
import type { Scene } from './scene.ts';
import { watchStolenTime } from './stolen.ts';

/**
 * What happens beside the game, in teams of its own: designers who change odds and publish large changes, now or at a
 * time; simulations; players of a verifiable template whose odds change; and the public, which reads the odds.
 */

const MOST_RSS_MIB = 700;
/** Items that designers change, and items of each draft. */
const ITEMS = { small: 4, large: 1000 };
const DRAFT_ITEMS = { small: 3, large: 300 };
/** Drafts at a time: each has items of its own, since what was changed in the meantime cannot be published. */
const SLOTS = 12;
const RESPONSE_MS = 60_000;
const CLOCK_STEP_MS = 250;
const BANNER = 'banner';

export const newStudioFigures = () => ({
  changes: 0,
  publications: 0,
  drafts: 0,
  simulations: 0,
  publicReads: 0,
  verifiableRolls: 0,
  comparisons: 0,
  unanswered: 0,
  latestMs: 0,
  latestAfterFaultsMs: 0,
  rssMib: 0,
});
export type StudioFigures = ReturnType<typeof newStudioFigures>;
/** Of these, the greatest counts; all others are added up. */
const MAXIMA: ReadonlySet<string> = new Set(['latestMs', 'latestAfterFaultsMs', 'rssMib']);

interface Team {
  readonly name: keyof typeof ITEMS;
  readonly teamId: string;
  readonly secret: string;
  /** What was published or scheduled, by the message of its version. */
  readonly acknowledged: Set<string>;
  readonly unsure: Set<string>;
  /** Scheduled drafts, by their message, with the moment at which they are due. */
  readonly pending: Map<string, number>;
  /** The drafts that there may be, by slot. */
  readonly slots: (string | undefined)[];
  /** The one that is being made. */
  scheduling: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what is expected of a response is asserted.
  readonly body: any;
}

/** Moments of `performance.now()` between which faults happened, or something was not back yet. */
type Span = { readonly fromMs: number; untilMs: number };

/** How much of a span was not disturbed, and how many faults there were in it. */
const undisturbed = (fromMs: number, untilMs: number, faults: readonly Span[]): { ms: number; times: number } => {
  const within = faults.filter((fault) => fault.untilMs > fromMs && fault.fromMs < untilMs);
  const disturbedMs = within.reduce(
    (sum, fault) => sum + Math.min(untilMs, fault.untilMs) - Math.max(fromMs, fault.fromMs),
    0,
  );
  return { ms: untilMs - fromMs - disturbedMs, times: within.length };
};

const rssMibOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
};

/**
 * Drafts may be late by `mostLateMs`, beyond the time in which faults happened or the machine was not given any, and by as
 * much again for each fault: what had been begun is lost with a process or a connection, and begins anew.
 */
export const createStudio = (scene: Scene, { seed, mostLateMs }: { seed: number; mostLateMs: number }) => {
  const figures = newStudioFigures();
  const draws = cheapDraws(seed);
  const choose = (below: number): number => Math.floor(draws() * below);
  const faults: Span[] = [];
  const stolen = watchStolenTime();
  const teams: Team[] = [];
  const simulated = new Map<string, string>();
  const working: Promise<void>[] = [];
  let failure: { readonly error: unknown } | undefined;
  let isOver = false;
  let asked = 0;
  let made = 0;

  const ask = async (team: Team | undefined, method: string, path: string, body?: object): Promise<Answer | null> => {
    const addresses = scene.addresses();
    asked += 1;
    try {
      const response = await fetch(`${addresses[asked % addresses.length]}${path}`, {
        method,
        headers: {
          ...(team && { authorization: basic(team.teamId, team.secret) }),
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(RESPONSE_MS),
      });
      const text = await response.text();
      // What is refused for lack of a database or a place is as good as unanswered.
      if (response.status === 503 || response.status === 429) throw new Error(text);
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      return { status: response.status, text, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    } catch {
      figures.unanswered += 1;
      return null;
    }
  };

  /** Asks until there is an answer. */
  const must = async (team: Team | undefined, method: string, path: string, body?: object): Promise<Answer> => {
    const giveUpAtMs = performance.now() + 2 * RESPONSE_MS;
    for (;;) {
      const answer = await ask(team, method, path, body);
      if (answer !== null) return answer;
      assert.ok(performance.now() < giveUpAtMs, `${method} ${path} got no answer`);
      await pause(100);
    }
  };

  const succeed = async (team: Team, method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await must(team, method, path, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
    return answer;
  };

  const versionOf = async (team: Team): Promise<number> =>
    Number((await must(team, 'GET', '/catalog/versions?limit=1')).body[0].version);

  const itemOf = (index: number, id = `item-${index}`) => {
    const optionId = index === 0 ? 'rare' : 'common';
    return { id, name: id, rollNumerator: 1 + choose(1000), classifierOptionIds: [optionId] };
  };
  const changesOf = ({ name }: Team) =>
    Array.from({ length: ITEMS[name] }, (_, index) => {
      const after = itemOf(index);
      return { kind: 'item', id: after.id, after };
    });

  const draftChangesOf = ({ name }: Team, slot: number) =>
    Array.from({ length: DRAFT_ITEMS[name] }, (_, index) => {
      const after = itemOf(1 + index, `slot-${slot}-${index}`);
      return { kind: 'item', id: after.id, after };
    });

  /** The odds that anyone reads must be those that rolls use, unless these change in between. */
  const compareOdds = async (team: Team): Promise<void> => {
    const read = async () => {
      const own = await ask(team, 'GET', `/templates/${BANNER}/odds`);
      return own?.status === 200 ? own : null;
    };
    const before = await read();
    const shown = await ask(undefined, 'GET', `/public/${team.teamId}/templates/${BANNER}/odds`);
    const after = await read();
    if (before === null || shown === null || after === null || before.text !== after.text) return;
    assert.equal(shown.status, 200, `public odds: ${shown.text}`);
    const { templateId, tiers, items } = shown.body;
    const { curve, ...own } = after.body;
    assert.deepEqual({ templateId, tiers, items }, own, 'public odds differ from those that rolls use');
    figures.comparisons += 1;
  };

  const changeOdds = async (team: Team): Promise<void> => {
    const { id, rollNumerator } = itemOf(choose(ITEMS[team.name]));
    const changed = await ask(team, 'PUT', `/items/${id}`, { rollNumerator });
    if (changed === null) return;
    assert.equal(changed.status, 200, changed.text);
    figures.changes += 1;
    await compareOdds(team);
  };

  const publish = async (team: Team): Promise<void> => {
    made += 1;
    const message = `publication-${made}`;
    const body = { changes: changesOf(team), baseVersion: await versionOf(team), message };
    const published = await ask(team, 'POST', '/catalog/publish', body);
    if (published === null) team.unsure.add(message);
    // Something else was published in the meantime.
    else if (published.status === 409) return;
    else {
      assert.equal(published.status, 200, published.text);
      team.acknowledged.add(message);
      figures.publications += 1;
      await compareOdds(team);
    }
  };

  const schedule = async (team: Team): Promise<void> => {
    const slot = team.slots.indexOf(undefined);
    if (slot === -1) return;
    made += 1;
    const message = `draft-${made}`;
    team.slots[slot] = message;
    team.scheduling = message;
    const body = { name: message, changes: draftChangesOf(team, slot) };
    const drafted = await ask(team, 'POST', '/catalog/drafts', body);
    if (drafted === null) return;
    assert.equal(drafted.status, 200, drafted.text);
    const [jumps, afterMs] = [scene.clockJumps(), 2000 + choose(4000)];
    const at = new Date(scene.nowMs() + afterMs).toISOString();
    const dueAtMs = performance.now() + afterMs;
    const scheduled = await ask(team, 'POST', `/catalog/drafts/${drafted.body.id}/publish`, {
      ...{ at, message, rebase: true },
    });
    if (scheduled === null) {
      team.unsure.add(message);
      return;
    }
    // It took longer than that, or a clock jumped.
    if (scheduled.status === 400) return;
    assert.equal(scheduled.status, 200, scheduled.text);
    team.acknowledged.add(message);
    if (jumps === scene.clockJumps()) team.pending.set(message, dueAtMs);
  };

  /** Deletes drafts that were never scheduled, or that a jump of the clock made due days later. */
  const tidyUp = async (
    team: Team,
    settled: ReadonlySet<string | undefined>,
    waiting: ReadonlyMap<string, { readonly id: string }>,
  ): Promise<void> => {
    for (const [slot, message] of team.slots.entries()) {
      if (message === undefined || !settled.has(message)) continue;
      const id = waiting.get(message)?.id;
      if (id !== undefined) {
        if (team.acknowledged.delete(message)) team.unsure.add(message);
        if ((await ask(team, 'DELETE', `/catalog/drafts/${id}`)) === null) continue;
      }
      team.slots[slot] = undefined;
    }
  };

  /** Notices which drafts were published, and how late. */
  const watchDrafts = async (team: Team): Promise<void> => {
    const jumps = scene.clockJumps();
    // The list says nothing about drafts that are created or scheduled while it is read.
    const settled = new Set(
      team.slots.filter(
        (message) => message !== undefined && message !== team.scheduling && !team.pending.has(message),
      ),
    );
    const listed = await ask(team, 'GET', '/catalog/drafts');
    if (listed === null) return;
    const nowMs = performance.now();
    stolen.look();
    const waiting = new Map<string, { id: string; publishAt: string | null; failure: string | null }>(
      listed.body.map((draft: { name: string }) => [draft.name, draft]),
    );
    for (const [message, dueAtMs] of team.pending) {
      const draft = waiting.get(message);
      const { ms, times } = undisturbed(dueAtMs, nowMs, faults);
      const lateMs = ms - stolen.sinceMs(dueAtMs);
      if (jumps !== scene.clockJumps()) return;
      assert.ok(draft?.failure == null, `${message} could not be published: ${draft?.failure}`);
      if (draft === undefined) {
        figures.drafts += 1;
        const latest = times === 0 ? 'latestMs' : 'latestAfterFaultsMs';
        figures[latest] = Math.max(figures[latest], lateMs);
        team.pending.delete(message);
      }
      assert.ok(
        lateMs <= (1 + times) * mostLateMs,
        `${message} of the ${team.name} team is late by ${Math.round(lateMs)} ms, after ${times} faults`,
      );
    }
    await tidyUp(team, settled, waiting);
  };

  const simulate = async (team: Team): Promise<void> => {
    const seedText = `seed-${choose(3)}`;
    const body = { templateId: BANNER, players: 500, rolls: 20, seed: seedText };
    const answer = await ask(team, 'POST', '/templates/simulate', body);
    if (answer === null) return;
    assert.equal(answer.status, 200, answer.text);
    const key = `${answer.body.config} ${seedText}`;
    assert.equal(answer.text, simulated.get(key) ?? answer.text, 'the same simulation has another result');
    if (simulated.size > 500) simulated.clear();
    simulated.set(key, answer.text);
    figures.simulations += 1;
  };

  const etags = new Map<string, string>();
  const readPublic = async (team: Team): Promise<void> => {
    const rest = ['', '/odds', '/history'][choose(3)] as string;
    const path = `/public/${team.teamId}/templates/${BANNER}${rest}`;
    const answer = await ask(undefined, 'GET', path);
    if (answer === null) return;
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    const etag = answer.headers.get('etag') as string;
    const key = `${path} ${etag}`;
    assert.equal(answer.text, etags.get(key) ?? answer.text, 'the same ETag for another text');
    if (etags.size > 20) etags.clear();
    etags.set(key, answer.text);
    figures.publicReads += 1;
  };

  /** Rolls on a template whose odds change all the time, and rotates whenever that is necessary. */
  const rollVerifiably = async (team: Team): Promise<void> => {
    const path = '/users/player/fairness';
    const configOf = async (): Promise<string | undefined> =>
      (await ask(undefined, 'GET', `/public/${team.teamId}/templates/${BANNER}/odds`))?.body.config;
    const roll = () => ask(team, 'POST', `/templates/${BANNER}/roll`, { userId: 'player', count: 1 + choose(5) });
    let before = await configOf();
    let rolled = await roll();
    if (rolled?.status === 409) {
      const player = await ask(team, 'POST', path, {});
      if (player === null) return;
      const rotation = {
        clientSeed: `seed-${asked}`,
        commitment: player.body.nextCommitment,
        manifest: player.body.nextManifest,
      };
      await ask(team, 'POST', `${path}/rotate`, rotation);
      before = await configOf();
      rolled = await roll();
    }
    // The odds may have changed again.
    if (rolled === null || rolled.status === 409) return;
    assert.equal(rolled.status, 200, rolled.text);
    figures.verifiableRolls += 1;
    const { epoch } = rolled.body.fairness;
    const receipts = await ask(team, 'GET', `/users/player/receipts?epoch=${epoch}&limit=1000`);
    if (receipts?.status !== 200) return;
    const used = receipts.body.find(({ hash }: { hash: string }) => hash === rolled.body.fairness.receipt);
    if (before === undefined || used === undefined || (await configOf()) !== before) return;
    assert.equal(used.receipt.config, before, 'a roll used another configuration than is public');
    figures.comparisons += 1;
  };

  const watchMemory = async (): Promise<void> => {
    for (const pid of scene.pids()) {
      const mib = await rssMibOf(pid);
      figures.rssMib = Math.max(figures.rssMib, mib);
      assert.ok(mib < MOST_RSS_MIB, `a process of the service has ${Math.round(mib)} MiB`);
    }
  };

  /** Does something again and again until it is over, or anything fails. */
  const keepDoing = (work: () => Promise<void>, everyMs: number): void => {
    const go = async (): Promise<void> => {
      while (!isOver && failure === undefined) {
        await work();
        await pause(everyMs / 2 + choose(everyMs));
      }
    };
    working.push(
      go().catch((error: unknown) => {
        failure ??= { error };
      }),
    );
  };

  const rethrow = (): void => {
    if (failure !== undefined) throw failure.error;
  };

  const prepareTeam = async (name: keyof typeof ITEMS): Promise<void> => {
    const database = openDatabase(scene.databaseUrl());
    const created = await database
      .transaction('', (tx) => createTeam(tx, Date.now(), { name }))
      .finally(() => database.close());
    const team: Team = {
      ...{ name, ...created, acknowledged: new Set(), unsure: new Set(), pending: new Map() },
      ...{ slots: Array.from({ length: SLOTS }, () => undefined), scheduling: undefined },
    };
    const classifierOptions = ['rare', 'common'].map((id) => ({ id, name: id }));
    const changes = [
      { kind: 'classifier', id: 'rarity', after: { id: 'rarity', name: 'Rarity', classifierOptions } },
      ...changesOf(team),
      {
        kind: 'template',
        id: BANNER,
        after: {
          ...{ id: BANNER, name: 'Banner', type: 'gacha', disclosure: 'public', verifiable: true },
          config: { baseRates: { rare: 0.1, common: 0.9 }, pityThreshold: 10 },
        },
      },
    ];
    await succeed(team, 'POST', '/catalog/publish', { changes, baseVersion: 0, message: 'first' });
    teams.push(team);
  };

  /** Every publication that was acknowledged is a version, once; drafts that are not published yet are still there. */
  const checkVersions = async (team: Team): Promise<void> => {
    const found = new Map<string, number>();
    for (let path: string | undefined = '/catalog/versions?limit=1000'; path !== undefined; ) {
      const { body, headers }: Answer = await succeed(team, 'GET', path);
      for (const { message } of body) found.set(message, (found.get(message) ?? 0) + 1);
      path = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1];
    }
    const drafts = new Set(
      (await succeed(team, 'GET', '/catalog/drafts')).body.map(({ name }: { name: string }) => name),
    );
    for (const message of team.acknowledged)
      assert.equal(found.get(message) ?? 0, drafts.has(message) ? 0 : 1, `${message} of the ${team.name} team`);
    for (const message of team.unsure) assert.ok((found.get(message) ?? 0) <= 1, `${message} twice`);
  };

  const checkPlayer = async (team: Team): Promise<void> => {
    const proof = await must(team, 'GET', '/users/player/proof');
    if (proof.status === 404) return;
    assert.equal(proof.status, 200, proof.text);
    const { receipts } = verified(proof.body);
    for (const { status, reasons } of receipts) assert.notEqual(status, 'failed', JSON.stringify(reasons));
  };

  return {
    figures: (): StudioFigures => ({ ...figures }),
    prepare: async (): Promise<void> => {
      await prepareTeam('small');
      await prepareTeam('large');
      for (const team of teams) {
        const isLarge = team.name === 'large';
        keepDoing(() => changeOdds(team), isLarge ? 2000 : 400);
        keepDoing(() => publish(team), isLarge ? 6000 : 3000);
        keepDoing(
          () =>
            schedule(team).finally(() => {
              team.scheduling = undefined;
            }),
          isLarge ? 3000 : 1500,
        );
        keepDoing(() => watchDrafts(team), CLOCK_STEP_MS);
        keepDoing(() => simulate(team), 1500);
        keepDoing(() => rollVerifiably(team), 300);
        for (let reader = 0; reader < 3; reader += 1) keepDoing(() => readPublic(team), 150);
      }
      keepDoing(watchMemory, 500);
    },
    /** Lets a fault happen, and remembers when. */
    disturb: async <T>(fault: () => Promise<T>): Promise<T> => {
      const span: Span = { fromMs: performance.now(), untilMs: Number.POSITIVE_INFINITY };
      faults.push(span);
      try {
        return await fault();
      } finally {
        span.untilMs = performance.now();
      }
    },
    /** A jump of the clock makes drafts due at another time than they were scheduled for. */
    clockJumped: (): void => {
      for (const { pending } of teams) pending.clear();
    },
    rethrow,
    /** Waits for what is scheduled, ends everything else and checks that nothing is missing. */
    end: async (): Promise<void> => {
      const giveUpAtMs = performance.now() + 2 * RESPONSE_MS;
      while (failure === undefined && teams.some(({ pending }) => pending.size > 0)) {
        assert.ok(performance.now() < giveUpAtMs, 'some drafts were not published');
        isOver = true;
        for (const team of teams) await watchDrafts(team);
        await pause(CLOCK_STEP_MS);
      }
      isOver = true;
      await Promise.all(working);
      rethrow();
      for (const team of teams) {
        await compareOdds(team);
        await checkVersions(team);
        await checkPlayer(team);
      }
    },
    stop: async (): Promise<void> => {
      isOver = true;
      await Promise.all(working);
    },
  };
};

/** Adds what happened beside one game to what happened beside others. */
export const addStudioFigures = (total: StudioFigures, figures: StudioFigures): void => {
  for (const name of Object.keys(figures) as (keyof StudioFigures)[])
    total[name] = MAXIMA.has(name) ? Math.max(total[name], figures[name]) : total[name] + figures[name];
};

export const describeStudio = (figures: StudioFigures): string => {
  const { changes, publications, drafts, simulations, publicReads, verifiableRolls, comparisons, unanswered } = figures;
  const [latest, afterFaults] = [figures.latestMs, figures.latestAfterFaultsMs].map((ms) => (ms / 1000).toFixed(1));
  return `${changes} changes of odds, ${publications} publications and ${drafts} scheduled drafts, none lost; the latest draft was late by ${latest} s, and by ${afterFaults} s, beside faults, if there were any after it was due; ${comparisons} comparisons of public odds with those that rolls use, all equal; ${simulations} simulations, ${publicReads} public reads, ${verifiableRolls} verifiable rolls; ${unanswered} requests without an answer; at most ${Math.round(figures.rssMib)} MiB of memory`;
};
