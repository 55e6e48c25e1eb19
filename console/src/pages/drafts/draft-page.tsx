import { Alert, Button, Card, Grid, Group, Stack } from '@mantine/core';
import { IconAlertCircle, IconFilePencil } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { asSentence } from '../../api/client.ts';
import { useChange, usePermissions } from '../../api/requests.ts';
import type { Change, Draft } from '../../catalog/api.ts';
import { planKey, storeChoice, useChoice, useCurrentVersion, useDraft, useTeamId } from '../../catalog/draft.ts';
import { keyOf } from '../../catalog/entities.ts';
import { useNames } from '../../catalog/names.ts';
import { type GrowingPlan, usePlan } from '../../catalog/plan.ts';
import { PlanView } from '../../catalog/plan-view.tsx';
import { changeDraft, removeFromDraft } from '../../catalog/put-into-draft.ts';
import { DeleteButton, IconButton } from '../../parts/buttons.tsx';
import { confirmLoss } from '../../parts/confirm.tsx';
import { Facts } from '../../parts/facts.tsx';
import { formatMany, formatMoment } from '../../parts/format.ts';
import { InPlaceText } from '../../parts/in-place.tsx';
import { AllLoaded, EmptyCard } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { TextLink, usePathId } from '../../parts/text.tsx';
import { MovedOn, useMovedOn } from './moved-on.tsx';
import { PublishCard } from './publish-card.tsx';

const DraftFacts = ({ draft }: { draft: Draft }) => {
  const { canDesign } = usePermissions();
  const rename = useChange({
    run: (api, name: string) => changeDraft(api, draft.id, () => ({ name })),
    failed: 'Could not rename',
  });
  const { author, baseVersion, createdAt, updatedAt } = draft;
  return (
    <Card component="section" aria-label="Draft" padding="md">
      <Facts
        facts={{
          Name: canDesign && (
            <InPlaceText label="Name of the draft" value={draft.name} onSave={(name) => rename.mutateAsync(name)} />
          ),
          'Based on':
            baseVersion === 0 ? (
              'an empty catalog'
            ) : (
              <TextLink href={`/history/${baseVersion}`} inherit>
                version {baseVersion}
              </TextLink>
            ),
          Started: `${formatMoment(createdAt)} by ${author.name}`,
          'Last change': formatMoment(updatedAt),
        }}
      />
    </Card>
  );
};

/** Why a draft cannot be published now. */
const obstacleOf = ({ plan, error, pools, poolsDone }: GrowingPlan, hasClashes: boolean): string | undefined => {
  if (error !== null && plan === undefined) return 'The plan could not be made.';
  if (plan === undefined) return 'The plan is being made.';
  if (plan.faults.length > 0) return `Fix ${formatMany(plan.faults.length, 'fault')} first.`;
  if (plan.changes.length === 0) return 'Nothing differs from the live catalog.';
  if (poolsDone < pools) return 'The odds are being computed.';
  return hasClashes ? 'Rebase the draft first: both sides changed the same entities.' : undefined;
};

const WholeDraft = ({ draft, version }: { draft: Draft; version: number }) => {
  const { canDesign } = usePermissions();
  const growing = usePlan(planKey(draft, version), { changes: draft.changes });
  const names = useNames(growing.plan?.changes);
  const { current, isBehind, clashes } = useMovedOn(draft);
  const remove = useChange({
    run: (api, change: Change) => removeFromDraft(api, draft.id, keyOf(change)),
    done: (_, { before, after }) => `${(after ?? before)?.name} removed from the draft`,
    failed: 'Could not change the draft',
  });
  const isOwn = new Set(draft.changes.map(keyOf));
  const hasClashes = clashes !== undefined && clashes.length > 0;
  return (
    <>
      {draft.failure !== null && (
        <Alert color="red" icon={<IconAlertCircle />} title="It could not be published when it was due" role="alert">
          {asSentence(draft.failure)}
        </Alert>
      )}
      {isBehind && current !== undefined && <MovedOn draft={draft} current={current} clashes={clashes} names={names} />}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          {draft.changes.length === 0 ? (
            <EmptyCard title="No changes yet" icon={IconFilePencil}>
              Edit items, classifiers, templates, attributes or spaces: every change is collected here.
            </EmptyCard>
          ) : (
            <PlanView
              growing={growing}
              isPage
              actionOf={(change) =>
                canDesign &&
                isOwn.has(keyOf(change)) && (
                  <Button
                    variant="subtle"
                    color="gray"
                    size="compact-sm"
                    style={{ flex: 'none' }}
                    loading={remove.isPending && remove.variables === change}
                    aria-label={`Remove the change of ${(change.after ?? change.before)?.name} from the draft`}
                    onClick={() => remove.mutate(change)}
                  >
                    Remove
                  </Button>
                )
              }
            />
          )}
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="lg" pos={{ lg: 'sticky' }} top={68}>
            <DraftFacts draft={draft} />
            {canDesign && draft.changes.length > 0 && (
              <PublishCard
                draft={draft}
                obstacle={obstacleOf(growing, hasClashes)}
                mayRebase={isBehind && !hasClashes}
              />
            )}
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
};

export const DraftPage = () => {
  const id = usePathId();
  const query = useDraft(id);
  const version = useCurrentVersion();
  const { canDesign } = usePermissions();
  const teamId = useTeamId();
  const choice = useChoice();
  const [, navigate] = useLocation();
  const isActive = choice.to === 'draft' && choice.id === id;
  const draft = query.data?.draft;
  const remove = useChange({
    run: async (api, { id: own }: Draft) => {
      await api.catalogDrafts.delete(own);
      // Before anything is refetched: the draft is not missing, it was deleted.
      if (isActive) storeChoice(teamId, { to: 'new draft' });
      navigate('/drafts');
    },
    done: (_, { name }) => `${name} deleted`,
    failed: 'Could not delete',
  });
  const discard = (discarded: Draft) =>
    confirmLoss({
      title: `Delete the draft ${discarded.name}?`,
      text: `${formatMany(discarded.changes.length, 'change')} will be lost. The live catalog stays as it is.`,
      action: 'Delete draft',
      run: () => remove.mutate(discarded),
    });
  return (
    <Page
      title={draft?.name ?? 'Draft'}
      about={draft && `Draft · ${formatMany(draft.changes.length, 'change')}`}
      back={{ href: '/drafts', label: 'Drafts' }}
      curl={{ path: `/catalog/drafts/${encodeURIComponent(id)}` }}
      actions={
        <Group gap="xs">
          {!isActive && draft !== undefined && (
            <IconButton icon={IconFilePencil} onClick={() => storeChoice(teamId, { to: 'draft', id })}>
              Work on this draft
            </IconButton>
          )}
          {canDesign && draft !== undefined && (
            <DeleteButton loading={remove.isPending} onClick={() => discard(draft)} />
          )}
        </Group>
      }
    >
      <AllLoaded queries={[query, version]} lines={8}>
        {({ draft: loaded }, current) => <WholeDraft draft={loaded} version={current} />}
      </AllLoaded>
    </Page>
  );
};
