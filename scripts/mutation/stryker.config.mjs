// Stryker's settings for one module of modules.mjs, which MUTATION_MODULE names. run.mjs starts it once for each module.

import { MODULES } from './modules.mjs';

const name = process.env.MUTATION_MODULE ?? '';
const chosen = MODULES[name];
if (!chosen) throw new Error(`MUTATION_MODULE must be one of ${Object.keys(MODULES).join(', ')}`);

/** Large folders that no judging test reads. */
const UNREAD = [
  '.next',
  '.data',
  '.pictures',
  'dist',
  'docs/pictures',
  'e2e',
  'sandbox/contracts',
  'prisma/migrations',
];

export default {
  plugins: ['@stryker-mutator/vitest-runner', './scripts/mutation/ignore-texts.mjs'],
  testRunner: 'vitest',
  vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false },
  mutate: chosen.mutate,
  ignorers: ['texts'],
  ignorePatterns: [...UNREAD, '.mutation'],
  coverageAnalysis: 'perTest',
  concurrency: 1,
  // A mutant that loops for ever is killed by the time limit. On a busy machine a shorter limit would count slow tests as kills.
  timeoutMS: 20_000,
  timeoutFactor: 2,
  incremental: true,
  incrementalFile: `.mutation/${name}-incremental.json`,
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: `.mutation/${name}.json` },
  tempDirName: `.mutation/sandbox-${name}`,
  // Vite transpiles; Stryker's own rewriting of tsconfig.json needs the former TypeScript API.
  tsconfigFile: 'none.json',
  disableTypeChecks: false,
  allowConsoleColors: false,
  thresholds: { high: 95, low: 90, break: null },
};
