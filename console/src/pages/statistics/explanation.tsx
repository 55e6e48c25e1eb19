import { Button, Collapse, List, Stack, Text } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useId, useState } from 'react';

const Answers = () => (
  <List size="sm" spacing={6}>
    <List.Item>
      Every roll is compared with the odds that it had at that moment, with the counters of the player as they were.{' '}
      <b>Promised</b> is the average of these odds; <b>came out</b> is what players got.
    </List.Item>
    <List.Item>
      <b>Evidence 1 : 24 against</b> means: what came out is 24 times as likely if something is wrong as it is with the
      published odds. Below 1 : 10 there is nothing to tell.
    </List.Item>
    <List.Item>
      A configuration that keeps its odds causes an <b>alarm</b> with a chance of 5 % at most, in its whole life. You
      may look as often as you like; that does not raise the chance. An alarm says that something is wrong, not what.
    </List.Item>
    <List.Item>
      The <b>bar</b> has every rate that the results leave possible, with 95 %; the line in its middle is the promised
      rate, and the dot is what came out. It gets narrower with every roll.
    </List.Item>
    <List.Item>
      <b>A single row proves little</b>: where there are many, some have evidence, or a promised rate outside the bar,
      by chance. Only the evidence of the whole configuration takes that into account.
    </List.Item>
    <List.Item>
      No evidence is no proof: few rolls cannot show a small fault. Pity that is off by two rolls takes some thousand
      rolls to notice.
    </List.Item>
    <List.Item>
      A change of the configuration, or of the items that it draws from, begins a new count. If it is taken back, the
      old count goes on.
    </List.Item>
    <List.Item>
      Offers with a seed, test rolls and rolls on a part of the items are not counted. Neither are rolls of more than
      400 days ago.
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
