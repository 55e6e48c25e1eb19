import type { Reader } from '../../database/work.ts';
import { initialPityState } from '../../engine/systems/state.ts';
import type { CompiledTemplate } from '../../engine/systems/templates.ts';
import { pityWaits, type Wait as WaitForTop, waitForTop } from '../../engine/systems/waiting.ts';
import { notFound } from '../../shared/errors.ts';
import { isoTime } from '../../shared/time.ts';
import { findLastOfTier } from '../rolls/roll-log.service.ts';
import { findLastCounterChange, findTemplateState } from '../user-states/user-states.service.ts';
import { findKnownUser } from '../users/users.service.ts';
import type { Wait } from './counters.contract.ts';
import type { CounterDeps } from './counters.service.ts';

const timeOf = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

const NOUNS: Readonly<Record<CompiledTemplate['type'], readonly [one: string, many: string]>> = {
  gacha: ['roll', 'rolls'],
  idle: ['roll', 'rolls'],
  card_pack: ['pack', 'packs'],
  roguelike: ['offer', 'offers'],
};

const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const percent = (share: number): string => `${Number((share * 100).toPrecision(2))} %`;

interface Known extends WaitForTop {
  readonly tier: string;
  readonly nouns: readonly [one: string, many: string];
  readonly lastAtMs: number | null;
  readonly setAtMs: number | null;
}

const begins = ({ since, tier, nouns: [one, many], lastAtMs, setAtMs }: Known): string => {
  const on = (ms: number): string => ` on ${dates.format(ms)}`;
  const number = since === 1 ? `1 ${one}` : `${since.toLocaleString('en')} ${many}`;
  if (setAtMs !== null) return `The counter of ${many} without ${tier} is at ${number}; it was set${on(setAtMs)}`;
  if (since === 0) return lastAtMs === null ? `No ${many} yet` : `The latest ${one}${on(lastAtMs)} gave ${tier}`;
  return lastAtMs === null ? `${number} without ${tier}` : `${number} since the last ${tier}${on(lastAtMs)}`;
};

const isLikely = ({ since, chance, setAtMs }: Known): string => {
  if (since === 0 || chance === null || setAtMs !== null) return '';
  return chance === 0 ? '; the present odds do not allow that many' : `; the chance of that is ${percent(chance)}`;
};

const ends = ({ certainWithin, tier, nouns: [one, many] }: Known): string => {
  if (certainWithin === null) return `; none of the next ${many} is certain to contain ${tier}`;
  if (certainWithin === 1) return `; the next ${one} is certain to contain one`;
  return `; the next ${certainWithin.toLocaleString('en')} are certain to contain one`;
};

/** What a complaint about bad luck is answered with. */
const sentenceOf = (known: Known): string => `${begins(known)}${isLikely(known)}${ends(known)}.`;

/** How long a user has waited for the top tier. */
export const explainWait = async (
  reader: Reader,
  { userId, id }: { readonly userId: string; readonly id: string },
  { readyTemplates }: CounterDeps,
): Promise<Wait> => {
  const user = await findKnownUser(reader, userId);
  if (user === undefined) throw notFound();
  const template = (await readyTemplates(reader, id)).template();
  const pity = (await findTemplateState(reader, userId, template))?.pity ?? initialPityState();
  const { since: rolls, chance, certainWithin } = waitForTop(template, pity);
  const { optionId: tier = null, name: tierName = null } = template.tiers.all[template.tiers.top] ?? {};
  const wait = { templateId: id, userId, tier, tierName, rolls, chance, certainWithin };
  if (tier === null)
    return { ...wait, lastAt: null, setAt: null, pities: [], sentence: 'There are no tiers to wait for.' };
  // Templates of a pity group count together.
  const templateId = template.pityGroup === null ? id : undefined;
  const [lastAtMs, setAtMs] = await Promise.all([
    findLastOfTier(reader, user.roller_id, { templateId, tier }),
    findLastCounterChange(reader, userId, template),
  ]);
  const wasSet = setAtMs !== null && (lastAtMs === null || setAtMs > lastAtMs);
  const known = { lastAtMs, setAtMs: wasSet ? setAtMs : null };
  return {
    ...wait,
    lastAt: timeOf(known.lastAtMs),
    setAt: timeOf(known.setAtMs),
    pities: pityWaits(template, pity),
    sentence: sentenceOf({
      ...known,
      since: rolls,
      chance,
      certainWithin,
      tier: tierName ?? tier,
      nouns: NOUNS[template.type],
    }),
  };
};
