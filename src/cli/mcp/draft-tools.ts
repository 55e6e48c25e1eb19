import { Type } from 'typebox';
import type { CatalogDraftWithChanges } from '../../../packages/client/src/index.ts';
import { LIMITS } from '../../shared/limits.ts';
import { CommandError } from '../shared.ts';
import { effectOf } from './effect.ts';
import { Changes, idOf } from './inputs.ts';
import { defineTool, type Tool, type Workshop } from './tool.ts';

const nameInput = Type.String({ minLength: 1, maxLength: LIMITS.nameLength, description: 'What the draft is called.' });
const baseInput = Type.Integer({
  minimum: 0,
  description: 'The version that the changes were planned on: `baseVersion` of the plan.',
});

type PlanBody = Parameters<Workshop['client']['catalog']['plan']>[0];

const planChanges = async (
  { client, signal }: Workshop,
  changes: readonly { kind: string; id: string; after?: unknown }[],
) => {
  const wanted = changes.map(({ kind, id, after }) => ({ kind, id, after }));
  const plan = await client.catalog.plan({ changes: wanted } as unknown as PlanBody, { signal });
  return { isPublishable: plan.faults.length === 0, ...effectOf(plan) };
};

/** Whoever knows what they sent needs no echo. */
const summaryOf = ({ changes, ...draft }: CatalogDraftWithChanges) => draft;

const plan = defineTool({
  name: 'plan_changes',
  title: 'Plan changes',
  description:
    'What publishing changes of the catalog would do: faults, warnings, and the odds of every pool before and after. It changes nothing.',
  input: { changes: Changes },
  run: (workshop, { changes }) => planChanges(workshop, changes),
});

const listDrafts = defineTool({
  name: 'list_drafts',
  title: 'List drafts',
  description: 'All drafts, without their changes.',
  input: {},
  run: ({ client, signal }) => client.catalogDrafts.list({ signal }),
});

const getDraft = defineTool({
  name: 'get_draft',
  title: 'Get a draft',
  description: 'A draft with its changes.',
  input: { id: idOf('the draft') },
  run: ({ client, signal }, { id }) => client.catalogDrafts.get(id, { signal }),
});

const planDraft = defineTool({
  name: 'plan_draft',
  title: 'Plan a draft',
  description: 'What publishing a draft would do, on the current catalog. It changes nothing.',
  input: { id: idOf('the draft') },
  run: async (workshop, { id }) => {
    const { client, signal } = workshop;
    return planChanges(workshop, (await client.catalogDrafts.get(id, { signal })).changes);
  },
});

type NewDraft = Parameters<Workshop['client']['catalogDrafts']['create']>[0];
type DraftChange = Parameters<Workshop['client']['catalogDrafts']['update']>[1];

const createDraft = defineTool({
  name: 'create_draft',
  title: 'Create a draft',
  description:
    'Saves changes of the catalog as a draft. Nothing is rolled on it: a person reviews and publishes it. Plan the changes first.',
  effect: 'adds',
  input: { name: nameInput, baseVersion: Type.Optional(baseInput), changes: Changes },
  run: async ({ client, signal }, draft) =>
    summaryOf(await client.catalogDrafts.create(draft as unknown as NewDraft, { signal })),
});

/**
 * A draft that is scheduled is as good as published, so it stays as it is. That it is not scheduled must still be true when
 * it is changed, which its ETag ensures.
 */
const updateDraft = defineTool({
  name: 'update_draft',
  title: 'Update a draft',
  description: 'Replaces members of a draft; `changes` replaces all of its changes. Rejected if it is scheduled.',
  effect: 'replaces',
  input: {
    id: idOf('the draft'),
    name: Type.Optional(nameInput),
    baseVersion: Type.Optional(baseInput),
    changes: Type.Optional(Changes),
  },
  run: async ({ client, signal }, { id, ...members }) => {
    const { data, etag } = await client.catalogDrafts.get(id, { signal }).withResponse();
    if (data.publishAt !== null || etag === undefined)
      throw new CommandError(
        `the draft ${id} is scheduled for ${data.publishAt}: a person must take it off the schedule`,
      );
    const options = { signal, ifMatch: etag };
    return summaryOf(await client.catalogDrafts.update(id, members as unknown as DraftChange, options));
  },
});

export const DRAFT_TOOLS: readonly Tool[] = [plan, listDrafts, getDraft, planDraft, createDraft, updateDraft];
