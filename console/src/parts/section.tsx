import { Card, type CardProps, Group, type MantineSpacing, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Note } from './text.tsx';

interface SectionProps extends CardProps {
  readonly title: string;
  /** Its name for screen readers, if that is not its title. */
  readonly label?: string;
  /** A text, or more than that. */
  readonly about?: ReactNode;
  /** What is next to the title. */
  readonly aside?: ReactNode;
  readonly gap?: MantineSpacing;
  /** Whether it is in a card of its own. */
  readonly isCard?: boolean;
}

/** A part of a page, with a title. */
export const Section = (props: SectionProps) => {
  const { title, label = title, about, aside, gap = 'sm', isCard = true, children, ...rest } = props;
  const content = (
    <Stack gap={gap}>
      <Group justify="space-between" gap="sm">
        <div>
          <Title order={2}>{title}</Title>
          {typeof about === 'string' ? <Note>{about}</Note> : about}
        </div>
        {aside}
      </Group>
      {children}
    </Stack>
  );
  if (!isCard) return <section aria-label={label}>{content}</section>;
  return (
    <Card component="section" aria-label={label} {...rest}>
      {content}
    </Card>
  );
};
