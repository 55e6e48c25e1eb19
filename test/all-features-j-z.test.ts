import { runTogether } from './together.ts';

await runTogether('src/features/[j-z]*/**/*.test.ts');
