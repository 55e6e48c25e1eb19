import { type Logger, symbols } from 'pino';

export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
  readonly teamId: string | undefined;
}

export type RequestLog = (request: AnsweredRequest) => void;

const INFO = 30;

/** The time as text, made anew only when it has changed: under load many lines fall into one millisecond. */
const createClockText = () => {
  let shownMs = 0;
  let shown = '';
  return (): string => {
    const nowMs = Date.now();
    if (nowMs !== shownMs) {
      shownMs = nowMs;
      shown = new Date(nowMs).toISOString();
    }
    return shown;
  };
};

/** What a text needs no escapes for in JSON; ids that the service makes are so, and most others. */
const PLAIN = /^[\w.:|@ -]*$/;

const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/**
 * Writes the one line of each request, in the format of the logger and to where it writes, but put together by hand: of
 * all that a request costs, a general formatter was one of the larger parts. Made for each route, by the pattern of its
 * path, since ids of players do not belong into logs; null for paths that no route has.
 */
export const createRequestLog = (logger: Logger): ((route: string | null) => RequestLog) => {
  if (!logger.isLevelEnabled('info')) return () => () => {};
  const stream = (logger as unknown as Record<symbol, { write(line: string): void }>)[symbols.streamSym];
  const clockText = createClockText();
  return (route) => {
    const routeText = JSON.stringify(route);
    return ({ requestId, method, status, ms, teamId }) => {
      const team = teamId === undefined ? '' : `,"teamId":${quoted(teamId)}`;
      stream?.write(
        `{"level":${INFO},"time":"${clockText()}","requestId":${quoted(requestId)},"method":"${method}","route":${routeText},"status":${status},"ms":${Math.round(ms * 100) / 100}${team},"msg":"request"}\n`,
      );
    };
  };
};
