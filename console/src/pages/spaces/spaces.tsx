import { Page } from '../../parts/page.tsx';

export const Spaces = () => <Page title="Spaces">Soon.</Page>;
