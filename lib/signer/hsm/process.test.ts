// The signer process with keys in an HSM, from its first start to its end, as an operator sees it.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createKeystore } from '@/lib/signer/keystore/keystore';
import { SignerClient } from '@/lib/signer/client';
import { readSignerSettings } from '@/lib/signer/settings';
import type { Terminal } from '@/lib/signer/keystore/terminal';
import { evidenceKey, orderOn, tronDraft } from '@/testing/signer/signer-scene';
import { openSoftHsm, PIN, rawSession, type SoftHsm } from '@/testing/signer/soft-hsm';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { hsm as hsmCommand } from './command';

const root = path.resolve(import.meta.dirname, '../../..');
const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const passphrase = 'a passphrase that is hard to guess';
const directory = useTemporaryDirectory();
const inside = (name: string): string => path.join(directory, name);

let soft: SoftHsm;
const running = new Set<ReturnType<typeof spawn>>();
beforeAll(async () => {
  soft = openSoftHsm(directory);
  await createKeystore({ file: inside('known.json'), passphrase, entropy: mnemonicToEntropy(mnemonic, wordlist) });
});
afterEach(() => stopAll());

async function stopAll(): Promise<void> {
  for (const child of running) {
    running.delete(child);
    if (child.exitCode !== null || !child.kill('SIGKILL')) continue;
    await once(child, 'exit');
  }
}

const environment = (changes: Record<string, string>): Record<string, string> => ({
  PATH: process.env.PATH as string,
  NODE_ENV: 'test',
  KEYSTORE_FILE: inside('known.json'),
  KEYSTORE_PASSPHRASE: passphrase,
  SIGNER_SOCKET: inside('signer.sock'),
  SIGNER_NETWORKS: 'tron@local',
  EVIDENCE_KEY: evidenceKey[0].toString('base64'),
  ...soft.environment,
  ...changes,
});
const command = ['--import', 'tsx', 'lib/signer/main.ts'];

function run(words: string[], changes: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...command, ...words], {
    cwd: root,
    env: environment(changes) as NodeJS.ProcessEnv,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function launch(changes: Record<string, string>) {
  const child = spawn(process.execPath, command, { cwd: root, env: environment(changes) as NodeJS.ProcessEnv });
  running.add(child);
  let output = '';
  const ready = new Promise<boolean>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
      if (output.includes('{"ready":true}')) resolve(true);
    });
    child.stderr.on('data', (chunk: Buffer) => (output += chunk));
    child.once('exit', () => resolve(false));
  });
  return { child, ready, output: () => output };
}
async function start(changes: Record<string, string>) {
  const { ready, ...launched } = launch(changes);
  return { ...launched, isReady: await ready };
}
const client = () => new SignerClient(inside('signer.sock'));
/** As a setting names it, from the output of a command. */
const keysIn = (output: string): string => /^SIGNER_HSM_KEYS=(.+)$/m.exec(output)?.[1] as string;

test('keys are made in the HSM, and the signer pays from them, waits for the HSM, and resumes when it is available again', async () => {
  const made = run(['hsm', 'generate', 'refund/test/tron', 'sponsor/test/evm']);
  expect([made.status, made.stderr]).toEqual([0, '']);
  const keys = keysIn(made.stdout);
  expect(keys).toMatch(
    /^refund\/test\/tron=stabletill-refund-test-tron:T\w{33},sponsor\/test\/evm=stabletill-sponsor-test-evm:0x[0-9a-f]{40}$/,
  );
  expect(run(['hsm', 'show', 'refund/test/tron', 'sponsor/test/evm']).stdout).toBe(made.stdout);
  const again = hsmCommand(readSignerSettings(environment({})), ['generate', 'refund/test/tron'], {
    ...{ isTerminal: false, prompt: async () => '' },
    print: () => {},
  });
  await expect(again).rejects.toThrow(/already, and it is never overwritten/);

  const paying = { SIGNER_HSM_KEYS: keys, KEYSTORE_FILE: inside('paying.json') };
  expect(run(['init'], paying).status).toBe(0);
  const { child, isReady, output } = await start(paying);
  expect([isReady, output()]).toEqual([true, expect.stringContaining('the keys of these wallets are in the HSM')]);
  const wallet = (await client().state()).wallets.test.tron;
  expect(keys).toContain(`:${wallet},`);
  const sign = async (intentId: string) => {
    const order = orderOn('tron', { intentId });
    return client().sign({ order, draft: await tronDraft(order, 0, Date.now(), { owner: wallet }) });
  };
  expect((await sign('re_1')).hash).toMatch(/^[0-9a-f]{64}$/);
  expect(await client().state()).toMatchObject({ hsm: null });
  soft.remove();
  await expect(sign('re_2')).rejects.toMatchObject({
    ...{ fault: 'unavailable', retryable: true },
    message: expect.stringMatching(/^The signer signs nothing now\. There is no HSM with the label "stabletill"/),
  });
  // Calls that need no key of the HSM still work.
  expect((await client().addresses(0, 1)).addresses).toHaveLength(1);
  expect(await client().state()).toMatchObject({ frozen: false, hsm: expect.stringMatching(/no HSM with the label/) });
  soft.putBack();
  await expect
    .poll(() =>
      sign('re_2').then(
        ({ hash }) => hash,
        () => 'waits',
      ),
    )
    .toMatch(/^[0-9a-f]{64}$/);
  expect(await client().state()).toMatchObject({ hsm: null });
  expect(output()).not.toContain(PIN);
  const library = fs.readFileSync(`/proc/${child.pid}/maps`, 'utf8');
  expect([/pkcs11\.node/.test(library), /softhsm/.test(library)]).toEqual([true, true]);
});

test('a signer without keys in an HSM loads neither pkcs11js nor a module', async () => {
  expect(run(['init'], { KEYSTORE_FILE: inside('another.json') }).status).toBe(0);
  const { child, isReady } = await start({ KEYSTORE_FILE: inside('another.json') });
  expect(isReady).toBe(true);
  expect(fs.readFileSync(`/proc/${child.pid}/maps`, 'utf8')).not.toMatch(/pkcs11|softhsm/);
  expect(await client().state()).not.toHaveProperty('hsm');
});

test('the signer waits and does not listen with a wrong PIN, without its HSM, or with a key of another address', async () => {
  const keys = keysIn(run(['hsm', 'generate', 'spare/test/solana']).stdout);
  const waiting = (changes: Record<string, string>) => launch({ SIGNER_HSM_KEYS: keys, ...changes });
  const patient = { timeout: 20_000 };
  soft.writePin('99887766');
  const socket = inside('waiting.sock');
  const refused = waiting({ SIGNER_SOCKET: socket });
  await expect.poll(refused.output, patient).toMatch(/waits for its HSM/);
  expect(refused.output()).toMatch(/refuses the PIN .*SIGNER_HSM_PIN_FILE/);
  expect(fs.existsSync(socket)).toBe(false);
  expect(refused.child.exitCode).toBeNull();
  soft.writePin();
  expect(await refused.ready).toBe(true);
  expect(fs.existsSync(socket)).toBe(true);
  expect(refused.output()).not.toMatch(/99887766/);
  await stopAll();
  for (const [changes, message] of [
    [{ SIGNER_HSM_LABEL: 'other' }, /no HSM with the label "other" \(present: "stabletill"\)/],
    [
      { SIGNER_HSM_KEYS: keys.replace(/:\w+$/, ':Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb') },
      /has the address \w+, and SIGNER_HSM_KEYS names Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb/,
    ],
  ] as const) {
    const { child, output } = waiting(changes);
    await expect.poll(output, patient).toMatch(/waits for its HSM/);
    expect(output().replaceAll(String.raw`\"`, '"')).toMatch(message);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  }
});

test('an imported key keeps the address of the keystore, is asked for at a terminal, and stays in the HSM from then on', async () => {
  const wallets = [
    'refund/live/evm',
    'refund/live/tron',
    'refund/live/solana',
    'sponsor/live/solana',
    'spare/live/tron',
  ];
  expect(run(['hsm', 'import', ...wallets]).stderr).toMatch(/needs a terminal/);
  const printed: string[] = [];
  const terminal: Terminal = {
    ...{ isTerminal: true, prompt: async () => passphrase },
    print: (line) => void printed.push(line),
  };
  await hsmCommand(readSignerSettings(environment({})), ['import', ...wallets], terminal);
  expect(printed[0]).toMatch(/has the words of the keystore has these keys too/);
  const keys = keysIn(printed.join('\n'));
  const { isReady } = await start({ SIGNER_HSM_KEYS: keys, KEYSTORE_FILE: inside('known.json') });
  expect(isReady).toBe(true);
  const inHsm = await client().state();
  for (const address of Object.values(inHsm.wallets.live)) expect(keys).toContain(`:${address}`);
  const { js, calls, session, privateKey, close } = rawSession(soft);
  const read = calls.C_GetAttributeValue(session, privateKey('stabletill-refund-live-solana'), [
    { type: js.CKA_EXTRACTABLE },
    { type: js.CKA_SENSITIVE },
    { type: js.CKA_NEVER_EXTRACTABLE },
  ]);
  // "Never extractable" is what an imported key cannot claim.
  expect(read.map(({ value }) => value[0])).toEqual([0, 1, 0]);
  close();
  await stopAll();
  expect(await start({})).toMatchObject({ isReady: true });
  const ofKeystore = await client().state();
  expect(inHsm.wallets.live).toEqual(ofKeystore.wallets.live);
});

test.each([
  ['generate'],
  ['generate', 'refund/live'],
  ['generate', 'refund/live/evm', 'refund/live/evm'],
  ['erase', 'refund/live/evm'],
])('a mistyped command does nothing and says how it is used: %s %s', async (...words) => {
  const printed: string[] = [];
  const terminal: Terminal = {
    ...{ isTerminal: true, prompt: async () => passphrase },
    print: (line) => void printed.push(line),
  };
  await expect(hsmCommand(readSignerSettings(environment({})), words, terminal)).rejects.toThrow(
    /^The command is "hsm/,
  );
  expect(printed).toEqual([]);
});
