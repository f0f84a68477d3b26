// Each container of compose.yaml has a separate database role and no more rights than it needs.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const text = fs.readFileSync(path.join(import.meta.dirname, '..', 'compose.yaml'), 'utf8');
const [head = '', services = ''] = text.split(/^services:$/m);

/** The lines of each service, by name. */
const blocks = new Map(
  services
    .split(/^networks:$/m)[0]!
    .split(/^(?= {2}[a-z]+:$)/m)
    .flatMap((block): [string, string][] => {
      const name = /^ {2}([a-z]+):$/m.exec(block)?.[1];
      return name === undefined ? [] : [[name, block]];
    }),
);
const OURS = ['migrate', 'signer', 'web', 'worker', 'terminal'];

test('the services are those that are checked below', () => {
  expect([...blocks.keys()].toSorted()).toEqual([...OURS, 'database'].toSorted());
});

describe.each(OURS)('the container %s', (name) => {
  const block = blocks.get(name) ?? '';

  test('has the common limits: read-only, no capability, no new privilege, bounded memory and processes', () => {
    expect(block).toContain('<<: *service');
    for (const line of ['read_only: true', 'cap_drop: [ALL]', 'security_opt: [no-new-privileges:true]'])
      expect(head).toContain(line);
    expect(head).toMatch(/^ {2}mem_limit: \d+g$/m);
    expect(head).toMatch(/^ {2}pids_limit: \d+$/m);
    expect(block).not.toMatch(/privileged|cap_add|read_only: false/);
  });

  test('connects to the database with its own role, if at all', () => {
    const roles = [...block.matchAll(/^ *DATABASE_URL: .*?postgresql:\/\/(\w+)@/gm)].map(([, role]) => role);
    const expected = { migrate: ['stabletill'], signer: [], web: ['stabletill_web'], worker: ['stabletill_worker'] };
    expect(roles).toEqual(name === 'terminal' ? [] : expected[name as keyof typeof expected]);
    if (name === 'terminal') expect(block).toContain('DATABASE_URL: *owner');
    else if (name !== 'migrate') expect(block).not.toMatch(/\*owner|POSTGRES_PASSWORD/);
  });

  test('has its own secrets as files, none in its environment, and the keystore only as the signer', () => {
    expect([...block.matchAll(/\.\/secrets\/(\w+):\/run\/secrets:ro/g)].map(([, of]) => of)).toEqual([name]);
    expect(block).not.toMatch(/^ *\w*(?:PASSWORD|SECRET|MASTER_KEYS|EVIDENCE_KEY|PASSPHRASE|TOKEN): /m);
    expect(/keystore:\//.test(block)).toBe(name === 'signer');
  });

  test('has time to stop, a log that does not grow, and a check of its health if it keeps running', () => {
    expect(head).toMatch(/^ {2}stop_grace_period: 30s$/m);
    // A worker finishes the payments that it is sending.
    if (name === 'worker') expect(block).toMatch(/^ {4}stop_grace_period: 60s$/m);
    expect(head).toContain('max-size: 10m');
    if (name === 'signer' || name === 'worker') expect(block).toContain(`scripts/image/health.mjs, ${name}]`);
    else if (name !== 'web') expect(block).toContain("restart: 'no'");
  });
});

test('the database has bounded memory, and is reached from inside only', () => {
  const block = blocks.get('database') ?? '';
  expect(block).toMatch(/^ {4}mem_limit: \d+g$/m);
  expect(block).toContain('networks: [inside]');
  expect(block).not.toContain('ports:');
  expect(block).toContain('POSTGRES_PASSWORD_FILE: /run/secrets/DATABASE_PASSWORD');
  expect(block).toContain('stop_grace_period: 60s');
});
