import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useChange } from '../../api/requests.ts';
import { createDraft } from '../../catalog/api.ts';
import { storeChoice, useTeamId } from '../../catalog/draft.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';

type Values = { name: string };

/** Starts a draft, which is the one to work on from then on. */
export const NewDraft = ({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) => {
  const teamId = useTeamId();
  const form = useForm<Values>({
    initialValues: { name: '' },
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  const create = useChange({
    run: async (api, { name }: Values) => {
      const { draft } = await createDraft(api, name.trim());
      storeChoice(teamId, { to: 'draft', id: draft.id });
      onCreated(draft.id);
      return draft;
    },
  });
  return (
    <FormDialog title="New draft" action="Create draft" form={form} change={create} onClose={onClose}>
      <TextInput
        label="Name"
        withAsterisk
        data-autofocus
        placeholder="Winter banner"
        description="What it is about. It becomes the message of the version, unless you write another one."
        {...form.getInputProps('name')}
      />
    </FormDialog>
  );
};
