import { ItemwrightError } from '@itemwright/client';
import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import { type Api, hasStatus } from '../api/client.ts';
import {
  createDraft,
  type DraftWithTag,
  lastAuthor,
  type Plan,
  planOf,
  presentIn,
  publish,
  StaleError,
} from './api.ts';
import { draftQuery, readChoice, storeChoice } from './draft.ts';
import { type Edit, needsPlan, reapplied } from './edits.ts';
import { type Entity, isSame, keyOf } from './entities.ts';
import { applyLive } from './live.ts';
import { PlanAllDialog, PlanDialog } from './plan-dialog.tsx';
import { putAllIntoDraft, putIntoDraft } from './put-into-draft.ts';
import { ask, Cancelled } from './questions.tsx';
import { StaleDialog } from './stale.tsx';

/** Every edit of the catalog goes through here: into a draft, or, in live mode, to the service. */

export interface CommitContext {
  readonly api: Api;
  readonly queryClient: QueryClient;
  readonly teamId: string;
}

export interface Committed {
  readonly entity: Entity | null;
  /** The draft that it was put into; undefined if it is live. */
  readonly draftName: string | undefined;
}

const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

const showDraft = ({ queryClient, api }: CommitContext, tagged: DraftWithTag): void =>
  void queryClient.setQueryData(draftQuery(api, tagged.draft.id).queryKey, tagged);

/** Starts a draft, named after whoever starts it, and says so. */
const startDraft = async (context: CommitContext, edits: readonly Edit[]): Promise<string> => {
  const { api, teamId } = context;
  const { draft } = await createDraft(api, 'New draft');
  // Only the service knows the name of the secret.
  const name = `${draft.author.name}, ${day.format(new Date(draft.createdAt))}`;
  const tagged = await putAllIntoDraft(api, draft.id, edits, { name }).catch(async (error: unknown) => {
    // Nobody has asked for an empty draft.
    await api.catalogDrafts.delete(draft.id).catch(() => undefined);
    throw error;
  });
  showDraft(context, tagged);
  storeChoice(teamId, { to: 'draft', id: draft.id });
  notifications.show({
    title: `Draft started: ${name}`,
    message: 'Your edits are collected in it. Nothing changes for players until you publish it.',
    autoClose: 8_000,
  });
  return name;
};

const intoDraft = async (context: CommitContext, put: Promise<DraftWithTag>): Promise<string> => {
  const tagged = await put.catch((error: unknown) => {
    throw hasStatus(error, 404)
      ? new ItemwrightError('The draft is gone: it was published or deleted. Nothing was saved.', { status: 404 })
      : error;
  });
  showDraft(context, tagged);
  return tagged.draft.name;
};

/** Faults of a plan as a form can show them next to its fields. */
const faultsAsError = (plan: Plan, edit: Edit): ItemwrightError =>
  new ItemwrightError('This cannot be published.', {
    status: 409,
    issues: plan.faults.map(({ kind, id, path, message }) =>
      kind === edit.kind && id === edit.id ? { path: `/body${path}`, message } : { path: '/body', message },
    ),
  });

/** Whether a plan has nothing to show: then a question would only be in the way. */
const isHarmless = (plan: Plan, edit: Edit): boolean =>
  edit.after !== null &&
  edit.kind !== 'template' &&
  [plan.faults, plan.warnings, plan.odds, plan.oddsLeftOut].every(({ length }) => length === 0);

/** Shows what an edit does to the odds, and publishes it if that is wanted. */
const planned = async (context: CommitContext, edit: Edit): Promise<Committed> => {
  const { api } = context;
  const { kind, id, after } = edit;
  const proposal = { changes: [{ kind, id, after }] };
  const plan = await planOf(api, proposal, []);
  const present = await presentIn(api, plan, edit);
  if (!isSame(present, edit.before)) throw new StaleError(await lastAuthor(api, kind, id), edit.before, present);
  if (isHarmless(plan, edit)) {
    if (plan.changes.length > 0) await publish(api, proposal, plan.baseVersion, null);
    return { entity: after, draftName: undefined };
  }
  const answer = await ask<'applied' | 'draft' | 'cancel' | 'stale'>((answered) => (
    <PlanDialog edit={edit} proposal={proposal} onAnswer={answered} />
  ));
  if (answer === 'applied') return { entity: after, draftName: undefined };
  if (answer === 'draft') return { entity: after, draftName: await startDraft(context, [edit]) };
  // Somebody has changed it while the question was open: this time that is noticed before it is asked.
  if (answer === 'stale') return planned(context, edit);
  // A form shows the faults next to its fields. Whatever has none was told by the dialog.
  const hasForm = after !== null && kind !== 'classifier';
  throw hasForm && plan.faults.length > 0 ? faultsAsError(plan, edit) : new Cancelled();
};

const commitOnce = async (context: CommitContext, edit: Edit): Promise<Committed> => {
  const choice = readChoice(context.teamId);
  if (choice.to === 'draft') {
    const put = putIntoDraft(context.api, choice.id, edit);
    return { entity: edit.after, draftName: await intoDraft(context, put) };
  }
  if (choice.to === 'new draft') return { entity: edit.after, draftName: await startDraft(context, [edit]) };
  if (needsPlan(edit)) return planned(context, edit);
  return { entity: await applyLive(context.api, edit), draftName: undefined };
};

/** What this tab saved last, by entity: two quick edits must not be taken for those of two people. */
const saved = new Map<string, Entity | null>();

const isOwn = (edit: Edit, { current }: StaleError): boolean =>
  saved.has(keyOf(edit)) && isSame(saved.get(keyOf(edit)), current);

const askAboutStale = async (edit: Edit, error: StaleError): Promise<void> => {
  const isReapplied = await ask<boolean>((answered) => <StaleDialog edit={edit} error={error} onAnswer={answered} />);
  if (!isReapplied) throw new Cancelled(true);
};

/** Saves an edit. If the entity has changed in the meantime, shows how, and offers to make the edit again on top. */
const commitNow = async (context: CommitContext, edit: Edit): Promise<Committed> => {
  let wanted = edit;
  for (;;) {
    try {
      const committed = await commitOnce(context, wanted);
      saved.set(keyOf(edit), committed.entity);
      return committed;
    } catch (error) {
      if (!(error instanceof StaleError)) throw error;
      if (!isOwn(wanted, error)) await askAboutStale(wanted, error);
      wanted = reapplied(wanted, error.current);
      if (isSame(wanted.before, wanted.after)) return { entity: wanted.after, draftName: undefined };
    }
  }
};

/** Saves several edits, all or none. Returns the draft that they were put into; undefined if they are live. */
const commitAllNow = async (context: CommitContext, edits: readonly Edit[]): Promise<string | undefined> => {
  const choice = readChoice(context.teamId);
  if (choice.to === 'draft') return intoDraft(context, putAllIntoDraft(context.api, choice.id, edits));
  if (choice.to === 'new draft') return startDraft(context, edits);
  const answer = await ask<'applied' | 'draft' | 'cancel' | 'stale'>((answered) => (
    <PlanAllDialog edits={edits} onAnswer={answered} />
  ));
  if (answer === 'draft') return startDraft(context, edits);
  if (answer === 'stale')
    throw new ItemwrightError('Somebody else has changed some of them in the meantime. Nothing was saved.', {
      status: 412,
    });
  if (answer === 'cancel') throw new Cancelled();
  return undefined;
};

let last: Promise<unknown> = Promise.resolve();

/** One after the other: the first may start the draft that the second belongs to. */
const inTurn = <T,>(save: () => Promise<T>): Promise<T> => {
  const turn = last.then(save);
  last = turn.catch(() => undefined);
  return turn;
};

/** Saves an edit. */
export const commit = (context: CommitContext, edit: Edit): Promise<Committed> =>
  inTurn(() => commitNow(context, edit));

/** Saves several edits, all or none. */
export const commitAll = (context: CommitContext, edits: readonly Edit[]): Promise<string | undefined> =>
  inTurn(() => commitAllNow(context, edits));
