import { Page } from '../../parts/page.tsx';

export const Player = () => <Page title="Player">Soon.</Page>;
