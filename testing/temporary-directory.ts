// A directory of a test file, removed after its tests.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

export function useTemporaryDirectory(): string {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-test-'));
  afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));
  return directory;
}
