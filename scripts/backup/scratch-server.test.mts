// The server on a restored copy, whose folder belongs to PostgreSQL's user while root writes into it.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startScratch } from './scratch-server.mjs';

let directory: string;
beforeEach(() => void (directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-scratch-test-'))));
afterEach(() => fs.rmSync(directory, { recursive: true }));

test.each(['postgresql.conf', 'pg_hba.conf', 'pg_ident.conf'])(
  'refuses a link that was placed as %s, and neither writes to its target nor gives it away',
  async (name) => {
    const target = path.join(directory, 'of-root');
    fs.writeFileSync(target, 'secret', { mode: 0o600 });
    fs.symlinkSync(target, path.join(directory, name));
    const given = {
      directory,
      program: '/bin/false',
      owner: { uid: 65_534, gid: 65_534 },
      user: 'app',
      database: 'app',
    };
    await expect(startScratch(given)).rejects.toThrow('EEXIST');
    expect(fs.readFileSync(target, 'utf8')).toBe('secret');
    expect(fs.statSync(target).uid).toBe(process.getuid?.());
  },
);
