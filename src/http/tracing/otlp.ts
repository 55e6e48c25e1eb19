/** Spans as the OpenTelemetry protocol has them, in JSON. */
import { VERSION } from '../../shared/program.ts';

/** The numbers of the protocol. */
export const KIND = { internal: 1, server: 2, client: 3 } as const;
const STATUS_ERROR = 2;

type Value = string | number;
export type Attributes = Readonly<Record<string, Value | undefined>>;

/** A finished span. Times are those of `performance.now()`. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: (typeof KIND)[keyof typeof KIND];
  readonly startMs: number;
  readonly endMs: number;
  readonly isFailed: boolean;
  readonly attributes: Attributes;
}

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }],
  );

/** Nanoseconds since 1970 are more than a number can hold exactly. */
const nanosOf = (epochMs: number): string => {
  const whole = Math.floor(epochMs);
  return `${whole}${String(Math.floor((epochMs - whole) * 1e6)).padStart(6, '0')}`;
};

/** A request of the protocol. `offsetMs` is the time at which `performance.now()` was 0. */
export const exportRequest = (serviceName: string, spans: readonly Span[], offsetMs: number): object => ({
  resourceSpans: [
    {
      resource: {
        attributes: attributesOf({
          'service.name': serviceName,
          'service.version': VERSION,
          'process.pid': process.pid,
        }),
      },
      scopeSpans: [
        {
          scope: { name: 'itemwright', version: VERSION },
          spans: spans.map(({ startMs, endMs, isFailed, attributes, ...span }) => ({
            ...span,
            startTimeUnixNano: nanosOf(offsetMs + startMs),
            endTimeUnixNano: nanosOf(offsetMs + endMs),
            attributes: attributesOf(attributes),
            status: isFailed ? { code: STATUS_ERROR } : {},
          })),
        },
      ],
    },
  ],
});
