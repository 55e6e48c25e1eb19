import { Text, type TextProps } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';

/** Small and pale: what explains or adds to something else. */
export const Note = (props: TextProps & Omit<ComponentPropsWithoutRef<'p'>, keyof TextProps>) => (
  <Text size="sm" c="dimmed" {...props} />
);
