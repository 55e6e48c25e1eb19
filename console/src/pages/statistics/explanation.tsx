import { Button, Collapse, List, Stack, Text } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useId, useState } from 'react';
import {
  EVERYTHING_COUNTS,
  HOW_IT_IS_COMPARED,
  RANGES_ARE_PER_ROW,
  ROWS_PROVE_LITTLE,
} from '../../../../src/engine/evidence/words.ts';

const Answers = () => (
  <List size="sm" spacing={6}>
    <List.Item>
      {HOW_IT_IS_COMPARED} <b>Promised</b> is the average of these odds; <b>actual</b> is what players got.
    </List.Item>
    <List.Item>
      <b>Evidence 1 : 24</b> means that a bet against the published odds would have multiplied its stake by 24. If the
      odds are right, results that look so bad come up at most once in 24 times. Below 1 : 10, there is nothing to
      report.
    </List.Item>
    <List.Item>
      If its odds are right, the chance that a configuration ever causes an <b>alarm</b> is at most 5 %. Looking more
      often does not raise that chance. An alarm says that something is wrong, not what.
    </List.Item>
    <List.Item>
      The <b>bar</b> shows the range of rates that the results do not rule out. The line in the middle is the promised
      rate, and the dot is the actual one. The more rolls there are, the narrower the bar gets. {RANGES_ARE_PER_ROW}
    </List.Item>
    <List.Item>{ROWS_PROVE_LITTLE}</List.Item>
    <List.Item>
      No evidence does not prove that all is well: a few rolls cannot show a small fault. Pity that is off by two rolls
      takes thousands of rolls to notice.
    </List.Item>
    <List.Item>
      A change of the configuration, or of the items that it draws from, begins a new count. If the change is taken
      back, the old count goes on. The evidence against all configurations <b>taken together</b> does not begin anew, so
      it grows although each of them lasts for a short time.
    </List.Item>
    <List.Item>
      Offers with a seed, test rolls and rolls on only some of the items are not counted. {EVERYTHING_COUNTS}
    </List.Item>
  </List>
);

/** What evidence means, for the curious. */
export const Explanation = () => {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <Stack gap="xs" align="flex-start">
      <Button
        variant="subtle"
        size="compact-sm"
        ml={-8}
        rightSection={isOpen ? <IconChevronUp size={14} /> : <IconChevronDown size={14} />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        What does this mean?
      </Button>
      <Collapse expanded={isOpen} id={id}>
        <Text component="div" size="sm" maw={820}>
          <Answers />
        </Text>
      </Collapse>
    </Stack>
  );
};
