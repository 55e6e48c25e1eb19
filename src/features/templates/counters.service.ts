import type { Page, Paged } from '../../database/paging.ts';
import { holdAll, type Reader, type Work } from '../../database/work.ts';
import { counterFaults, setCounters, shownCounters } from '../../engine/systems/counters.ts';
import type { CompiledTemplate } from '../../engine/systems/templates.ts';
import type { Context } from '../../shared/context.ts';
import { conflict, invalid, notFound, throwIfAny } from '../../shared/errors.ts';
import {
  type CounterChangeRecord,
  holdTemplateState,
  listCounterChanges,
  recordCounterChange,
} from '../user-states/user-states.service.ts';
import { askUser, getUser } from '../users/users.service.ts';
import type { CountersRequest } from './counters.contract.ts';
import type { UserTemplateState } from './template-rolls.contract.ts';
import { showState, type TemplateRollDeps } from './template-rolls.service.ts';

export type CounterDeps = Pick<TemplateRollDeps, 'readyTemplates'>;

/**
 * A template whose counters no receipt has; whatever receipts say must stay true. Templates of a pity group are verifiable
 * together.
 */
const unproven = async (work: Work, id: string, { readyTemplates }: CounterDeps): Promise<CompiledTemplate> => {
  const ready = await readyTemplates(work, id);
  if (ready.isVerifiable)
    throw conflict({ path: '/path/id', message: 'is verifiable: receipts have its counters, so nobody may set them' });
  return ready.template();
};

export const setUserCounters = async (
  work: Work,
  context: Context,
  { userId, id }: { readonly userId: string; readonly id: string },
  wanted: CountersRequest,
  deps: CounterDeps,
): Promise<UserTemplateState> => {
  const { reason, nowMs } = context;
  const { lookup, key } = askUser(userId);
  if ((await work.find(lookup, key)).length === 0) throw notFound();
  const first = await unproven(work, id, deps);
  if (reason === null)
    throw invalid({ path: '/headers/itemwright-reason', message: 'is required: say why, for the history' });
  const [held] = await holdAll(work, holdTemplateState(work, userId, first));
  // It may have become verifiable, and somebody may have rolled, before the state was locked.
  const template = await unproven(work, id, deps);
  if (template.pityGroup !== first.pityGroup) return work.rerunAfter(Promise.resolve());
  throwIfAny(counterFaults(template, wanted).map(({ path, message }) => ({ path: `/body${path}`, message })));
  const after = setCounters(template, held.state, wanted);
  held.save(after);
  recordCounterChange(
    work,
    context,
    { userId, reason, owner: template },
    { before: shownCounters(template, held.state), after: shownCounters(template, after) },
  );
  return showState(template, userId, after, nowMs);
};

export const listUserCounterChanges = async (
  reader: Reader,
  userId: string,
  page: Page,
): Promise<Paged<CounterChangeRecord>> => {
  await getUser(reader, userId);
  return listCounterChanges(reader, userId, page);
};
