import { Alert, Button, Card, Grid, Group, Stack, Tabs, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconInfoCircle, IconTrash } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { type Schemas, unwrap } from '../../interface/client.ts';
import { ifUnchanged } from '../../interface/if-unchanged.ts';
import { usePermissions, useTemplateOdds } from '../../interface/queries.ts';
import { useChange } from '../../interface/use-change.ts';
import type { KnownOption } from '../../parts/catalog.ts';
import { confirmLoss } from '../../parts/confirm.tsx';
import { FaultList } from '../../parts/fault-list.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { pathTo } from '../../parts/path-id.ts';
import { forgetUnsaved, useUnsaved } from '../../parts/unsaved.ts';
import { fieldOf, type TemplateForm } from './form-fields.tsx';
import { SECTIONS } from './form-sections.tsx';
import { useLiveOdds } from './live-odds.ts';
import { OddsPanel } from './odds-panel.tsx';
import { templateFaults } from './template-faults.ts';
import {
  type Config,
  resolverOf,
  START,
  type TemplateType,
  type TemplateValues,
  toConfig,
  toValues,
} from './template-values.ts';
import { TryPanel } from './try-panel.tsx';

interface TemplateEditorProps {
  /** Undefined for a new template. */
  readonly template?: Schemas['Template'];
  readonly type: TemplateType;
  readonly items: readonly Schemas['Item'][];
  readonly options: ReadonlyMap<string, KnownOption>;
}

/** Whether rows are still incomplete: then the service is not asked. */
const unfinished = ({ tiers, pities, slots, depthScaling }: TemplateValues): boolean =>
  [...tiers, ...pities, ...depthScaling, ...slots.flatMap(({ rates }) => rates)].some(({ tier }) => tier === '');

const FIELD =
  /^(?:id|name|tiers|tiers\.\d+\.rate|poolOptionIds|poolItemIds|pityThreshold|pityTier|softPity|softPity\.\d+\.(?:from|add)|pities|pities\.\d+\.(?:tier|threshold)|pities\.\d+\.softPity|pities\.\d+\.softPity\.\d+\.(?:from|add)|featuredItemIds|featuredShare|guaranteeAfterLosses|rateUpMultiplier|sparkCurrency|pityGroup|startsAt|endsAt|slots|slots\.\d+\.(?:count|rates|classifierOptionIds)|slots\.\d+\.rates\.\d+\.rate|unique|choices|depthScaling|depthScaling\.\d+\.rate|rollsPerHour|maxHours)$/;

export const TemplateEditor = ({ template, type, items, options }: TemplateEditorProps) => {
  const { canDesign } = usePermissions();
  const [, navigate] = useLocation();
  const initial = useMemo(
    () => toValues(template?.name ?? '', (template?.config ?? START[type]) as Config, resolverOf(options)),
    [template, type, options],
  );
  const form = useForm<TemplateValues>({
    initialValues: initial,
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  useUnsaved(canDesign && form.isDirty());
  const [saveError, setSaveError] = useState<unknown>();
  const config = toConfig(type, form.values);
  const isUnfinished = unfinished(form.values);
  const live = useLiveOdds(type, config, canDesign && !isUnfinished);
  const saved = useTemplateOdds(canDesign ? undefined : template?.id);

  const { fields, others } = templateFaults(live.error ?? saveError, form.values, (field) => FIELD.test(field));
  const shared: TemplateForm = { form, faults: fields, isReadOnly: !canDesign, options };

  const save = useChange({
    run: async (api, { id, name }: TemplateValues) =>
      template === undefined
        ? unwrap(api.POST('/templates', { body: { name, type, config: config as never, ...(id !== '' && { id }) } }))
        : unwrap(
            api.PUT('/templates/{id}', {
              params: { path: { id: template.id } },
              body: { name, config: config as never },
              ...(await ifUnchanged(api, 'template', template)),
            }),
          ),
    done: ({ name }) => `${name} saved`,
  });
  const remove = useChange({
    run: async (api, shown: Schemas['Template']) =>
      unwrap(
        api.DELETE('/templates/{id}', {
          params: { path: { id: shown.id } },
          ...(await ifUnchanged(api, 'template', shown)),
        }),
      ),
    done: () => `${template?.name} deleted`,
    failed: 'Could not delete',
  });
  const submit = form.onSubmit((values) => {
    setSaveError(undefined);
    save.mutate(values, {
      onSuccess: ({ id }) => {
        form.resetDirty(values);
        forgetUnsaved();
        if (template === undefined) navigate(pathTo('templates', id));
      },
      onError: setSaveError,
    });
  });

  const shown = canDesign ? live.data : saved.data && { odds: saved.data, config: config };
  const oddsError = canDesign ? live.error : saved.error;
  const isWaiting = canDesign ? live.isFetching : saved.isFetching;

  return (
    <form onSubmit={submit} noValidate>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack gap="lg">
            <Card>
              <Stack>
                <TextInput label="Name" withAsterisk {...fieldOf(shared, 'name')} />
                {template === undefined && (
                  <TextInput
                    label="Id"
                    description="Your own id, such as dawn-banner; generated if left empty."
                    {...fieldOf(shared, 'id')}
                  />
                )}
              </Stack>
            </Card>
            {SECTIONS[type].map((Section) => (
              <Section key={Section.name} shared={shared} type={type} items={items} />
            ))}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack gap="lg">
            <Group>
              {canDesign && (
                <Button type="submit" loading={save.isPending}>
                  {template === undefined ? 'Create template' : 'Save'}
                </Button>
              )}
              <LinkButton href="/templates" variant="default">
                Back
              </LinkButton>
              {canDesign && template !== undefined && (
                <Button
                  variant="subtle"
                  color="red"
                  ml="auto"
                  leftSection={<IconTrash size={16} />}
                  loading={remove.isPending}
                  onClick={() =>
                    confirmLoss({
                      title: `Delete ${template.name}?`,
                      text: 'Pity, spark and all other player state on it is deleted too. Roll statistics are kept. This cannot be undone.',
                      action: 'Delete template',
                      run: () =>
                        remove.mutate(template, {
                          onSuccess: () => {
                            forgetUnsaved();
                            navigate('/templates');
                          },
                        }),
                    })
                  }
                >
                  Delete
                </Button>
              )}
            </Group>
            {isUnfinished && (
              <Alert color="yellow" icon={<IconInfoCircle />}>
                A row has no tier yet. The odds are shown once it has one.
              </Alert>
            )}
            {Object.keys(fields).length > 0 && (
              <Alert color="red" icon={<IconInfoCircle />} title="This cannot be saved yet" role="alert">
                The errors are shown next to the fields.
              </Alert>
            )}
            <FaultList faults={others} title={oddsError === null ? 'Could not save' : 'This cannot be saved yet'} />
            <Tabs defaultValue="odds" keepMounted={false}>
              <Tabs.List mb="lg">
                <Tabs.Tab value="odds">Odds</Tabs.Tab>
                {template !== undefined && <Tabs.Tab value="try">Try it</Tabs.Tab>}
              </Tabs.List>
              <Tabs.Panel value="odds">
                {shown === undefined ? (
                  oddsError === null && !isUnfinished && <Lines count={6} />
                ) : (
                  <OddsPanel
                    name={form.values.name || 'this template'}
                    type={type}
                    config={shown.config}
                    odds={shown.odds}
                    options={options}
                    isOld={isWaiting || oddsError !== null || isUnfinished}
                  />
                )}
              </Tabs.Panel>
              {template !== undefined && (
                <Tabs.Panel value="try">
                  <TryPanel template={template} isDirty={form.isDirty()} items={items} options={options} />
                </Tabs.Panel>
              )}
            </Tabs>
          </Stack>
        </Grid.Col>
      </Grid>
    </form>
  );
};
