// The tests that judge the mutants of one module (modules.mjs). Random tests draw from a fixed seed, so that a score can be repeated.

import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';
import { MODULES } from './modules.mjs';

const module = MODULES[process.env.MUTATION_MODULE ?? ''];
if (!module) throw new Error('MUTATION_MODULE names no module of scripts/mutation/modules.mjs');

export default defineConfig({
  ...(base.resolve ? { resolve: base.resolve } : {}),
  cacheDir: '.mutation/vite',
  test: {
    include: module.tests,
    ...(base.test?.env ? { env: base.test.env } : {}),
    globalSetup: module.database ? ['testing/global-setup.ts'] : [],
    setupFiles: ['scripts/mutation/fixed-seed.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    cache: false,
  },
});
