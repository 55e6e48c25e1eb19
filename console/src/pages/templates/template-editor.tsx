import { Alert, Card, Grid, Stack, Tabs, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { asSentence, type Schemas } from '../../api/client.ts';
import { usePermissions } from '../../api/requests.ts';
import { useActiveDraft } from '../../catalog/draft.ts';
import { entityOf, newId, trustOf } from '../../catalog/entities.ts';
import { EditorOnceLoaded, useEntityEditor } from '../../catalog/entity-editor.tsx';
import { LiveNote } from '../../catalog/marks.tsx';
import {
  useCatalogClassifiers,
  useCatalogItems,
  useCatalogTemplates,
  useItemRows,
  useOptions,
} from '../../catalog/reads.ts';
import { useDeferred } from '../../parts/deferred.ts';
import { FaultList } from '../../parts/faults.tsx';
import { formatShare } from '../../parts/format.ts';
import { IdField } from '../../parts/id-field.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { APART } from '../../parts/number-field.tsx';
import { freeSlug } from '../../parts/slug.ts';
import { pathTo } from '../../parts/text.tsx';
import { forgetUnsaved } from '../../parts/unsaved.ts';
import { useUrlState } from '../../parts/url-state.ts';
import { EntityHistory } from '../history/entity-history.tsx';
import { TemplateSimulator } from '../simulator/template-simulator.tsx';
import type { Mark } from './curve-chart.tsx';
import { DepthSlider } from './depth-slider.tsx';
import { fieldOf, TemplateFormContext } from './form-fields.tsx';
import { SECTIONS } from './form-sections.tsx';
import { depthFaultOf, useLiveOdds, useSavedOdds } from './live-odds.ts';
import { OddsPanel } from './odds-panel.tsx';
import { OpenTen } from './open-ten.tsx';
import classes from './template-editor.module.css';
import { templateFaults } from './template-faults.ts';
import {
  type Config,
  keepingMembers,
  repeatedTiers,
  resolverOf,
  START,
  type TemplateType,
  type TemplateValues,
  toConfig,
  toValues,
} from './template-values.ts';
import { TrustSection } from './trust-section.tsx';

interface TemplateEditorProps {
  /** Undefined for a new template. */
  readonly template?: Schemas['Template'];
  readonly type: TemplateType;
  /** What a new template begins with. */
  readonly start?: Config;
  /** What was entered is given up. */
  readonly onDiscard: () => void;
}

type NameFieldProps = Pick<ReturnType<typeof fieldOf>, 'value' | 'onChange' | 'error' | 'disabled'>;

const NameField = ({ value, onChange, error, disabled }: NameFieldProps) => {
  const deferred = useDeferred<string>(value, onChange);
  return (
    <TextInput
      label="Name"
      withAsterisk
      error={error}
      disabled={disabled}
      {...deferred}
      onChange={(event) => deferred.onChange(event.currentTarget.value)}
    />
  );
};

/** A configuration as text, in which a number that is none is not like one that is left out. */
const textOf = (config: object): string =>
  JSON.stringify(config, (_, value: unknown) => (Number.isNaN(value) ? 'NaN' : value));

/** Whether a number was typed that is none. */
const hasNaN = (value: unknown): boolean =>
  Number.isNaN(value) || (typeof value === 'object' && value !== null && Object.values(value).some(hasNaN));

/** Whether rows are still incomplete: then the service is not asked. */
const unfinished = ({ baseRates, pities, slots, depthScaling }: TemplateValues): boolean =>
  [...baseRates, ...pities, ...depthScaling, ...slots.flatMap(({ rates }) => rates)].some(({ tier }) => tier === '');

/** Where the pities of the top tier begin and end. Those of other tiers are not part of its curve. */
const pityMarksOf = ({ pityThreshold, pityTier, softPity }: Config, top: string | null): Mark[] => {
  if (pityTier !== undefined && pityTier !== top) return [];
  const soft = softPity?.[0]?.from;
  return [
    ...(soft === undefined ? [] : [{ roll: soft, label: 'soft pity' }]),
    ...(pityThreshold ? [{ roll: pityThreshold, label: 'hard pity' }] : []),
  ];
};

/** What matters most of the odds, next to the button that saves. */
const OddsInShort = ({ tiers, isOld }: { tiers: Schemas['ConfigOdds']['tiers']; isOld: boolean }) => (
  <div className={classes.short} data-old={isOld || undefined} aria-hidden>
    {tiers.slice(0, 4).map(({ tier, name, effective }) => (
      <span key={tier ?? ''}>
        {name ?? 'Any item'} {formatShare(effective, 3)}
      </span>
    ))}
  </div>
);

/** Why a configuration cannot be simulated. */
const obstacleOf = (isUnfinished: boolean, isFaulty: boolean): string | undefined => {
  if (isUnfinished) return 'A row of the configuration has no tier yet.';
  return isFaulty ? 'The configuration has errors, which are shown next to its fields.' : undefined;
};

/** What may not be meant, in the configuration that the odds belong to. */
const Advice = ({ warnings }: { warnings: NonNullable<Schemas['ConfigOdds']['warnings']> }) =>
  warnings.length === 0 ? null : (
    <Alert color="yellow" icon={<IconAlertTriangle />} title="Is this what you mean?" role="note" mb="lg">
      {warnings.map(({ path, message }) => (
        <div key={path}>{asSentence(message)}.</div>
      ))}
    </Alert>
  );

const LoadedEditor = ({ template, type, start = START[type], onDiscard }: TemplateEditorProps) => {
  const items = useItemRows();
  const options = useOptions();
  const { canDesign } = usePermissions();
  const [, navigate] = useLocation();
  const templates = useCatalogTemplates().data?.rows;
  const usualId = (wanted: string) => freeSlug(wanted, (id) => templates?.some((one) => one.id === id) ?? false);
  const initial = useMemo(
    () => toValues(template ?? { name: '', config: start }, resolverOf(options)),
    [template, start, options],
  );
  const form = useForm<TemplateValues>({
    initialValues: initial,
    validate: (values) => ({ ...(values.name.trim() === '' && { name: 'Enter a name' }), ...repeatedTiers(values) }),
  });
  const [saveError, setSaveError] = useState<unknown>();
  const original = template?.config ?? start;
  const entered = keepingMembers(toConfig(type, form.values), toConfig(type, initial), original);
  // The same object as long as it says the same, so that what shows it need not be drawn again.
  const enteredText = textOf(entered);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text says all.
  const config = useMemo(() => entered, [enteredText]);
  const repeated = repeatedTiers(form.values);
  const hasFaults = Object.keys(repeated).length > 0 || hasNaN(config);
  const isUnfinished = unfinished(form.values) || hasFaults;
  const [depth, setDepth] = useState(0);
  const [tab, setTab] = useUrlState('tab', 'odds');
  const hasSimulated = useRef(false);
  hasSimulated.current ||= tab === 'simulator';
  const live = useLiveOdds({ type, config, depth }, canDesign && !isUnfinished);
  const saved = useSavedOdds(canDesign ? undefined : template?.id, depth);

  const isDraft = useActiveDraft() !== undefined;
  const depthFault = depthFaultOf(canDesign ? live.error : saved.error);
  const configError = depthFault === undefined ? live.error : null;
  const formError = configError ?? saveError;
  const { fields, others } = templateFaults(formError, form.values);
  const configFaults = templateFaults(configError, form.values).fields;
  const obstacle = obstacleOf(isUnfinished, Object.keys(configFaults).length > 0);
  const shared = { form, type, faults: { ...fields, ...repeated }, isReadOnly: !canDesign, items, options };

  const { submit, notice, buttons } = useEntityEditor({
    kind: 'template',
    current: template === undefined ? null : entityOf('template', template),
    form,
    valuesOf: (entity) => toValues(entity, resolverOf(options)),
    wantedOf: ({ id, name, verifiable, isPublic }) => ({
      id: template?.id ?? (id.trim() || (usualId(name) ?? newId())),
      name,
      type,
      config,
      ...trustOf({ verifiable, disclosure: isPublic ? 'public' : 'private' }),
    }),
    onSaved: (entity, values) => {
      form.resetDirty(values);
      forgetUnsaved();
      if (template === undefined) navigate(pathTo('templates', entity?.id ?? ''));
    },
    onFault: setSaveError,
    onDiscard,
    back: 'Back',
  });

  const { data: shown, error: oddsError, isFetching: isWaiting } = canDesign ? live : saved;
  const top = shown?.odds.tiers[0];
  // The same object as long as they are the same, whatever else is typed: the chart is expensive to draw.
  const marksText = JSON.stringify(pityMarksOf(config, top?.tier ?? null));
  const pityMarks = useMemo(() => JSON.parse(marksText) as Mark[], [marksText]);
  const name = useRef('');
  name.current = form.values.name || 'this template';
  const nameOf = useCallback(() => name.current, []);
  return (
    <form onSubmit={submit} noValidate data-saves>
      <div className={classes.sticky}>
        {buttons}
        <OddsInShort tiers={shown?.odds.tiers ?? []} isOld={oddsError !== null || isUnfinished} />
      </div>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack gap="lg">
            {notice}
            <Card>
              <Stack>
                <NameField {...fieldOf(shared, 'name')} />
                {template === undefined && <IdField usual={usualId(form.values.name)} {...fieldOf(shared, 'id')} />}
              </Stack>
            </Card>
            <TemplateFormContext value={shared}>
              {SECTIONS[type].map((Section) => (
                <Section key={Section.name} />
              ))}
              <TrustSection template={template} />
            </TemplateFormContext>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack gap="lg">
            {isUnfinished && (
              <Alert color="yellow" icon={<IconInfoCircle />}>
                {hasFaults
                  ? 'The odds are shown once the fields in red are right.'
                  : 'A row has no tier yet. The odds are shown once it has one.'}
              </Alert>
            )}
            {Object.keys(fields).length > 0 && (
              <Alert color="red" icon={<IconInfoCircle />} title="This cannot be saved yet" role="alert">
                The errors are shown next to the fields.
              </Alert>
            )}
            <FaultList faults={others} title={configError === null ? 'Could not save' : 'This cannot be saved yet'} />
            <Tabs value={tab} keepMounted={false} onChange={(chosen) => setTab(chosen ?? 'odds')} {...APART}>
              <Tabs.List mb="lg">
                <Tabs.Tab value="odds">Odds</Tabs.Tab>
                {canDesign && <Tabs.Tab value="ten">Open ten</Tabs.Tab>}
                <Tabs.Tab value="simulator">Simulator</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="odds">
                <Advice warnings={shown?.odds.warnings ?? []} />
                {isDraft && !canDesign && <LiveNote>These odds are those of the live catalog.</LiveNote>}
                {shown === undefined ? (
                  oddsError === null && !isUnfinished && <Lines count={6} />
                ) : (
                  <OddsPanel
                    nameOf={nameOf}
                    type={type}
                    odds={shown.odds}
                    depth={shown.depth}
                    pityMarks={pityMarks}
                    isBusy={isWaiting}
                    isOld={oddsError !== null || isUnfinished}
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
              {canDesign && (
                <Tabs.Panel value="ten">
                  <OpenTen type={type} config={config} depth={depth} obstacle={obstacle} />
                </Tabs.Panel>
              )}
              {/* Kept, so that a result is still there after a look at the odds. */}
              <Tabs.Panel value="simulator" keepMounted={hasSimulated.current}>
                <TemplateSimulator nameOf={nameOf} type={type} config={config} obstacle={obstacle} />
              </Tabs.Panel>
            </Tabs>
            {template !== undefined && <EntityHistory kind="template" id={template.id} />}
          </Stack>
        </Grid.Col>
      </Grid>
    </form>
  );
};

export const TemplateEditor = (props: Omit<TemplateEditorProps, 'onDiscard'>) => (
  <EditorOnceLoaded queries={[useCatalogItems(), useCatalogClassifiers()]}>
    {(onDiscard) => <LoadedEditor {...props} onDiscard={onDiscard} />}
  </EditorOnceLoaded>
);
