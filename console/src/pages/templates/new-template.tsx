import { Button, Group, Radio, SimpleGrid, Stack, Text, Tooltip } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useItemRows, useOptions } from '../../catalog/reads.ts';
import { Page } from '../../parts/page.tsx';
import { Detail, Note } from '../../parts/text.tsx';
import { leaveSafely } from '../../parts/unsaved.ts';
import classes from './new-template.module.css';
import { PRESETS, type Preset, presetCatalog } from './presets.ts';
import { SYSTEM_TYPES, SYSTEMS } from './systems.ts';
import { TemplateEditor } from './template-editor.tsx';
import type { TemplateType } from './template-values.ts';

export const NewTemplate = () => {
  const [{ type, preset }, choose] = useState<{ type: TemplateType; preset?: Preset }>({ type: 'gacha' });
  const items = useItemRows();
  const options = useOptions();
  const start = useMemo(() => preset?.make(presetCatalog(options, items)), [preset, options, items]);
  return (
    <Page
      title="New template"
      about="Choose a game system; the odds are updated as you type."
      back={{ href: '/templates', label: 'Templates' }}
      curl={{ method: 'POST', path: '/templates', body: { name: 'My banner', type, config: { pityThreshold: 90 } } }}
    >
      <Radio.Group
        value={type}
        onChange={(chosen) => leaveSafely(() => choose({ type: chosen as TemplateType }))}
        aria-label="Game system"
      >
        <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="sm">
          {SYSTEM_TYPES.map((value) => {
            const { name, about, icon: Icon } = SYSTEMS[value];
            return (
              <Radio.Card key={value} value={value} className={classes.card}>
                <Group wrap="nowrap" align="flex-start" gap="sm">
                  <Icon size={22} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
                  <Stack gap={2}>
                    <Text size="sm" fw={650}>
                      {name}
                    </Text>
                    <Detail>{about}</Detail>
                  </Stack>
                </Group>
              </Radio.Card>
            );
          })}
        </SimpleGrid>
      </Radio.Group>
      <Stack gap={6} role="group" aria-label="Presets">
        <Note>Or begin with what many games have, on your own tiers and items:</Note>
        <Group gap="xs">
          {PRESETS.map((one) => (
            <Tooltip key={one.name} label={one.about}>
              <Button
                size="xs"
                variant={one === preset ? 'filled' : 'default'}
                aria-pressed={one === preset}
                onClick={() => leaveSafely(() => choose({ type: one.type, preset: one }))}
              >
                {one.name}
              </Button>
            </Tooltip>
          ))}
        </Group>
      </Stack>
      <TemplateEditor key={`${type} ${preset?.name}`} type={type} start={start} />
    </Page>
  );
};
