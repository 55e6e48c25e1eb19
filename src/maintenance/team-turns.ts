/** How a turn ended: with more to do for the team, with nothing left, or with an error. */
type Outcome = 'more' | 'done' | 'failed';

/** Whose turn it is to be served beside requests. */
export interface TeamTurns {
  /** Begins the turn of the team that was served longest ago, of those that do not rest; undefined if all rest. */
  begin(teamIds: readonly string[]): string | undefined;
  end(teamId: string, outcome: Outcome): void;
  /** Whether one of them could be served now. */
  isAnyReady(teamIds: readonly string[]): boolean;
}

interface Team {
  /** The number of its last turn. */
  turn: number;
  isServed: boolean;
  beganMs: number;
  /** How long it was worked for since its last rest. */
  workedMs: number;
  restsUntilMs: number;
}

export interface RestOptions {
  /** Once nothing is left to do for a team, it rests for this many times as long as that took. */
  readonly factor: number;
  readonly leastMs: number;
  /** After an error. */
  readonly retryMs: number;
}

/** Each team rests on its own: neither much work for one team nor its errors keep others waiting. */
export const createTeamTurns = (
  { factor, leastMs, retryMs }: RestOptions,
  now: () => number = () => performance.now(),
): TeamTurns => {
  const teams = new Map<string, Team>();
  let turns = 0;

  const isReady = (teamId: string, nowMs: number): boolean => {
    const team = teams.get(teamId);
    return team === undefined || (!team.isServed && team.restsUntilMs <= nowMs);
  };

  /** Forgets teams that have nothing to do. */
  const prune = (teamIds: readonly string[], nowMs: number): void => {
    const listed = new Set(teamIds);
    for (const teamId of teams.keys()) if (!listed.has(teamId) && isReady(teamId, nowMs)) teams.delete(teamId);
  };

  return {
    begin: (teamIds) => {
      const nowMs = now();
      prune(teamIds, nowMs);
      const turnOf = (teamId: string): number => teams.get(teamId)?.turn ?? 0;
      const [next] = teamIds.filter((id) => isReady(id, nowMs)).sort((one, other) => turnOf(one) - turnOf(other));
      if (next === undefined) return undefined;
      turns += 1;
      const workedMs = teams.get(next)?.workedMs ?? 0;
      teams.set(next, { turn: turns, isServed: true, beganMs: nowMs, workedMs, restsUntilMs: 0 });
      return next;
    },
    end: (teamId, outcome) => {
      const team = teams.get(teamId);
      if (team === undefined) return;
      const nowMs = now();
      team.isServed = false;
      team.workedMs += nowMs - team.beganMs;
      if (outcome === 'more') return;
      const restMs = outcome === 'failed' ? retryMs : Math.max(leastMs, factor * team.workedMs);
      team.restsUntilMs = nowMs + restMs;
      team.workedMs = 0;
    },
    isAnyReady: (teamIds) => {
      const nowMs = now();
      return teamIds.some((teamId) => isReady(teamId, nowMs));
    },
  };
};

export interface Serving {
  readonly turns: TeamTurns;
  /** The teams for which there is something to do. */
  readonly find: () => Promise<readonly string[]>;
  /** Does a part of it; returns whether more is left to do for the team. */
  readonly serve: (teamId: string) => Promise<boolean>;
  readonly shouldContinue: () => boolean;
}

/**
 * Serves teams in turn, until nothing is left to do or all rest or are being served by others that share the turns.
 * Throws the first error once the other teams are served.
 */
export const serveTeams = async ({ turns, find, serve, shouldContinue }: Serving): Promise<void> => {
  const errors: unknown[] = [];
  const serveOne = async (teamId: string): Promise<void> => {
    try {
      turns.end(teamId, (await serve(teamId)) ? 'more' : 'done');
    } catch (error) {
      turns.end(teamId, 'failed');
      errors.push(error);
    }
  };
  while (shouldContinue()) {
    const teamId = turns.begin(await find());
    if (teamId === undefined) break;
    await serveOne(teamId);
  }
  if (errors.length > 0) throw errors[0];
};
