// The script that shops load stays small, and is one file that makes no request to another host.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundleEmbedScript } from './standalone-bundles.mjs';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-embed-'));
afterAll(() => fs.rmSync(directory, { recursive: true }));

test('the script for shops weighs under 3 kB and names no address', async () => {
  const file = path.join(directory, 'embed.js');
  await bundleEmbedScript(file);
  const script = fs.readFileSync(file, 'utf8');
  expect(Buffer.byteLength(script)).toBeLessThan(3000);
  expect(script).not.toMatch(/https?:\/\/|import\s*\(|eval\(|innerHTML|fetch\(/);
});
