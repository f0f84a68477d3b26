// The keystore gets a new passphrase as a whole or not at all, and keeps its words.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readSignerSettings } from '@/lib/signer/settings';
import { temporaryDirectory } from '@/testing/signer/signer-scene';
import { changePassphrase } from './change-passphrase';
import { createKeystore, openKeystore } from './keystore';
import type { Terminal } from './terminal';

const [FORMER, NEXT] = ['a former passphrase', 'the next passphrase'];

let directory: string;
let file: string;
let words: string;
beforeAll(() => void (directory = temporaryDirectory()));
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));
beforeEach(async () => {
  file = path.join(fs.mkdtempSync(path.join(directory, 'one-')), 'keystore.json');
  await createKeystore({ file, passphrase: FORMER, entropy: randomBytes(32) });
  words = await open(FORMER);
});

const open = (passphrase: string) => openKeystore({ file, passphrase, allowPublic: false });
const socket = () => path.join(path.dirname(file), 's.sock');
const settings = (over: Record<string, string> = {}) =>
  readSignerSettings({ KEYSTORE_FILE: file, KEYSTORE_PASSPHRASE: FORMER, SIGNER_SOCKET: socket(), ...over });
/** A person who types these lines. */
function person(typed: string[] = [], isTerminal = true) {
  const shown: string[] = [];
  const prompt = async (text: string) => {
    shown.push(text);
    return typed.shift() ?? '';
  };
  return { terminal: { isTerminal, prompt, print: (text) => void shown.push(text) } satisfies Terminal, shown };
}
const newIn = (text: string) => {
  const given = path.join(path.dirname(file), 'new-passphrase');
  fs.writeFileSync(given, text);
  return ['--new', given];
};
async function expectUnchanged(work: Promise<void>, why: string | RegExp): Promise<void> {
  const before = fs.readFileSync(file);
  await expect(work).rejects.toThrow(why);
  expect(fs.readFileSync(file).equals(before)).toBe(true);
}

test('the keystore opens with the new passphrase and no longer with the former one, and holds the same words', async () => {
  const { terminal, shown } = person([NEXT, NEXT]);
  await changePassphrase(settings(), [], terminal);
  expect(await open(NEXT)).toBe(words);
  await expect(open(FORMER)).rejects.toMatchObject({ fault: 'passphrase' });
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(path.dirname(file))).toEqual(['keystore.json']);
  for (const secret of [FORMER, NEXT, words]) expect(shown.join('\n')).not.toContain(secret);
});

test('takes the new passphrase from a file without a terminal, and asks for the present one where no setting has it', async () => {
  await changePassphrase(settings(), newIn(`${NEXT}\n`), person([], false).terminal);
  expect(await open(NEXT)).toBe(words);
  await changePassphrase(settings({ KEYSTORE_PASSPHRASE: '' }), newIn(FORMER), person([NEXT]).terminal);
  expect(await open(FORMER)).toBe(words);
});

test('a wrong, short, mistyped or unchanged passphrase leaves the keystore as it is', async () => {
  await expectUnchanged(
    changePassphrase(settings({ KEYSTORE_PASSPHRASE: 'wrong' }), newIn(NEXT), person().terminal),
    /does not open/,
  );
  await expectUnchanged(changePassphrase(settings(), newIn('short'), person().terminal), /at least 12/);
  await expectUnchanged(changePassphrase(settings(), newIn(''), person().terminal), /needs a passphrase/);
  await expectUnchanged(changePassphrase(settings(), [], person([NEXT, `${NEXT}!`]).terminal), /differ/);
  await expectUnchanged(changePassphrase(settings(), newIn(FORMER), person().terminal), /is the present one/);
  await expectUnchanged(changePassphrase(settings(), [], person([NEXT, NEXT], false).terminal), /needs a terminal/);
  for (const wrong of [[NEXT], ['--new'], ['--new', 'a', 'b']])
    await expectUnchanged(changePassphrase(settings(), wrong, person().terminal), /takes nothing, or --new/);
});

test('refuses while a signer listens, and where it cannot tell', async () => {
  const server = net.createServer();
  await once(server.listen(socket()), 'listening');
  await expectUnchanged(changePassphrase(settings(), newIn(NEXT), person().terminal), /signer is running/);
  server.close();
  await once(server, 'close');
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as net.AddressInfo;
  const remote = { SIGNER_SOCKET: `tls://127.0.0.1:${port}?certificates=${directory}` };
  await expectUnchanged(changePassphrase(settings(remote), newIn(NEXT), person().terminal), /signer is running/);
  server.close();
  await expectUnchanged(
    changePassphrase(settings({ SIGNER_SOCKET: '' }), newIn(NEXT), person().terminal),
    /SIGNER_SOCKET is needed/,
  );
});

test('a file of another run or wallet beside the keystore is left as it is, and does not hinder the replacement', async () => {
  const other = `${file}.new`;
  await createKeystore({ file: other, passphrase: 'of another wallet', entropy: randomBytes(32) });
  const before = fs.readFileSync(other);
  await changePassphrase(settings(), newIn(NEXT), person().terminal);
  expect(await open(NEXT)).toBe(words);
  expect(fs.readFileSync(other).equals(before)).toBe(true);
});

test('a keystore that cannot be replaced is left as it is, with no copy beside it', async () => {
  const given = newIn(NEXT);
  // Too long for a name beside it.
  const long = path.join(path.dirname(file), 'k'.repeat(230));
  fs.renameSync(file, long);
  file = long;
  await expectUnchanged(changePassphrase(settings(), given, person().terminal), 'ENAMETOOLONG');
  expect(await open(FORMER)).toBe(words);
  expect(fs.readdirSync(path.dirname(file)).toSorted()).toEqual([path.basename(file), 'new-passphrase']);
});
