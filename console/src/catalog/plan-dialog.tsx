import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useEffect, useId, useMemo, useState } from 'react';
import { hasStatus } from '../api/client.ts';
import { useChange } from '../api/requests.ts';
import { FaultList, faultsOf } from '../parts/faults.tsx';
import { formatMany } from '../parts/format.ts';
import { type Plan, type Proposal, publish } from './api.ts';
import type { Edit } from './edits.ts';
import { isSame, keyOf } from './entities.ts';
import { usePlan } from './plan.ts';
import { PlanView } from './plan-view.tsx';

/** Whether publishing failed because the catalog has moved on since the plan. */
export const isOutdated = (error: unknown): boolean =>
  hasStatus(error, 409) && error.issues.some(({ path }) => path === '/body/baseVersion');

interface ProposalDialogProps {
  readonly title: string;
  readonly about: string;
  /** Label of the button that publishes. */
  readonly action: string;
  readonly proposal: Proposal;
  readonly message?: string;
  readonly onPublished: () => void;
  readonly onCancel: () => void;
  readonly onDraft?: () => void;
  /** Whether a plan, which may be newer than what the page shows, is still about the same thing. */
  readonly isUpToDate?: (plan: Plan) => boolean;
  readonly onOutdated?: () => void;
}

/** What a proposal does, before it is published. */
export const ProposalDialog = (props: ProposalDialogProps) => {
  const { title, about, action, proposal, onPublished, onCancel, onDraft, isUpToDate, onOutdated } = props;
  const own = useId();
  const [attempt, setAttempt] = useState(0);
  const [message, setMessage] = useState(props.message ?? '');
  const growing = usePlan(`${own} ${attempt} ${JSON.stringify(proposal)}`, proposal);
  const { plan, pools, poolsDone } = growing;
  const apply = useChange({
    run: (api, baseVersion: number) => publish(api, proposal, baseVersion, message.trim() || null),
  });
  const isStale = plan !== undefined && isUpToDate?.(plan) === false;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once, when it turns out.
  useEffect(() => {
    if (isStale) onOutdated?.();
  }, [isStale]);
  const hasFaults = plan === undefined || plan.faults.length > 0 || plan.changes.length === 0;
  const publishNow = () => {
    if (plan === undefined) return;
    apply.mutate(plan.baseVersion, {
      onSuccess: onPublished,
      onError: (error) => isOutdated(error) && setAttempt(attempt + 1),
    });
  };
  return (
    <Modal opened onClose={onCancel} title={title} size="xl" closeOnClickOutside={false}>
      <Stack gap="lg">
        {isOutdated(apply.error) ? (
          <Alert color="yellow" icon={<IconInfoCircle />} role="alert">
            The catalog has changed in the meantime. Nothing was applied: this is the plan on the catalog as it is now.
          </Alert>
        ) : (
          <FaultList title="Could not apply it" faults={faultsOf(apply.error).others} />
        )}
        <Text size="sm">{about}</Text>
        <PlanView growing={growing} />
        {!hasFaults && (
          <TextInput
            label="Message"
            description="For the history; may be left empty."
            maxLength={500}
            value={message}
            onChange={(event) => setMessage(event.currentTarget.value)}
          />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel} data-autofocus>
            Cancel
          </Button>
          {onDraft !== undefined && (
            <Button variant="default" onClick={onDraft} disabled={apply.isPending}>
              Put into a draft
            </Button>
          )}
          <Button
            onClick={publishNow}
            loading={apply.isPending}
            // The odds come first: that is what the dialog is for.
            disabled={isStale || hasFaults || poolsDone < pools}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
};

const ABOUT = 'This is what the change does to the live catalog. Players are affected at once.';

interface PlanDialogProps {
  readonly edit: Edit;
  readonly proposal: Proposal;
  readonly onAnswer: (answer: 'applied' | 'draft' | 'cancel' | 'stale') => void;
}

/** Whether a plan finds the entities of edits as the page showed them. Entities with faults are not in a plan. */
const isBasedOn = (plan: Plan, edits: readonly Edit[]): boolean => {
  const before = new Map(plan.changes.map((change) => [keyOf(change), change.before]));
  return edits.every((edit) => !before.has(keyOf(edit)) || isSame(before.get(keyOf(edit)), edit.before));
};

/** Asks what to do with an edit of the live catalog that changes odds or deletes something. */
export const PlanDialog = ({ edit, proposal, onAnswer }: PlanDialogProps) => {
  const name = edit.after?.name ?? edit.before?.name ?? edit.id;
  return (
    <ProposalDialog
      title={edit.after === null ? `Delete ${name}?` : `Apply the change of ${name}?`}
      about={ABOUT}
      action={edit.after === null ? 'Delete now' : 'Apply now'}
      proposal={proposal}
      onPublished={() => onAnswer('applied')}
      onDraft={() => onAnswer('draft')}
      onCancel={() => onAnswer('cancel')}
      isUpToDate={(plan) => isBasedOn(plan, [edit])}
      onOutdated={() => onAnswer('stale')}
    />
  );
};

interface PlanAllDialogProps extends Pick<PlanDialogProps, 'onAnswer'> {
  readonly edits: readonly Edit[];
}

/** Asks what to do with several edits of the live catalog. */
export const PlanAllDialog = ({ edits, onAnswer }: PlanAllDialogProps) => {
  const proposal = useMemo(() => ({ changes: edits.map(({ kind, id, after }) => ({ kind, id, after })) }), [edits]);
  return (
    <ProposalDialog
      title={`Apply ${formatMany(edits.length, 'change')}?`}
      about={ABOUT}
      action="Apply now"
      proposal={proposal}
      onPublished={() => onAnswer('applied')}
      onDraft={() => onAnswer('draft')}
      onCancel={() => onAnswer('cancel')}
      isUpToDate={(plan) => isBasedOn(plan, edits)}
      onOutdated={() => onAnswer('stale')}
    />
  );
};
