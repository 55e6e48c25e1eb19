import { Button, Group } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { UseQueryResult } from '@tanstack/react-query';
import { type FormEvent, Fragment, type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { usePermissions } from '../api/requests.ts';
import { DeleteButton } from '../parts/buttons.tsx';
import { AllLoaded } from '../parts/loaded.tsx';
import { isFormValid } from '../parts/number-field.tsx';
import { LinkButton } from '../parts/text.tsx';
import { forgetUnsaved, useUnsaved } from '../parts/unsaved.ts';
import { editOf, reapplied } from './edits.ts';
import type { Entities } from './entities.ts';
import { Cancelled } from './questions.tsx';
import { StaleNotice } from './stale.tsx';
import { useCatalogChange, useRemoval } from './use-catalog-change.ts';

interface OnceLoadedProps {
  /** What the editor needs of the catalog. */
  readonly queries: readonly UseQueryResult[];
  readonly children: (onDiscard: () => void) => ReactNode;
}

/** An editor, once its choices are loaded. Giving up what was entered starts it anew. */
export const EditorOnceLoaded = ({ queries, children }: OnceLoadedProps) => {
  const [attempt, setAttempt] = useState(0);
  return (
    <AllLoaded queries={queries} lines={8}>
      {() => <Fragment key={attempt}>{children(() => setAttempt(attempt + 1))}</Fragment>}
    </AllLoaded>
  );
};

interface Editing<K extends 'item' | 'template', V> {
  readonly kind: K;
  /** The entity as it is now; null if it is new. */
  readonly current: Entities[K] | null;
  readonly form: UseFormReturnType<V>;
  readonly valuesOf: (entity: Entities[K]) => V;
  /** The entity that values describe. `shown` is the one that the form began with. */
  readonly wantedOf: (values: V, shown: Entities[K] | null) => Entities[K];
  /** What follows when it is saved, even if the page is gone by then. */
  readonly afterwards?: () => void;
  /** What follows when it is saved and shown. */
  readonly onSaved?: (entity: Entities[K] | null, values: V) => void;
  /** Told why it could not be saved; undefined when it is tried again. */
  readonly onFault: (error: unknown) => void;
  /** What was entered is given up. */
  readonly onDiscard: () => void;
  /** Label of the link to the list. */
  readonly back: string;
}

/** What the pages of entities share: saving, deleting, and noticing what others have changed meanwhile. */
export const useEntityEditor = <K extends 'item' | 'template', V>(editing: Editing<K, V>) => {
  const { kind, current, form, valuesOf, wantedOf, afterwards, onSaved, onFault, onDiscard, back } = editing;
  const { canDesign } = usePermissions();
  const [, navigate] = useLocation();
  useUnsaved(canDesign && form.isDirty());
  /** What the form began with: whatever it has become since must not be overwritten unseen. */
  const [shown, setShown] = useState(current);
  const save = useCatalogChange({
    kind,
    edit: (values: V) => ({ before: shown, after: wantedOf(values, shown) }),
    done: ({ after }) => `${after?.name} saved`,
    afterwards,
  });
  const remove = useRemoval(kind, shown, () => {
    forgetUnsaved();
    navigate(`/${kind}s`);
  });
  const submitValid = form.onSubmit((values) => {
    onFault(undefined);
    save.mutate(values, {
      onSuccess: (saved) => {
        if (current !== null) setShown(saved);
        onSaved?.(saved, values);
      },
      onError: (error) => {
        if (!(error instanceof Cancelled)) onFault(error);
        else if (error.isDiscarded) onDiscard();
      },
    });
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    if (isFormValid(event.currentTarget)) submitValid(event);
    else event.preventDefault();
  };
  const reapply = () => {
    const { after } = reapplied(editOf(kind, shown, wantedOf(form.values, shown)), current);
    form.setValues(valuesOf(after as Entities[K]));
    setShown(current);
  };
  const notice = (
    <StaleNotice
      kind={kind}
      shown={shown}
      current={current}
      wanted={form.isDirty() ? wantedOf(form.values, shown) : undefined}
      isSaving={save.isPending || remove.isPending}
      onReapply={reapply}
      onDiscard={onDiscard}
    />
  );
  const buttons = (
    <Group>
      {canDesign && (
        <Button type="submit" loading={save.isPending}>
          {current === null ? `Create ${kind}` : 'Save'}
        </Button>
      )}
      <LinkButton href={`/${kind}s`} variant="default">
        {back}
      </LinkButton>
      {canDesign && current !== null && (
        <DeleteButton ml="auto" loading={remove.isPending} onClick={() => remove.mutate()} />
      )}
    </Group>
  );
  return { submit, notice, buttons };
};
