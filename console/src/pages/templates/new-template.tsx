import { Group, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Page } from '../../parts/page.tsx';
import { Detail } from '../../parts/text.tsx';
import { leaveSafely } from '../../parts/unsaved.ts';
import classes from './new-template.module.css';
import { SYSTEM_TYPES, SYSTEMS } from './systems.ts';
import { TemplateEditor } from './template-editor.tsx';
import type { TemplateType } from './template-values.ts';

export const NewTemplate = () => {
  const [type, setType] = useState<TemplateType>('gacha');
  return (
    <Page
      title="New template"
      about="Choose a game system; the odds are updated as you type."
      back={{ href: '/templates', label: 'Templates' }}
      curl={{ method: 'POST', path: '/templates', body: { name: 'My banner', type, config: { pityThreshold: 90 } } }}
    >
      <Radio.Group
        value={type}
        onChange={(chosen) => leaveSafely(() => setType(chosen as TemplateType))}
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
      <TemplateEditor key={type} type={type} />
    </Page>
  );
};
