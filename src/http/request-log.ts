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

/** Lines are handed on together: each by itself would cost more than putting it together. */
const FLUSH_AFTER_MS = 50;
const FLUSH_LENGTH = 64 * 1024;

/** The log of requests, made for each route by the pattern of its path: ids of players do not belong into logs. */
export interface RequestLogs {
  of(route: string | null): RequestLog;
  flush(): void;
}

/**
 * Writes the one line of each request, in the format of the logger and to where it writes, but put together by hand: of
 * all that a request costs, a general formatter was one of the larger parts.
 */
export const createRequestLogs = (logger: Logger): RequestLogs => {
  if (!logger.isLevelEnabled('info')) return { of: () => () => {}, flush: () => {} };
  const stream = (logger as unknown as Record<symbol, { write(lines: string): void }>)[symbols.streamSym];
  const clockText = createClockText();
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (lines !== '') stream?.write(lines);
    lines = '';
  };
  return {
    flush,
    of: (route) => {
      const routeText = JSON.stringify(route);
      return ({ requestId, method, status, ms, teamId }) => {
        const team = teamId === undefined ? '' : `,"teamId":${quoted(teamId)}`;
        lines += `{"level":${INFO},"time":"${clockText()}","requestId":${quoted(requestId)},"method":"${method}","route":${routeText},"status":${status},"ms":${Math.round(ms * 100) / 100}${team},"msg":"request"}\n`;
        if (lines.length >= FLUSH_LENGTH) flush();
        else timer ??= setTimeout(flush, FLUSH_AFTER_MS).unref();
      };
    },
  };
};
