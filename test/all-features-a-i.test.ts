import { runTogether } from './together.ts';

// Half of the features; the other half runs at the same time.
await runTogether('src/features/[a-i]*/**/*.test.ts');
