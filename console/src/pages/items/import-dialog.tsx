import { Alert, Button, FileButton, Group, List, Modal, Stack, Textarea } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { entityOf } from '../../catalog/entities.ts';
import { useIsAsked } from '../../catalog/questions.tsx';
import { useBulkChange } from '../../catalog/use-catalog-change.ts';
import { useDeferred } from '../../parts/deferred.ts';
import { formatMany } from '../../parts/format.ts';
import { Note, Strong } from '../../parts/text.tsx';
import { type ReadSheet, readSheet } from './sheet.ts';

const FAULTS_SHOWN = 8;

interface ImportDialogProps {
  readonly items: readonly Schemas['Item'][];
  readonly classifiers: readonly Schemas['Classifier'][];
  readonly attributes: readonly Schemas['Attribute'][];
  readonly onClose: () => void;
}

const readOrFault = (read: () => ReadSheet): ReadSheet => {
  try {
    return read();
  } catch (error) {
    return { edits: [], unchanged: 0, faults: [(error as Error).message] };
  }
};

const summaryOf = ({ edits, unchanged }: ReadSheet): string => {
  const added = edits.filter(({ before }) => before === null).length;
  return [
    `${formatMany(added, 'new item')}`,
    `${formatMany(edits.length - added, 'item')} changed`,
    ...(unchanged > 0 ? [`${formatMany(unchanged, 'item')} as they are`] : []),
  ].join(', ');
};

/** Items from a spreadsheet: rows that are pasted, or a file. */
export const ImportDialog = ({ items, classifiers, attributes, onClose }: ImportDialogProps) => {
  const [text, setText] = useState('');
  const isAsked = useIsAsked();
  const entities = useMemo(() => items.map((item) => entityOf('item', item)), [items]);
  const sheet = useMemo(
    () => (text.trim() === '' ? undefined : readOrFault(() => readSheet(text, entities, { classifiers, attributes }))),
    [text, entities, classifiers, attributes],
  );
  const change = useBulkChange({ kind: 'item', done: (count) => `${formatMany(count, 'item')} saved` });
  const { onKeyDown: _, ...field } = useDeferred(text, setText);
  const isReady = sheet !== undefined && sheet.faults.length === 0 && sheet.edits.length > 0;
  return (
    <Modal
      opened
      onClose={onClose}
      title="Items from a spreadsheet"
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={!isAsked}
    >
      <Stack>
        <Note>
          Copy rows from a spreadsheet and paste them here, or open a CSV file. The first row names the columns, as in
          the file that <i>CSV</i> saves: name, rollNumerator or weight,{' '}
          {classifiers.map(({ name }) => name).join(', ') || 'a classifier'} and so on. Rows with the id or the name of
          an item change it; columns that are not there stay as they are.
        </Note>
        <Textarea
          label="Rows"
          data-autofocus
          rows={8}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12, whiteSpace: 'pre' } }}
          value={field.value}
          onChange={(event) => field.onChange(event.currentTarget.value)}
          onBlur={field.onBlur}
        />
        {sheet !== undefined &&
          (sheet.faults.length > 0 ? (
            <Alert color="red" title="Nothing can be imported yet" role="alert">
              <List size="sm">
                {sheet.faults.slice(0, FAULTS_SHOWN).map((fault) => (
                  <List.Item key={fault}>{fault}</List.Item>
                ))}
              </List>
              {sheet.faults.length > FAULTS_SHOWN && <Note>and {sheet.faults.length - FAULTS_SHOWN} more</Note>}
            </Alert>
          ) : (
            <Strong role="status">{summaryOf(sheet)}</Strong>
          ))}
        <Group justify="space-between">
          <FileButton accept=".csv,.tsv,.txt,text/csv" onChange={async (file) => setText((await file?.text()) ?? '')}>
            {(props) => (
              <Button variant="default" leftSection={<IconFileUpload size={16} />} {...props}>
                Open a file
              </Button>
            )}
          </FileButton>
          <Group gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              disabled={!isReady}
              loading={change.isPending}
              onClick={() => change.mutate([...(sheet?.edits ?? [])], { onSuccess: onClose })}
            >
              Import
            </Button>
          </Group>
        </Group>
      </Stack>
    </Modal>
  );
};
