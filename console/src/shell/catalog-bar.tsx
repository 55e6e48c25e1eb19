import { Badge, Button, Group, Menu, Text } from '@mantine/core';
import { IconCheck, IconChevronDown, IconFilePencil, IconList, IconPlus, IconWorld } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { useLocation } from 'wouter';
import { usePermissions } from '../api/requests.ts';
import type { Draft } from '../catalog/api.ts';
import {
  type Choice,
  planKey,
  storeChoice,
  useActiveDraft,
  useChoice,
  useCurrentVersion,
  useDrafts,
  useTeamId,
} from '../catalog/draft.ts';
import { isSame } from '../catalog/entities.ts';
import { planQuery } from '../catalog/plan.ts';
import { NewDraft } from '../pages/drafts/new-draft.tsx';
import { formatMany } from '../parts/format.ts';
import { pathTo, TextLink } from '../parts/text.tsx';
import { leaveSafely } from '../parts/unsaved.ts';
import { useApi } from '../session/session.tsx';
import classes from './catalog-bar.module.css';

/** How many faults keep the draft from being published. */
const FaultCount = ({ draft }: { draft: Draft }) => {
  const version = useCurrentVersion().data;
  const api = useApi();
  const { data } = useQuery({
    ...planQuery(api, planKey(draft, version ?? 0), { changes: draft.changes }),
    enabled: version !== undefined && draft.changes.length > 0,
  });
  const count = data?.faults.length ?? 0;
  if (count === 0) return null;
  return (
    <Badge color="red" miw="max-content">
      {formatMany(count, 'fault')}
    </Badge>
  );
};

const Words = ({ choice, draft }: { choice: Choice; draft: Draft | undefined }) => {
  const { canDesign } = usePermissions();
  if (draft !== undefined)
    return (
      <>
        <Text size="sm" miw={0} truncate>
          Draft:{' '}
          <TextLink href={pathTo('drafts', draft.id)} inherit fw={600}>
            {draft.name}
          </TextLink>
        </Text>
        <Text size="sm" flex="none" style={{ whiteSpace: 'nowrap' }}>
          · {formatMany(draft.changes.length, 'change')}
        </Text>
        <FaultCount draft={draft} />
      </>
    );
  return (
    <Text size="sm" miw={0} truncate>
      <b>Live</b>
      {canDesign && (
        <Text span inherit c="dimmed">
          {choice.to === 'live' ? ' · edits affect players at once' : ' · your first edit starts a draft'}
        </Text>
      )}
    </Text>
  );
};

/** What the console shows and edits: the live catalog or a draft. */
export const CatalogBar = ({ onSwitch }: { onSwitch: () => void }) => {
  const teamId = useTeamId();
  const choice = useChoice();
  const draft = useActiveDraft();
  const drafts = useDrafts().data ?? [];
  const { canDesign } = usePermissions();
  const [, navigate] = useLocation();
  const [isCreating, setCreating] = useState(false);
  const choose = (chosen: Choice) =>
    leaveSafely(() => {
      storeChoice(teamId, chosen);
      onSwitch();
    });
  const item = (to: Choice, label: string, Icon = IconFilePencil) => (
    <Menu.Item
      leftSection={<Icon size={16} />}
      rightSection={isSame(to, choice) && <IconCheck size={16} aria-label="chosen" />}
      onClick={() => choose(to)}
    >
      {label}
    </Menu.Item>
  );
  const Icon = draft === undefined ? IconWorld : IconFilePencil;
  return (
    <section
      aria-label="Catalog"
      className={classes.bar}
      data-draft={draft !== undefined || undefined}
      data-live={(choice.to === 'live' && canDesign) || undefined}
    >
      <Group gap="sm" wrap="nowrap" justify="space-between" maw={1240} mx="auto">
        <Group gap={6} wrap="nowrap" miw={0}>
          <Icon size={18} aria-hidden className={classes.icon} />
          <Words choice={choice} draft={draft} />
        </Group>
        <Menu position="bottom-end" width={280}>
          <Menu.Target>
            <Button
              size="compact-sm"
              variant="default"
              rightSection={<IconChevronDown size={14} />}
              style={{ flex: 'none' }}
              aria-label="Switch between live and drafts"
            >
              Switch
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {item({ to: 'live' }, 'Live', IconWorld)}
            {canDesign && item({ to: 'new draft' }, 'New draft when I edit something')}
            {drafts.length > 0 && <Menu.Label>Drafts</Menu.Label>}
            {drafts.map(({ id, name, count }) => (
              <Fragment key={id}>{item({ to: 'draft', id }, `${name} · ${formatMany(count, 'change')}`)}</Fragment>
            ))}
            <Menu.Divider />
            {canDesign && (
              <Menu.Item leftSection={<IconPlus size={16} />} onClick={() => leaveSafely(() => setCreating(true))}>
                New draft
              </Menu.Item>
            )}
            {draft !== undefined && (
              <Menu.Item
                leftSection={<IconFilePencil size={16} />}
                onClick={() => navigate(pathTo('drafts', draft.id))}
              >
                Open the draft's page
              </Menu.Item>
            )}
            <Menu.Item leftSection={<IconList size={16} />} onClick={() => navigate('/drafts')}>
              All drafts
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      {isCreating && <NewDraft onClose={() => setCreating(false)} onCreated={onSwitch} />}
    </section>
  );
};
