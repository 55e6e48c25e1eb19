import { Alert, List, Progress, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertCircle, IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { asSentence, explain } from '../api/client.ts';
import { formatMany } from '../parts/format.ts';
import { Failure, Lines } from '../parts/loaded.tsx';
import { Section } from '../parts/section.tsx';
import { Note, TextLink } from '../parts/text.tsx';
import type { Change, Finding, Plan } from './api.ts';
import type { Names } from './diff.ts';
import { pathOfEntity } from './entities.ts';
import { ChangeList } from './entity-diff.tsx';
import { useNames } from './names.ts';
import { PoolChange } from './odds-change.tsx';
import type { GrowingPlan } from './plan.ts';

/** Whatever takes less is not worth a progress bar. */
const PATIENCE_MS = 1_000;

/** A finding, with a link to what it is about; ids in quotes are replaced by names. */
const FindingText = ({ finding, names }: { finding: Finding; names: Names }) => {
  const { kind, id } = finding;
  const name = id === null ? undefined : names.of(id);
  const message = finding.message.replaceAll(/"([^"]+)"/g, (quoted, word) => names.of(word) ?? quoted);
  if (kind === null || id === null) return asSentence(message);
  const isNamed = name !== undefined && message.includes(name);
  const [before = '', ...after] = isNamed ? asSentence(message).split(name) : ['', `: ${message}`];
  return (
    <>
      {before}
      <TextLink href={pathOfEntity(kind, id)} inherit fw={600}>
        {name ?? `${kind} ${id}`}
      </TextLink>
      {after.join(name)}
    </>
  );
};

interface FindingsProps {
  readonly title: string;
  readonly colour: 'red' | 'yellow';
  readonly findings: readonly Finding[];
  readonly names: Names;
}

const Findings = ({ title, colour, findings, names }: FindingsProps) =>
  findings.length === 0 ? null : (
    <Alert
      color={colour}
      icon={colour === 'red' ? <IconAlertCircle /> : <IconAlertTriangle />}
      title={title}
      role={colour === 'red' ? 'alert' : 'note'}
    >
      <List size="sm" spacing={4} style={{ overflowWrap: 'anywhere' }}>
        {findings.map((finding) => (
          <List.Item key={`${finding.kind} ${finding.id} ${finding.path} ${finding.message}`}>
            <FindingText finding={finding} names={names} />
          </List.Item>
        ))}
      </List>
    </Alert>
  );

/** What a plan warns of, beyond its warnings: who is affected. */
const affected = ({ players }: Plan): Finding[] => {
  if (players.withState === 0) return [];
  const who = formatMany(players.withState, 'player has', 'players have');
  return [
    { kind: null, id: null, path: '', message: `${who} pity or spark on templates that this changes or deletes.` },
  ];
};

/** Odds before and after for every pool that changes, as they arrive. */
const PlanOdds = ({ growing }: { growing: GrowingPlan }) => {
  const { plan, odds, pools, poolsDone, failed } = growing;
  const isWaiting = poolsDone < pools;
  const [isLong] = useDebouncedValue(isWaiting, PATIENCE_MS);
  if (plan === undefined) return null;
  return (
    <Stack gap="lg">
      {isWaiting && isLong && (
        <Stack gap={4} role="status">
          <Note>
            Computing odds: {poolsDone} of {formatMany(pools, 'pool')}
          </Note>
          <Progress value={(100 * poolsDone) / pools} size="sm" aria-label="Pools computed" />
        </Stack>
      )}
      {odds.map((pool) => (
        <PoolChange key={pool.pool} odds={pool} />
      ))}
      {failed.map(({ name, error }) => (
        <Text key={name} size="sm" c="red">
          The odds of {name} could not be computed: {explain(error)}
        </Text>
      ))}
      {!isWaiting && odds.length === 0 && failed.length === 0 && (
        <Note>{plan.faults.length > 0 ? 'The odds are shown once the faults are fixed.' : 'No odds change.'}</Note>
      )}
    </Stack>
  );
};

interface PlanViewProps {
  readonly growing: GrowingPlan;
  readonly actionOf?: (change: Change) => ReactNode;
  /** Whether parts are in cards of their own, as on a page. */
  readonly isPage?: boolean;
}

const summaryOf = ({ summary }: Plan): string =>
  [
    [summary.create, 'new'],
    [summary.update, 'changed'],
    [summary.delete, 'deleted'],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(', ');

/** A whole plan: faults and warnings, the odds, and every entity. */
export const PlanView = ({ growing, actionOf, isPage = false }: PlanViewProps) => {
  const { plan, warnings, error, retry } = growing;
  const names = useNames(plan?.changes);
  if (error !== null && plan === undefined) return <Failure error={error} retry={retry} />;
  if (plan === undefined) return <Lines count={5} />;
  const { changes } = plan;
  return (
    <Stack gap="lg">
      <Findings title="This cannot be published yet" colour="red" findings={plan.faults} names={names} />
      <Findings title="Before you publish" colour="yellow" findings={[...warnings, ...affected(plan)]} names={names} />
      <Section title="Odds" gap="md" isCard={isPage}>
        <PlanOdds growing={growing} />
      </Section>
      <Section title="Changes" gap="md" isCard={isPage}>
        <Note>{changes.length === 0 ? 'Nothing differs from the live catalog.' : summaryOf(plan)}</Note>
        {changes.length > 0 && <ChangeList changes={changes} names={names} actionOf={actionOf} />}
      </Section>
    </Stack>
  );
};
