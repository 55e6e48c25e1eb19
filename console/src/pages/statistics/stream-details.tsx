import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import {
  formatRatio,
  isWorthSaying,
  MAY_BE_CHANCE,
  RANGES_ARE_PER_ROW,
  templateWords,
} from '../../../../src/engine/evidence/words.ts';
import { historyPath } from '../../catalog/entities.ts';
import { type Stream, verdictOf, verdictWords } from '../../parts/evidence.ts';
import { formatColumnShare, formatCount, formatMoment } from '../../parts/format.ts';
import { Detail, TextLink } from '../../parts/text.tsx';
import { EvidenceTable } from './evidence-table.tsx';
import { type Known, rowName } from './row-name.tsx';
import { actualRate, groupsOf, type NamedStream, promisedRate, worstRow } from './streams.ts';

const PLACES = { tier: '', pity: ' while pity raises the odds', featured: '', item: ' within its tier' } as const;

/** Where the evidence comes from. */
const culprit = (stream: Stream, known: Known): string => {
  const worst = worstRow(stream);
  if (worst !== undefined)
    return `Most of it comes from ${rowName(worst, known)}${PLACES[worst.kind]}: promised ${formatColumnShare(promisedRate(worst))}, actual ${formatColumnShare(actualRate(worst))} of ${formatCount(worst.rolls)}.`;
  // Whatever is impossible is in no row.
  if (stream.greatest >= 1e12) return 'Something was rolled whose odds are 0.';
  return 'No row stands out: a pity counter may be off by a few rolls, results may be spread unevenly over many items, or the fault is recent.';
};

const Accusation = ({ stream, known }: { stream: Stream; known: Known }) => {
  const verdict = verdictOf(stream);
  if (verdict === 'none') return null;
  const { alarmedAt, threshold, evidence, greatest } = stream;
  if (verdict === 'some')
    return (
      <Text size="sm">
        {culprit(stream, known)} {MAY_BE_CHANCE} The alarm is at {formatRatio(threshold)}.
      </Text>
    );
  const since = alarmedAt === null ? 'within the last minute' : `since ${formatMoment(alarmedAt)}`;
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title={`Alarm ${since}: ${verdictWords(stream).toLowerCase()}`}>
      {culprit(stream, known)}
      {evidence < greatest / 2 && ` It is now ${isWorthSaying(evidence) ? formatRatio(evidence) : 'less than 1 : 10'}.`}
    </Alert>
  );
};

/** Everything about one configuration. */
export const StreamDetails = ({ named, known }: { named: NamedStream; known: Known }) => {
  const { name, stream } = named;
  const { templateId, config, threshold, greatest } = stream;
  const isSuspect = verdictOf(stream) !== 'none';
  return (
    <Stack gap="sm">
      <Accusation stream={stream} known={known} />
      <EvidenceTable label={`Results of ${name}`} groups={groupsOf(stream)} known={known} isSuspect={isSuspect} />
      <Group gap="md" justify="space-between">
        <Detail>
          {RANGES_ARE_PER_ROW} {templateWords(stream.templateEvidence)} Alarm at {formatRatio(threshold)}.
          {isWorthSaying(greatest) && ` Greatest evidence so far: ${formatRatio(greatest)}.`} Fingerprint of the
          configuration: <code title={config}>{config.slice(0, 12)}</code>
        </Detail>
        {templateId !== null && (
          <TextLink href={historyPath({ kind: 'template', id: templateId })} size="xs">
            History of the template
          </TextLink>
        )}
      </Group>
    </Stack>
  );
};
