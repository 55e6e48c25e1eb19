import { ActionIcon, Menu, Stack, Tabs } from '@mantine/core';
import { IconBackpack, IconDots, IconDownload, IconGift, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useBags, useChange, useInstances, usePermissions, useUser } from '../../api/requests.ts';
import { IconButton } from '../../parts/buttons.tsx';
import { formatMoment } from '../../parts/format.ts';
import { AllLoaded, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { RollLog } from '../../parts/roll-log.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { usePathId } from '../../parts/text.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { Belongings } from './belongings.tsx';
import { DeletedItems } from './deleted-items.tsx';
import { Fairness } from './fairness.tsx';
import { GiveBag, GiveItem } from './give.tsx';
import { Pity } from './pity.tsx';

const FIRST_TAB = 'belongings';
/** All tabs fit on a narrow screen. */
const TAB_PADDING = { base: 7, sm: 'md' };

/** A player may have tens of thousands of items. */
const EXPORT_MS = 600_000;

export const Player = () => {
  const id = usePathId();
  const user = useUser(id);
  const bags = useBags(id);
  const instances = useInstances(id);
  const { canSupport } = usePermissions();
  const [, navigate] = useLocation();
  const [tab, setTab] = useUrlState('tab', FIRST_TAB);
  const [given, setGiven] = useState<'item' | 'bag' | 'deletion'>();
  const close = () => setGiven(undefined);
  const download = useChange({
    run: async (api) => {
      const { text } = await api.users.export(id, { timeoutMs: EXPORT_MS }).withResponse();
      saveFile(`${id.replaceAll(/[^\w.-]+/g, '-')}.json`, text, 'application/json');
    },
    failed: 'Could not export',
  });
  return (
    <Page
      title={id}
      about={
        user.data &&
        `Player since ${formatMoment(user.data.createdAt)}, ${user.data.externalId === null ? 'no external id' : `external id ${user.data.externalId}`}`
      }
      back={{ href: '/players', label: 'Players' }}
      curl={{ path: `/item-instances?userId=${encodeURIComponent(id)}` }}
      actions={
        <>
          {canSupport && bags.data !== undefined && (
            <IconButton variant="filled" icon={IconGift} onClick={() => setGiven('item')}>
              Give an item
            </IconButton>
          )}
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="default" size={36} aria-label="More about this player">
                <IconDots size={18} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {canSupport && (
                <Menu.Item leftSection={<IconBackpack size={16} />} onClick={() => setGiven('bag')}>
                  Give a bag
                </Menu.Item>
              )}
              <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => download.mutate(undefined)}>
                Export everything as a file
              </Menu.Item>
              {canSupport && (
                <Menu.Item
                  c="var(--mantine-color-error)"
                  leftSection={<IconTrash size={16} />}
                  onClick={() => setGiven('deletion')}
                >
                  Delete the player
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        </>
      }
    >
      <Loaded query={user} lines={8}>
        {() => (
          <Tabs key={id} value={tab} onChange={setTab} keepMounted={false}>
            <Tabs.List mb="lg">
              <Tabs.Tab px={TAB_PADDING} value={FIRST_TAB}>
                Belongings
              </Tabs.Tab>
              <Tabs.Tab px={TAB_PADDING} value="pity">
                Pity and spark
              </Tabs.Tab>
              <Tabs.Tab px={TAB_PADDING} value="rolls">
                Rolls
              </Tabs.Tab>
              <Tabs.Tab px={TAB_PADDING} value="fairness">
                Fairness
              </Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value={FIRST_TAB}>
              <Stack>
                <AllLoaded queries={[bags, instances]} lines={8}>
                  {(ownBags, owned) => <Belongings userId={id} bags={ownBags.rows} owned={owned} />}
                </AllLoaded>
                <DeletedItems userId={id} />
              </Stack>
            </Tabs.Panel>
            <Tabs.Panel value="pity">
              <Pity userId={id} />
            </Tabs.Panel>
            <Tabs.Panel value="rolls">
              <RollLog userId={id} />
            </Tabs.Panel>
            <Tabs.Panel value="fairness">
              <Fairness userId={id} />
            </Tabs.Panel>
          </Tabs>
        )}
      </Loaded>
      {given === 'item' && bags.data !== undefined && <GiveItem userId={id} bags={bags.data.rows} onClose={close} />}
      {given === 'bag' && <GiveBag userId={id} onClose={close} />}
      {given === 'deletion' && (
        <ReasonDialog
          title={`Delete ${id}?`}
          text="The player loses everything: items, bags, counters and receipts. Rolls and histories stay, without the name. This cannot be undone."
          action="Delete player"
          isHarmful
          done={`${id} deleted`}
          run={(api, options) => api.users.delete(id, options)}
          onDone={() => navigate('/players')}
          onClose={close}
        />
      )}
    </Page>
  );
};
