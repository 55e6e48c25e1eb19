import { Page } from '../../parts/page.tsx';

export const Players = () => <Page title="Players">Soon.</Page>;
