/** Every type of event that a feed can have. */
export const EVENT_TYPES = [
  'item_instance.created',
  'item_instance.changed',
  'item_instance.moved',
  'item_instance.transferred',
  'item_instance.deleted',
  'balance.changed',
  'roll.made',
  'user.created',
  'user.deleted',
  'user_space.created',
  'user_space.deleted',
  'catalog.published',
  'draft.failed',
  'evidence.alarmed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** What a team keeps unless it says otherwise. Moves are many, and seldom of interest to anybody else. */
export const USUAL_TYPES: readonly EventType[] = EVENT_TYPES.filter((type) => type !== 'item_instance.moved');
