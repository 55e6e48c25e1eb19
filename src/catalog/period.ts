import type { TemplateConfig } from '../engine/systems/config.ts';
import type { Period } from '../engine/systems/templates.ts';

const momentOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));

/** When a configuration can be rolled on, in the form the engine expects. */
export const periodOf = ({ startsAt, endsAt }: TemplateConfig): Period => ({
  startsAtMs: momentOf(startsAt),
  endsAtMs: momentOf(endsAt),
});
