import { Select } from '@mantine/core';
import { IconSparkles } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { Schemas } from '../../api/client.ts';
import { useBasis } from '../../catalog/drafted.ts';
import { useCatalogItems, useCatalogTemplates } from '../../catalog/reads.ts';
import { AllLoaded, Empty } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { LinkButton, pathTo, TextLink } from '../../parts/text.tsx';
import type { Config } from '../templates/template-values.ts';
import { requestOf, type SimulationValues, type Subject, startValues, valuesFor } from './simulation-values.ts';
import { Simulator } from './simulator.tsx';

const CURL = { method: 'POST', path: '/templates/simulate' } as const;
const TITLE = 'Simulator';
const ABOUT = 'Let many new players roll on a template, and see how long they wait and what they pay.';

/** The simulator of the template that the URL names, or of the first one. */
const Bench = ({ templates }: { templates: readonly Schemas['Template'][] }) => {
  const [, navigate] = useLocation();
  const wanted = new URLSearchParams(useSearch()).get('template');
  const { draftId } = useBasis();
  const subjectOf = ({ id, name, type, config }: Schemas['Template']): Subject => ({
    name,
    type,
    config: config as Config,
    templateId: id,
    ...(draftId !== undefined && { draftId }),
  });
  const template = (templates.find(({ id }) => id === wanted) ?? templates[0]) as Schemas['Template'];
  const subject = subjectOf(template);
  const [values, setValues] = useState<SimulationValues>(() => startValues(subject));
  const choose = (id: string) => {
    const chosen = templates.find((one) => one.id === id);
    if (chosen === undefined) return;
    setValues(valuesFor(values, subject, subjectOf(chosen)));
    navigate(`/simulator?${new URLSearchParams({ template: id })}`, { replace: true });
  };
  return (
    <Page title={TITLE} about={ABOUT} curl={{ ...CURL, body: requestOf(subject, values) }}>
      <Simulator subject={subject} values={values} onChange={setValues} isWide>
        <Select
          label="Template"
          description={
            <TextLink href={pathTo('templates', template.id)} size="xs">
              Edit it and simulate your changes
            </TextLink>
          }
          inputWrapperOrder={['label', 'input', 'description']}
          searchable
          allowDeselect={false}
          data={templates.map(({ id, name }) => ({ value: id, label: name }))}
          value={template.id}
          onChange={(id) => id !== null && choose(id)}
        />
      </Simulator>
    </Page>
  );
};

export const SimulatorPage = () => {
  const templates = useCatalogTemplates();
  const items = useCatalogItems();
  if (templates.data !== undefined && items.data !== undefined && templates.data.rows.length > 0)
    return <Bench templates={templates.data.rows} />;
  return (
    <Page title={TITLE} about={ABOUT} curl={CURL}>
      <AllLoaded queries={[items, templates]}>
        {() => (
          <Empty
            title="No templates yet"
            icon={IconSparkles}
            action={<LinkButton href="/new-template">Create a template</LinkButton>}
          >
            A template is what players roll on: a banner, a pack, an offer or idle rewards.
          </Empty>
        )}
      </AllLoaded>
    </Page>
  );
};
