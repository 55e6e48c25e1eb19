import { Tabs } from '@mantine/core';
import { IconBackpack, IconGift } from '@tabler/icons-react';
import { useState } from 'react';
import { useBags, useInstances, usePermissions, useUser } from '../../api/requests.ts';
import { IconButton } from '../../parts/buttons.tsx';
import { formatMoment } from '../../parts/format.ts';
import { AllLoaded, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { usePathId } from '../../parts/text.tsx';
import { Belongings } from './belongings.tsx';
import { Fairness } from './fairness.tsx';
import { GiveBag, GiveItem } from './give.tsx';
import { Pity } from './pity.tsx';

export const Player = () => {
  const id = usePathId();
  const user = useUser(id);
  const bags = useBags(id);
  const instances = useInstances(id);
  const { canSupport } = usePermissions();
  const [given, setGiven] = useState<'item' | 'bag'>();
  const close = () => setGiven(undefined);
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
        canSupport &&
        bags.data !== undefined && (
          <>
            <IconButton icon={IconBackpack} onClick={() => setGiven('bag')}>
              Give a bag
            </IconButton>
            <IconButton variant="filled" icon={IconGift} onClick={() => setGiven('item')}>
              Give an item
            </IconButton>
          </>
        )
      }
    >
      <Loaded query={user} lines={8}>
        {() => (
          <Tabs key={id} defaultValue="belongings" keepMounted={false}>
            <Tabs.List mb="lg">
              <Tabs.Tab value="belongings">Belongings</Tabs.Tab>
              <Tabs.Tab value="pity">Pity and spark</Tabs.Tab>
              <Tabs.Tab value="fairness">Fairness</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="belongings">
              <AllLoaded queries={[bags, instances]} lines={8}>
                {(ownBags, owned) => <Belongings userId={id} bags={ownBags.rows} owned={owned} />}
              </AllLoaded>
            </Tabs.Panel>
            <Tabs.Panel value="pity">
              <Pity userId={id} />
            </Tabs.Panel>
            <Tabs.Panel value="fairness">
              <Fairness userId={id} />
            </Tabs.Panel>
          </Tabs>
        )}
      </Loaded>
      {given === 'item' && bags.data !== undefined && <GiveItem userId={id} bags={bags.data.rows} onClose={close} />}
      {given === 'bag' && <GiveBag userId={id} onClose={close} />}
    </Page>
  );
};
