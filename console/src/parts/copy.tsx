import { Button, type ButtonProps, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { notifyError } from '../api/requests.ts';

/** Browsers provide the clipboard API to secure origins only; elsewhere a selection is copied. */
const copyText = async (text: string): Promise<void> => {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (!isCopied) throw new Error('The browser does not allow it. Select the text and copy it manually.');
};

interface CopyProps extends ButtonProps {
  /** What is copied, or how to make it: then it is made only if somebody wants it. */
  readonly text: string | (() => string);
  readonly label?: string;
  /** What is copied, for those who do not see what is next to the button. */
  readonly what?: string;
}

export const Copy = ({ text, label = 'Copy', what, ...rest }: CopyProps) => {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await copyText(typeof text === 'string' ? text : text());
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
    } catch (error) {
      notifyError('Could not copy', error);
    }
  };
  return (
    <Button
      variant="default"
      leftSection={isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
      onClick={copy}
      {...rest}
    >
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
      {what !== undefined && <VisuallyHidden>&nbsp;{what}</VisuallyHidden>}
    </Button>
  );
};
