import { Anchor, type AnchorProps, Button, type ButtonProps, Text, type TextProps } from '@mantine/core';
import type { ComponentPropsWithoutRef, ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { PATH_PREFIX } from '../api/path-prefix.ts';

type ParagraphProps = TextProps & Omit<ComponentPropsWithoutRef<'p'>, keyof TextProps>;

/** Small and pale: what explains or adds to something else. */
export const Note = (props: ParagraphProps) => <Text size="sm" c="dimmed" {...props} />;

/** Smaller still: what stands below a name or a number. */
export const Detail = (props: ParagraphProps) => <Note size="xs" {...props} />;

/** A name, or what matters most. */
export const Strong = (props: ParagraphProps) => <Text size="sm" fw={500} {...props} />;

/** The id at the end of the URL. Read from the URL itself: an id may contain any character, including escaped ones. */
export const usePathId = (): string => {
  useLocation();
  const last = window.location.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
};

export const pathTo = (section: string, id: string): string => `/${section}/${encodeURIComponent(id)}`;

interface Target {
  readonly href: string;
  readonly children: ReactNode;
}

export const TextLink = (props: Target & AnchorProps) => <Anchor component={Link} size="sm" {...props} />;

/** A link that is the name of something. */
export const NameLink = (props: Target & AnchorProps) => <TextLink fw={500} {...props} />;

export const LinkButton = (props: Target & ButtonProps) => <Button component={Link} {...props} />;

/** A link to a page of the service that is not part of the console, by its path without the prefix. */
export const ServiceLink = ({ path, children }: { path: string; children: ReactNode }) => (
  <Anchor href={`${PATH_PREFIX}${path}`} target="_blank" underline="always" inherit>
    {children}
  </Anchor>
);
