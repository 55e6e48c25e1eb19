import { Select } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client.ts';
import { Section } from '../../parts/section.tsx';
import { Note, pathTo } from '../../parts/text.tsx';
import classes from './calendar.module.css';
import type { Config } from './template-values.ts';

const DAY_MS = 86_400_000;
/** What is shown before the first and after the last moment. */
const MARGIN_MS = 3 * DAY_MS;

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const zones = (): string[] => [...new Set([OWN_ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')])];

interface Run {
  readonly id: string;
  readonly name: string;
  /** Undefined: it was always open. */
  readonly from: number | undefined;
  /** Undefined: it stays open. */
  readonly to: number | undefined;
}

/** Templates that open or close, in the order in which they do. */
const runsOf = (templates: readonly Schemas['Template'][]): Run[] =>
  templates
    .flatMap(({ id, name, config }) => {
      const { startsAt, endsAt } = config as Config;
      if (startsAt === undefined && endsAt === undefined) return [];
      return [{ id, name, from: startsAt && Date.parse(startsAt), to: endsAt && Date.parse(endsAt) } as Run];
    })
    .sort((one, other) => (one.from ?? 0) - (other.from ?? 0) || (one.to ?? 0) - (other.to ?? 0));

const wordsOf = ({ from, to }: Run, now: number, format: (ms: number) => string): string => {
  if (from !== undefined && from > now)
    return `opens ${format(from)}${to === undefined ? '' : `, closes ${format(to)}`}`;
  if (to === undefined) return `open since ${format(from ?? now)}`;
  return to > now ? `open until ${format(to)}` : `closed ${format(to)}`;
};

/** When templates open and close, in any time zone; nothing if none of them does. */
export const Calendar = ({ templates }: { templates: readonly Schemas['Template'][] }) => {
  const [zone, setZone] = useLocalStorage({
    key: 'itemwright.time-zone',
    defaultValue: OWN_ZONE,
    getInitialValueInEffect: false,
  });
  const runs = useMemo(() => runsOf(templates), [templates]);
  const choices = useMemo(zones, []);
  const now = Date.now();
  if (runs.length === 0) return null;
  const moments = [now, ...runs.flatMap(({ from, to }) => [from ?? now, to ?? now])];
  const [first, last] = [Math.min(...moments) - MARGIN_MS, Math.max(...moments) + MARGIN_MS];
  const placeOf = (ms: number): string => `${(100 * (ms - first)) / (last - first)}%`;
  const timeZone = choices.includes(zone) ? zone : 'UTC';
  const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone });
  const format = (ms: number): string => moment.format(ms);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => first + part * (last - first));
  return (
    <Section
      title="Calendar"
      gap="xs"
      aside={
        <Select
          size="xs"
          w={210}
          searchable
          aria-label="Time zone"
          data={choices}
          value={timeZone}
          allowDeselect={false}
          onChange={(chosen) => setZone(chosen ?? OWN_ZONE)}
        />
      }
    >
      <div className={classes.scale} aria-hidden>
        {ticks.map((ms) => (
          <span key={ms}>{day.format(ms)}</span>
        ))}
      </div>
      <ul className={classes.runs}>
        {runs.map((run) => {
          const isOpen = (run.from ?? 0) <= now && now < (run.to ?? Number.POSITIVE_INFINITY);
          return (
            <li key={run.id} className={classes.run}>
              <span className={classes.words}>
                <Link href={pathTo('templates', run.id)} className={classes.name}>
                  {run.name}
                </Link>{' '}
                {wordsOf(run, now, format)}
              </span>
              <span className={classes.track} aria-hidden>
                <i
                  className={classes.bar}
                  data-open={isOpen || undefined}
                  style={{
                    insetInlineStart: placeOf(run.from ?? first),
                    insetInlineEnd: `calc(100% - ${placeOf(run.to ?? last)})`,
                  }}
                />
                <i className={classes.now} style={{ insetInlineStart: placeOf(now) }} />
              </span>
            </li>
          );
        })}
      </ul>
      <Note size="xs">The line is now: {format(now)}.</Note>
    </Section>
  );
};
