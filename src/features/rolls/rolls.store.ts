import { mergeInto } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import { newId } from '../../shared/ids.ts';
import { utcDay } from '../../shared/time.ts';

/** A row of the record, whose results are not one text yet. Without details, only the request is known. */
type RollEvent = Omit<Tables['roll_events'], 'team_id' | 'id' | 'results'> & {
  readonly results: readonly string[];
  readonly requestId: string;
};

/** Rolls without a user differ only in their results, so those of one group, day and version share a row. */
export const insertEvents = mergeInto(
  'roll_events',
  {
    id: 'text',
    catalog_version: 'integer',
    template_id: 'text',
    roller_id: 'text',
    rolled_at: 'bigint',
    results: 'text',
    details: 'text',
  },
  {
    key: ({ catalog_version, template_id, roller_id, rolled_at }: RollEvent) =>
      template_id === null && roller_id === null ? `${utcDay(rolled_at)} ${catalog_version}` : null,
    row: (events) => {
      const [{ requestId, ...first }] = events;
      const requests = events.length === 1 ? { requestId } : { requestIds: events.map((event) => event.requestId) };
      return {
        ...first,
        id: newId(),
        results: `[${events.map(({ results }) => results.join()).join()}]`,
        details: first.details ?? JSON.stringify(requests),
      };
    },
  },
);
