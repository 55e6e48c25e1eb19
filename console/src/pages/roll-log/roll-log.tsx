import { Page } from '../../parts/page.tsx';
import { RollLog } from '../../parts/roll-log.tsx';

export const RollLogPage = () => (
  <Page title="Roll log" about="Every roll of every player, as it happens." curl={{ path: '/roll-events' }}>
    <RollLog />
  </Page>
);
