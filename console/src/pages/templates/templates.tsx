import { Page } from '../../parts/page.tsx';

export const Templates = () => <Page title="Templates">Soon.</Page>;
