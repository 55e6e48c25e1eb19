import type { Schemas } from '../interface/client.ts';

/** What rolls were made on: a template, or all items. */
export const sourceName = (templateId: string | null, templates: readonly Schemas['Template'][]): string => {
  if (templateId === null) return 'Plain rolls';
  return templates.find(({ id }) => id === templateId)?.name ?? `${templateId} (deleted)`;
};
