import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { entropyToMnemonic, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  evidenceKey,
  openScene,
  orderOn,
  partsOf,
  solanaDraft,
  solanaSteps,
  temporaryDirectory,
  type Scene,
} from '@/testing/signer/signer-scene';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { SignerClient } from './client';
import { createKeystore } from './keystore/keystore';
import { RefundSigner } from './refund-signer';
import { journalKeyOf } from './journal/signer-journal';
import { readSignerSettings } from './settings';
import type { Terminal } from './keystore/terminal';
import { unfreeze } from './keystore/unfreeze';

const root = path.resolve(import.meta.dirname, '../..');
const passphrase = 'a passphrase that nobody guesses';
const entropy = Buffer.alloc(32, 11);
const words = entropyToMnemonic(entropy, wordlist);
const isFrozen = expect.objectContaining({ code: 'frozen' });

let directory: string;
let keystore: string;
beforeAll(async () => {
  directory = temporaryDirectory();
  keystore = path.join(directory, 'keystore.json');
  await createKeystore({ file: keystore, passphrase, entropy });
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

/** A terminal that types these answers and collects the output. */
const person = (typed: string[], isTerminal = true) => {
  const printed: string[] = [];
  const terminal: Terminal = {
    isTerminal,
    prompt: async () => typed.shift() ?? '',
    print: (text) => void printed.push(text),
  };
  return { terminal, printed };
};

describe('frozen', () => {
  let scene: Scene;
  beforeEach(() => {
    scene = openScene(directory);
  });
  const order = (at: number) => orderOn('solana', { intentId: `re_${at}` });
  const sign = (at: number) => scene.signer.sign({ order: order(at), draft: solanaDraft(order(at)) });

  test('by a call: every old and new signature is refused across restarts, and no bytes are returned', () => {
    const first = sign(0);
    expect(scene.signer.freeze('a test')).toEqual({ frozen: true });
    for (const at of [0, 1]) expect(() => sign(at)).toThrow(isFrozen);
    scene.restart();
    for (const at of [0, 1]) expect(() => sign(at)).toThrow(isFrozen);
    expect(scene.signer.state()).toMatchObject({ frozen: true, reason: 'a test' });
    expect(scene.signer.attempts('re_0').attempts).toMatchObject([{ ...first, bytes: null }]);
    // A second freeze writes nothing, however often it is called.
    const { head } = scene.signer.state().journal;
    for (let count = 0; count < 100; count++) scene.signer.freeze('again');
    expect(scene.signer.state().journal.head).toBe(head);
  });

  test('by the file switch at once, and removing the file does not unfreeze', () => {
    sign(0);
    fs.writeFileSync(`${scene.journalFile}.freeze`, '');
    expect(() => sign(0)).toThrow(isFrozen);
    fs.rmSync(`${scene.journalFile}.freeze`);
    expect(() => sign(0)).toThrow(isFrozen);
    expect(() => (scene.restart(), sign(0))).toThrow(isFrozen);
  });

  test('forged tickets do not unfreeze', () => {
    scene.signer.freeze('a test');
    const { head } = scene.signer.state().journal;
    for (const ticket of ['', '\n', head, `${head}\n`, `${'0'.repeat(64)}\n`]) {
      fs.writeFileSync(`${scene.journalFile}.unfreeze`, ticket);
      expect(() => sign(0)).toThrow(isFrozen);
    }
  });
});

describe('unfreeze', () => {
  const settings = (journal: string, changes = {}) =>
    readSignerSettings({ KEYSTORE_FILE: keystore, JOURNAL_FILE: journal, ...changes });
  let count = 0;
  let journal: string;
  const seed = mnemonicToSeedSync(words);
  const open = () =>
    new RefundSigner({ ...partsOf(journal), accounts: refundAccounts(seed), journalKey: journalKeyOf(seed) });
  beforeEach(() => {
    journal = path.join(directory, `${count++}.journal`);
  });

  test('a person with the passphrase unfreezes a running signer once, and the ticket does not work again', async () => {
    const signer = open();
    signer.freeze('a test');
    const { terminal, printed } = person([passphrase, 'unfreeze']);
    await unfreeze(settings(journal), terminal);
    expect(printed.join('\n')).toMatch(/Frozen because: a test\.[\s\S]*0 intents/);
    const ticket = fs.readFileSync(`${journal}.unfreeze`);
    expect(signer.state().frozen).toBe(false);
    expect(fs.existsSync(`${journal}.unfreeze`)).toBe(false);
    signer.freeze('once more');
    fs.writeFileSync(`${journal}.unfreeze`, ticket);
    expect(signer.state().frozen).toBe(true);
    expect(open().state()).toMatchObject({ frozen: true, reason: 'once more' });
  });

  test('it needs a terminal, the right passphrase, the typed word, no switch, and a frozen and intact journal', async () => {
    await expect(unfreeze(settings(journal), person([passphrase]).terminal)).rejects.toThrow(/There is no journal/);
    const signer = open();
    await expect(unfreeze(settings(journal), person([passphrase]).terminal)).rejects.toThrow(/is not frozen/);
    signer.freeze('a test');
    await expect(unfreeze(settings(journal), person([], false).terminal)).rejects.toThrow(/needs a terminal/);
    const wrong = unfreeze(settings(journal, { KEYSTORE_PASSPHRASE: passphrase }), person(['wrong']).terminal);
    await expect(wrong).rejects.toMatchObject({ fault: 'passphrase' });
    await expect(unfreeze(settings(journal), person([passphrase, 'yes']).terminal)).rejects.toThrow(/Nothing was done/);
    fs.writeFileSync(`${journal}.freeze`, '');
    await expect(unfreeze(settings(journal), person([passphrase]).terminal)).rejects.toThrow(/switch is on/);
    fs.rmSync(`${journal}.freeze`);
    fs.appendFileSync(journal, '{}\n');
    await expect(unfreeze(settings(journal), person([passphrase]).terminal)).rejects.toThrow(/damaged at record 2/);
    expect(fs.existsSync(`${journal}.unfreeze`)).toBe(false);
  });
});

test('the process signs over its socket, remembers after kill -9, and stays frozen until a person unfreezes it', async () => {
  const environment = {
    PATH: process.env.PATH,
    NODE_ENV: 'test' as const,
    KEYSTORE_FILE: keystore,
    KEYSTORE_PASSPHRASE: passphrase,
    SIGNER_SOCKET: path.join(directory, 's.sock'),
    EVIDENCE_KEY: evidenceKey[0].toString('base64'),
    SIGNER_NETWORKS: 'solana@local',
    STOP_WITH_PARENT: 'on',
  };
  let output = '';
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'lib/signer/main.ts'], { cwd: root, env: environment });
    child.stderr.on('data', (chunk: Buffer) => (output += chunk));
    for await (const line of createInterface({ input: child.stdout })) {
      output += `${line}\n`;
      if (line === '{"ready":true}') return child;
    }
    throw new Error(`the signer did not start: ${output}`);
  };
  const kill = async (child: ChildProcess) => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const client = new SignerClient(environment.SIGNER_SOCKET);
  const wallet = refundAccounts(mnemonicToSeedSync(words)).of('test', 'solana').address;
  const order = orderOn('solana');
  const params = { order, draft: solanaDraft(order, 0, solanaSteps(order, wallet), wallet) };

  // A keystore without a journal: earlier signatures are unknown.
  let child = await start();
  expect(await client.state()).toMatchObject({ frozen: true, reason: 'the journal was missing at start' });
  await expect(client.sign(params)).rejects.toMatchObject({ name: 'Refusal', code: 'frozen' });
  await unfreeze(readSignerSettings(environment), person([passphrase, 'unfreeze']).terminal);
  const first = await client.sign(params);
  await kill(child);
  child = await start();
  expect(await client.sign(params)).toEqual(first);
  expect(await client.attempts(order.intentId)).toMatchObject([first]);
  const other = { order, draft: solanaDraft(order, 1, solanaSteps(order, wallet), wallet) };
  await expect(client.sign(other)).rejects.toMatchObject({ code: 'conflict' });
  await client.freeze('by the test');
  await kill(child);
  child = await start();
  await expect(client.sign(params)).rejects.toMatchObject({ code: 'frozen' });
  expect((await client.state()).wallets.test.solana).toBe(wallet);
  await kill(child);
  for (const secret of [passphrase, environment.EVIDENCE_KEY, words.split(' ')[1] as string, first.bytes]) {
    expect(output).not.toContain(secret);
  }
}, 120_000);
