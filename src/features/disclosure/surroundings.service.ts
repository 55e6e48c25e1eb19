import type { Disclosure } from '../../compute/disclosure.ts';
import type { Reader } from '../../database/work.ts';
import { isoTime } from '../../shared/time.ts';
import { findAttributes } from '../attributes/attributes.service.ts';
import { type AnnouncedDraft, findAnnouncedChange, listAnnounced } from '../catalog/announcements.service.ts';
import type { PublishingDeps } from '../catalog/publishing.service.ts';
import { listPublicOfGroup } from '../templates/templates.service.ts';
import type { Surroundings } from './disclosure.contract.ts';

type Announced = Surroundings['announced'];

/** What was computed of announced drafts, as long as they and the catalog stay the same. */
export interface KnownAnnouncements {
  readonly key: string;
  readonly changes: Announced;
}

export interface Asked {
  readonly teamId: string;
  readonly templateId: string;
  readonly catalogVersion: number;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

const computeAnnounced = async (
  deps: PublishingDeps,
  { teamId, templateId, nowMs, signal }: Asked,
  drafts: readonly AnnouncedDraft[],
): Promise<Announced> => {
  const changes: Announced = [];
  for (const { id } of drafts) {
    const change = await findAnnouncedChange(deps, { teamId, nowMs }, id, templateId, signal);
    if (change === undefined) continue;
    const { tiers, items, moreItems, featuredMean, worst } = change.odds;
    changes.push({
      at: isoTime(change.atMs),
      ...{ tiers: [...tiers], items: [...items], moreItems, featuredMean, worst },
    });
  }
  return changes;
};

const findNames = async (reader: Reader, ids: readonly string[]): Promise<Surroundings['attributeNames']> => {
  const found = ids.length === 0 ? [] : await findAttributes(reader, ids);
  return found.map(({ id, name }) => ({ id, name })).sort((left, right) => (left.id < right.id ? -1 : 1));
};

const findGroup = async (reader: Reader, group: string | null, id: string): Promise<Surroundings['pityGroup']> => {
  if (group === null) return null;
  const others = (await listPublicOfGroup(reader, group)).filter((template) => template.id !== id);
  return { name: group, templates: others.map(({ id: templateId, name }) => ({ templateId, name })) };
};

/** What belongs to the disclosure of a template, but not to its configuration: names, its group, and what will change. */
export const findSurroundings = async (
  deps: PublishingDeps,
  asked: Asked,
  { groupName, attributeIds }: Disclosure,
  known: KnownAnnouncements | undefined,
): Promise<Surroundings & { readonly announcements: KnownAnnouncements }> => {
  const { drafts, ...found } = await deps.read(asked.teamId, async (reader) => ({
    attributeNames: await findNames(reader, attributeIds),
    pityGroup: await findGroup(reader, groupName, asked.templateId),
    drafts: await listAnnounced(reader),
  }));
  const key = JSON.stringify([asked.catalogVersion, drafts]);
  const announcements = known?.key === key ? known : { key, changes: await computeAnnounced(deps, asked, drafts) };
  return { ...found, announced: announcements.changes, announcements };
};
