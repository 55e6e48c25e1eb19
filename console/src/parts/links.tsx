import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface Target {
  readonly href: string;
  readonly children: ReactNode;
}

export const TextLink = ({ href, children, ...rest }: Target & AnchorProps) => (
  <Anchor component={Link} href={href} {...rest}>
    {children}
  </Anchor>
);

export const LinkButton = ({ href, children, ...rest }: Target & ButtonProps) => (
  <Button component={Link} href={href} {...rest}>
    {children}
  </Button>
);
