import { Page } from '../../parts/page.tsx';

export const Items = () => <Page title="Items">Soon.</Page>;
