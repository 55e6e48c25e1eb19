import { runTogether } from './together.ts';

await runTogether('src/**/*.test.ts', { except: ['src/features/**'] });
