import { Accordion, Badge, Group, Text } from '@mantine/core';
import { IconScale } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { EVERYTHING_COUNTS, teamWords } from '../../../../src/engine/evidence/words.ts';
import type { Schemas } from '../../api/client.ts';
import { useEvidence, useItems, useTemplates } from '../../api/requests.ts';
import { useLiveOptions } from '../../catalog/reads.ts';
import { MoreButton } from '../../parts/buttons.tsx';
import { type Stream, verdictOf, verdictWords } from '../../parts/evidence.ts';
import { formatDate, formatMany } from '../../parts/format.ts';
import { AllLoaded, Empty } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { Note } from '../../parts/text.tsx';
import classes from './evidence-card.module.css';
import { Explanation } from './explanation.tsx';
import type { Known } from './row-name.tsx';
import { StreamDetails } from './stream-details.tsx';
import { type NamedStream, namedStreams } from './streams.ts';

const COLOURS = { none: 'green', some: 'yellow', alarm: 'red' } as const;

const VerdictBadge = ({ stream }: { stream: Stream }) => {
  const verdict = verdictOf(stream);
  const words = verdictWords(stream);
  return (
    <Badge variant={verdict === 'alarm' ? 'filled' : 'dot'} color={COLOURS[verdict]} className={classes.verdict}>
      {verdict === 'alarm' ? `Alarm: ${words.toLowerCase()}` : words}
    </Badge>
  );
};

const StreamItem = ({ named, known }: { named: NamedStream; known: Known }) => {
  const { key, name, isEarlier, stream } = named;
  return (
    <Accordion.Item value={key}>
      <Accordion.Control>
        <Group justify="space-between" gap="xs" pe="xs">
          <div>
            <Text fw={600}>{isEarlier ? `${name}, an earlier configuration` : name}</Text>
            <Note>
              {formatMany(stream.rolls, 'item')} rolled since {formatDate(stream.since)}
            </Note>
          </div>
          <VerdictBadge stream={stream} />
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <StreamDetails named={named} known={known} />
      </Accordion.Panel>
    </Accordion.Item>
  );
};

interface StreamListProps {
  readonly streams: readonly Stream[];
  readonly templates: readonly Schemas['Template'][];
  readonly known: Known;
}

/** Sound earlier configurations are folded away. */
const isOld = ({ isEarlier, stream }: NamedStream): boolean => isEarlier && verdictOf(stream) === 'none';

const StreamList = ({ streams, templates, known }: StreamListProps) => {
  const all = useMemo(() => namedStreams(streams, templates), [streams, templates]);
  const rolled = all.filter(({ stream }) => stream.rolls > 0);
  const waiting = all.filter(({ stream, isEarlier }) => stream.rolls === 0 && !isEarlier);
  const old = rolled.filter(isOld);
  const [showsOld, setShowsOld] = useState(false);
  const [first] = rolled;
  if (first === undefined)
    return (
      <Empty title="Nothing to compare yet" icon={IconScale}>
        Your game's rolls are compared with their odds here.
      </Empty>
    );
  return (
    <>
      <Accordion
        multiple
        order={3}
        variant="separated"
        keepMounted={false}
        classNames={{ item: classes.plain, control: `${classes.part} ${classes.plain}`, content: classes.part }}
        defaultValue={rolled.filter(({ stream }) => verdictOf(stream) === 'alarm').map(({ key }) => key)}
      >
        {(showsOld ? rolled : rolled.filter((named) => !isOld(named))).map((named) => (
          <StreamItem key={named.key} named={named} known={known} />
        ))}
      </Accordion>
      {old.length > 0 && (
        <MoreButton ml={-8} onClick={() => setShowsOld(!showsOld)}>
          {showsOld ? 'Hide earlier configurations' : `Show ${formatMany(old.length, 'earlier configuration')}`}
        </MoreButton>
      )}
      {waiting.length > 0 && <Note>No rolls yet: {waiting.map(({ name }) => name).join(', ')}.</Note>}
    </>
  );
};

const summaryOf = (streams: readonly Stream[]): string => {
  const count = (wanted: ReturnType<typeof verdictOf>) =>
    streams.filter((stream) => verdictOf(stream) === wanted).length;
  if (count('alarm') > 0) return `${formatMany(count('alarm'), 'alarm')}.`;
  if (count('some') > 0) return `No alarm; some evidence against ${formatMany(count('some'), 'configuration')}.`;
  return 'No evidence against any published odds.';
};

/** Whether what came out fits the odds, for every configuration. Of all days: a part of them would be a choice. */
export const EvidenceCard = () => {
  const evidence = useEvidence();
  const templates = useTemplates();
  const items = useItems();
  const options = useLiveOptions();
  const known = useMemo(
    () => ({ options, items: new Map((items.data?.rows ?? []).map((item) => [item.id, item])) }),
    [options, items.data],
  );
  const rolled = evidence.data?.filter(({ rolls }) => rolls > 0) ?? [];
  return (
    <Section
      title="Do the results fit the odds?"
      label="Results against odds"
      about={
        <Note mt={2} role="status">
          {rolled[0] !== undefined && `${summaryOf(rolled)} ${teamWords(rolled[0].teamEvidence)} `}
          {EVERYTHING_COUNTS}
        </Note>
      }
      gap="md"
    >
      <AllLoaded queries={[evidence, templates]} lines={4}>
        {(streams, { rows }) => <StreamList streams={streams} templates={rows} known={known} />}
      </AllLoaded>
      <Explanation />
    </Section>
  );
};
