import { Alert, Button, Card, Grid, Group, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconInfoCircle, IconTrash } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useActiveDraft } from '../../catalog/draft.ts';
import { reapplied } from '../../catalog/edits.ts';
import { type Entities, entityOf, newId, trustOf } from '../../catalog/entities.ts';
import { LiveNote } from '../../catalog/marks.tsx';
import { Cancelled } from '../../catalog/questions.tsx';
import { StaleNotice } from '../../catalog/stale-notice.tsx';
import { useCatalogChange } from '../../catalog/use-catalog-change.ts';
import { explain } from '../../interface/api-error.ts';
import type { Schemas } from '../../interface/client.ts';
import { usePermissions } from '../../interface/queries.ts';
import type { KnownOption } from '../../parts/catalog.ts';
import { FaultList } from '../../parts/fault-list.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { pathTo } from '../../parts/path-id.ts';
import { forgetUnsaved, useUnsaved } from '../../parts/unsaved.ts';
import { EntityHistory } from '../history/entity-history.tsx';
import { TemplateSimulator } from '../simulator/template-simulator.tsx';
import { DepthSlider } from './depth-slider.tsx';
import { fieldOf, type TemplateForm } from './form-fields.tsx';
import { SECTIONS } from './form-sections.tsx';
import { depthFaultOf, useLiveOdds, useSavedOdds } from './live-odds.ts';
import { OddsPanel } from './odds-panel.tsx';
import { templateFaults } from './template-faults.ts';
import { resolverOf, START, type TemplateType, type TemplateValues, toConfig, toValues } from './template-values.ts';
import { TrustSection } from './trust-section.tsx';

interface TemplateEditorProps {
  /** Undefined for a new template. */
  readonly template?: Schemas['Template'];
  readonly type: TemplateType;
  readonly items: readonly Schemas['Item'][];
  readonly options: ReadonlyMap<string, KnownOption>;
  /** What was entered is given up. */
  readonly onDiscard: () => void;
}

/** Whether rows are still incomplete: then the service is not asked. */
const unfinished = ({ tiers, pities, slots, depthScaling }: TemplateValues): boolean =>
  [...tiers, ...pities, ...depthScaling, ...slots.flatMap(({ rates }) => rates)].some(({ tier }) => tier === '');

const FIELD =
  /^(?:id|name|verifiable|tiers|tiers\.\d+\.rate|poolOptionIds|poolItemIds|pityThreshold|pityTier|softPity|softPity\.\d+\.(?:from|add)|pities|pities\.\d+\.(?:tier|threshold)|pities\.\d+\.softPity|pities\.\d+\.softPity\.\d+\.(?:from|add)|featuredItemIds|featuredShare|guaranteeAfterLosses|rateUpMultiplier|sparkCurrency|pityGroup|startsAt|endsAt|slots|slots\.\d+\.(?:count|rates|classifierOptionIds)|slots\.\d+\.rates\.\d+\.rate|unique|choices|depthScaling|depthScaling\.\d+\.rate|rollsPerHour|maxHours)$/;

/** Why a configuration cannot be simulated. */
const obstacleOf = (isUnfinished: boolean, isFaulty: boolean): string | undefined => {
  if (isUnfinished) return 'A row of the configuration has no tier yet.';
  return isFaulty ? 'The configuration has errors, which are shown next to its fields.' : undefined;
};

export const TemplateEditor = ({ template, type, items, options, onDiscard }: TemplateEditorProps) => {
  const { canDesign } = usePermissions();
  const [, navigate] = useLocation();
  const initial = useMemo(
    () => toValues(template ?? { name: '', config: START[type] }, resolverOf(options)),
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
  const [depth, setDepth] = useState(0);
  const live = useLiveOdds({ type, config, depth }, canDesign && !isUnfinished);
  const saved = useSavedOdds(canDesign ? undefined : template?.id, depth);

  const isDraft = useActiveDraft() !== undefined;
  const depthFault = depthFaultOf(canDesign ? live.error : saved.error);
  const configError = depthFault === undefined ? live.error : null;
  // The service computes odds on the live catalog, which may not have what the draft adds: that is no fault of the form.
  const formError = isDraft ? saveError : (configError ?? saveError);
  const { fields, others } = templateFaults(formError, form.values, (field) => FIELD.test(field));
  const configFaults = templateFaults(configError, form.values, (field) => FIELD.test(field)).fields;
  const obstacle = obstacleOf(isUnfinished, Object.keys(configFaults).length > 0);
  const shared: TemplateForm = { form, faults: fields, isReadOnly: !canDesign, options };

  const current = template === undefined ? null : entityOf('template', template);
  /** The template that the form began with: whatever it has become since must not be overwritten unseen. */
  const [shownEntity, setShownEntity] = useState(current);
  const wantedOf = ({ id, name, verifiable, isPublic }: TemplateValues): Entities['template'] => ({
    id: template?.id ?? (id || newId()),
    name,
    type,
    config: JSON.parse(JSON.stringify(config)),
    ...trustOf({ verifiable, disclosure: isPublic ? 'public' : 'private' }),
  });
  const save = useCatalogChange({
    kind: 'template',
    edit: (values: TemplateValues) => ({ before: shownEntity, after: wantedOf(values) }),
    done: ({ after }) => `${after?.name} saved`,
  });
  const remove = useCatalogChange({
    kind: 'template',
    edit: () => ({ before: shownEntity, after: null }),
    done: ({ before }) => `${before?.name} deleted`,
    afterwards: () => {
      forgetUnsaved();
      navigate('/templates');
    },
    failed: 'Could not delete',
  });
  const reapply = () => {
    const edit = {
      kind: 'template',
      id: template?.id ?? '',
      before: shownEntity,
      after: wantedOf(form.values),
    } as const;
    const after = reapplied(edit, current).after as Entities['template'];
    form.setValues(toValues(after, resolverOf(options)));
    setShownEntity(current);
  };
  const submit = form.onSubmit((values) => {
    setSaveError(undefined);
    save.mutate(values, {
      onSuccess: (saved) => {
        form.resetDirty(values);
        forgetUnsaved();
        if (template === undefined) navigate(pathTo('templates', saved?.id ?? ''));
        else setShownEntity(saved);
      },
      onError: (error) => {
        if (!(error instanceof Cancelled)) setSaveError(error);
        else if (error.isDiscarded) onDiscard();
      },
    });
  });

  const { data: shown, error: oddsError, isFetching: isWaiting } = canDesign ? live : saved;

  return (
    <form onSubmit={submit} noValidate>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack gap="lg">
            <StaleNotice
              kind="template"
              shown={shownEntity}
              current={current}
              wanted={form.isDirty() ? wantedOf(form.values) : undefined}
              isSaving={save.isPending || remove.isPending}
              onReapply={reapply}
              onDiscard={onDiscard}
            />
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
            <TrustSection shared={shared} id={template?.id} />
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
                  onClick={() => remove.mutate(undefined)}
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
            <FaultList faults={others} title={configError === null ? 'Could not save' : 'This cannot be saved yet'} />
            <Tabs defaultValue="odds" keepMounted={false}>
              <Tabs.List mb="lg">
                <Tabs.Tab value="odds">Odds</Tabs.Tab>
                <Tabs.Tab value="simulator">Simulator</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="odds">
                {isDraft && (
                  <Stack mb="lg">
                    <LiveNote>These odds are computed on the live items and multipliers.</LiveNote>
                    {configError !== null && (
                      <Text size="sm" c="dimmed">
                        {explain(configError)}
                      </Text>
                    )}
                  </Stack>
                )}
                {shown === undefined ? (
                  oddsError === null && !isUnfinished && <Lines count={6} />
                ) : (
                  <OddsPanel
                    name={form.values.name || 'this template'}
                    type={type}
                    odds={shown.odds}
                    options={options}
                    depth={shown.depth}
                    isOld={isWaiting || oddsError !== null || isUnfinished}
                  >
                    {type === 'roguelike' && (
                      <DepthSlider
                        depth={depth}
                        onChange={setDepth}
                        isScaled={Object.keys(config.depthScaling ?? {}).length > 0}
                        fault={depthFault}
                      />
                    )}
                  </OddsPanel>
                )}
              </Tabs.Panel>
              {/* Kept, so that a result is still there after a look at the odds. */}
              <Tabs.Panel value="simulator" keepMounted>
                <TemplateSimulator
                  subject={{ name: form.values.name || 'this template', type, config }}
                  obstacle={obstacle}
                  items={items}
                  options={options}
                />
              </Tabs.Panel>
            </Tabs>
            {template !== undefined && <EntityHistory kind="template" id={template.id} />}
          </Stack>
        </Grid.Col>
      </Grid>
    </form>
  );
};
