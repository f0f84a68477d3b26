// The migrations and the schema agree.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, inject, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const NO_DIFFERENCE = 0;

test('the migrations, applied in order, produce exactly the schema', async () => {
  const args = [
    'migrate',
    'diff',
    '--from-migrations',
    'prisma/migrations',
    '--to-schema',
    'prisma/schema.prisma',
    '--exit-code',
  ];
  const prisma = spawn(process.execPath, ['node_modules/prisma/build/index.js', ...args], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: inject('databaseServer') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [prisma.stdout, prisma.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = await once(prisma, 'close');
  expect({ code, said: code === NO_DIFFERENCE ? '' : said }).toEqual({ code: NO_DIFFERENCE, said: '' });
});
