import { Anchor, type AnchorProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { PATH_PREFIX } from '../interface/path-prefix.ts';

interface ServiceLinkProps extends AnchorProps {
  /** The path on the service, without its prefix. */
  readonly path: string;
  readonly children: ReactNode;
}

/** A link to a page of the service that is not part of the console. */
export const ServiceLink = ({ path, children, ...rest }: ServiceLinkProps) => (
  <Anchor href={`${PATH_PREFIX}${path}`} target="_blank" underline="always" {...rest}>
    {children}
  </Anchor>
);
