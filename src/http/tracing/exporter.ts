import type { Logger } from 'pino';
import type { TracingSettings } from '../../settings.ts';
import { LIMITS } from '../../shared/limits.ts';
import { waitUpTo } from '../../shared/time.ts';
import { exportRequest, type Span } from './otlp.ts';

/** Sends finished spans to a collector. */
export interface Exporter {
  add(span: Span): void;
  /** Sends what is left, but does not wait long for it. */
  close(): Promise<void>;
}

/** The collector asks for the same again later; whatever else it rejects, it would reject again. */
const isTemporary = (status: number): boolean => [429, 502, 503, 504].includes(status);

/**
 * Spans wait in a queue, and are sent together, one request at a time. What finds the queue full is dropped: a collector
 * that is slow or away costs some memory, and nothing else.
 */
export const createExporter = ({ endpoint, headers, serviceName }: TracingSettings, logger: Logger): Exporter => {
  const queue: Span[] = [];
  let dropped = 0;
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  let sending: Promise<void> | undefined;
  let isAway = false;

  const warn = (reason: unknown): void => {
    if (performance.now() - warnedAtMs < LIMITS.traceWarnMs) return;
    warnedAtMs = performance.now();
    logger.warn({ err: reason, dropped }, 'spans could not be exported');
  };
  /** Whether the collector has taken the spans, or never will. */
  const send = async (spans: readonly Span[]): Promise<boolean> => {
    try {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(exportRequest(serviceName, spans, Date.now() - performance.now())),
        redirect: 'error',
        signal: AbortSignal.timeout(LIMITS.traceExportMs),
      });
      await response.body?.cancel();
      if (response.ok) return true;
      warn(new Error(`the collector returned status ${response.status}`));
      if (isTemporary(response.status)) return false;
      dropped += spans.length;
      return true;
    } catch (error) {
      warn(error);
      return false;
    }
  };
  const sendAll = async (): Promise<void> => {
    isAway = false;
    while (queue.length > 0 && !isAway) {
      const spans = queue.slice(0, LIMITS.tracesPerExport);
      isAway = !(await send(spans));
      if (!isAway) queue.splice(0, spans.length);
    }
  };
  const flush = (): Promise<void> => {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  };
  const timer = setInterval(flush, LIMITS.traceExportEveryMs).unref();

  return {
    add: (span) => {
      if (queue.length >= LIMITS.waitingSpans) {
        dropped += 1;
        return;
      }
      queue.push(span);
      if (queue.length >= LIMITS.tracesPerExport && !isAway) void flush();
    },
    close: async () => {
      clearInterval(timer);
      await waitUpTo(LIMITS.traceStopMs, flush().then(flush));
    },
  };
};
