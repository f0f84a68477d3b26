// The tests that judge the mutants of one module (modules.mjs). Random tests draw from a fixed seed, so that a score can be repeated.

import fs from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import base from '../../vitest.config.ts';
import { MODULES } from './modules.mjs';

const chosen = MODULES[process.env.MUTATION_MODULE ?? ''];
if (!chosen) throw new Error('MUTATION_MODULE names no module of scripts/mutation/modules.mjs');

/** The first failing test ends the run of a mutant: files that the module names come first, then small ones, which load soonest. */
class FastestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const named = chosen?.tests ?? [];
    const place = ({ moduleId }: TestSpecification): number => {
      const found = named.findIndex((one) => moduleId.endsWith(one));
      return found < 0 ? named.length : found;
    };
    const size = ({ moduleId }: TestSpecification): number => fs.statSync(moduleId).size;
    return files.toSorted((one, other) => place(one) - place(other) || size(one) - size(other));
  }
}

export default defineConfig({
  ...(base.resolve ? { resolve: base.resolve } : {}),
  cacheDir: '.mutation/vite',
  test: {
    include: chosen.tests,
    ...(base.test?.env ? { env: base.test.env } : {}),
    setupFiles: ['scripts/mutation/fixed-seed.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    cache: false,
    sequence: { sequencer: FastestFirst },
  },
});
