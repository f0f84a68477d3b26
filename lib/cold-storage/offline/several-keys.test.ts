// The offline program for a wallet with several keys: each owner of a Safe sees the safeTxHash and adds a signature, and the executor signs
// last. Nothing is signed by a key that does not belong there, or beside signatures that are not those of this request.

import { beforeAll, expect, it } from 'vitest';
import { requestText } from '@/lib/cold-storage/returns/request-file';
import { parseSigned } from '@/lib/cold-storage/returns/signed-file';
import { CREATED, rewritten, safeCase, type SafeCase } from '@/testing/cold-storage/request-files';
import { runOffline } from './command';

let given: SafeCase;
beforeAll(async () => void (given = await safeCase()));

/** A machine with the keys of everybody, for brevity. */
function machine({ request, keys, to }: SafeCase) {
  const files = new Map(Object.entries({ ...keys, request: requestText(request) }));
  const run = async (words: readonly string[], typed = 'yes') => {
    const lines: string[] = [];
    const code = await runOffline(words, {
      readFile: (file) => Buffer.from(files.get(file) ?? ''),
      writeNew: (file, text) => void files.set(file, text),
      modeOf: () => 0o100600,
      now: () => new Date(CREATED.getTime() + 1000),
      print: (line) => void lines.push(line),
      ask: async () => typed,
    });
    return { code, text: lines.join('\n') };
  };
  return {
    files,
    show: (...more: readonly string[]) => run(['show', 'request', '--to', to, ...more]),
    sign: (key: string, others: readonly string[] = [], typed = 'yes') =>
      run(
        [
          'sign',
          'request',
          '--to',
          to,
          '--key-file',
          key,
          '--out',
          `by-${key}`,
          ...others.flatMap((one) => ['--signed', one]),
        ],
        typed,
      ),
    signed: (name: string) => parseSigned(Buffer.from(files.get(name) ?? '')),
  };
}

it('shows the Safe, its owners, the safeTxHash, the executor and what it may cost', async () => {
  const { code, text } = await machine(given).show();
  expect(code).toBe(0);
  expect(text).toMatch(/version 1\.4\.1, 2 of 3 owners sign/);
  expect(text).toMatch(/safeTxHash 0x[0-9a-f]{64}/);
  const { account } = given.request;
  const owners = account?.kind === 'safe' ? account.owners : [];
  expect(owners).toHaveLength(3);
  for (const owner of owners) expect(text.toLowerCase()).toContain(owner);
  expect(text).toContain('while 4 is the next nonce of the safe');
  expect(text).toContain('account nonce 9');
  expect(text).toContain('fee       at most 0.0063 ETH');
  expect(text.split('\n').every((line) => line.length <= 120)).toBe(true);
});

it('adds the signature of each owner, and of the executor last', async () => {
  const { sign, signed, files } = machine(given);
  expect(await sign('owner2')).toMatchObject({
    code: 0,
    text: expect.stringContaining('1 of 2 signatures are missing'),
  });
  expect(await sign('owner1', ['by-owner2'])).toMatchObject({
    code: 0,
    text: expect.stringContaining('who signs last'),
  });
  expect([signed('by-owner1').signers.length, signed('by-owner1').executions]).toEqual([2, null]);
  expect(await sign('executor', ['by-owner1'])).toMatchObject({
    code: 0,
    text: expect.stringContaining('npm run cold -- send'),
  });
  expect([signed('by-executor').signers, signed('by-executor').executions?.length]).toEqual([
    signed('by-owner1').signers,
    1,
  ]);
  for (const key of Object.values(given.keys)) expect(files.get('by-executor')).not.toContain(key.slice(2, 40));
});

it.each([
  ['a stranger', 'stranger', [], /is not an owner of the Safe/],
  ['the executor before the owners', 'executor', [], /the executor signs last/],
  ['the executor after one of two', 'executor', ['by-owner1'], /the executor signs last/],
])('signs nothing for %s', async (_, key, others, expected) => {
  const { sign, files } = machine(given);
  await sign('owner1');
  expect(await sign(key, others)).toMatchObject({ code: 3, text: expect.stringMatching(expected) });
  expect(files.has(`by-${key}`)).toBe(false);
});

it('signs nothing that is not confirmed', async () => {
  const { sign, files } = machine(given);
  expect(await sign('owner1', [], 'no')).toMatchObject({ code: 3 });
  expect(files.has('by-owner1')).toBe(false);
});

it('signs nothing beside signatures of another request, or beside an invalid one', async () => {
  const { sign, files } = machine(given);
  await sign('owner1');
  const other = machine(await safeCase());
  await other.sign('owner1');
  files.set('other', other.files.get('by-owner1')!);
  expect(await sign('owner2', ['other'])).toMatchObject({
    code: 3,
    text: expect.stringContaining('of another request'),
  });
  const [{ signatures }] = parseSigned(Buffer.from(files.get('by-owner1')!)).signers as unknown as [{ signatures: [string] }];
  const forged = signatures[0].replace(/^../, signatures[0].startsWith('00') ? '01' : '00');
  files.set('forged', files.get('by-owner1')!.replace(signatures[0], forged));
  expect(await sign('owner2', ['forged'])).toMatchObject({ code: 3, text: expect.stringContaining('not one of') });
  expect(files.has('by-owner2')).toBe(false);
});

it('shows a request without an executor, so that its safeTxHash can be compared, and signs none', async () => {
  const alone = await safeCase({ withExecutor: false });
  const { show, sign, files } = machine(alone);
  expect(await show()).toMatchObject({ code: 0, text: expect.stringMatching(/safeTxHash 0x[0-9a-f]{64}/) });
  const key = 'owner1';
  expect(await sign(key)).toMatchObject({ code: 3, text: expect.stringContaining('names no executor') });
  expect(files.has('by-owner1')).toBe(false);
});

it('refuses terms in which anything was changed under the old sha256', async () => {
  const { files, show } = machine(given);
  const { account } = given.request;
  const change = Buffer.from(rewritten({ ...given.request, account: { ...account, threshold: 1 } })).toString();
  files.set('request', change.replace(/"sha256":"[0-9a-f]{64}"/, `"sha256":"${given.request.sha256}"`));
  expect(await show()).toMatchObject({ code: 3, text: expect.stringContaining('sha256') });
});
