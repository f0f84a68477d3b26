import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { mnemonicToSeedSync } from '@scure/bip39';
import { HDKey } from '@scure/bip32';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forwarderAddress } from '@/lib/networks/families/tron/sweeping/forwarders';
import { readConfig } from '@/lib/platform/config/config';
import { SignerClient } from '@/lib/signer/client';
import { keysFromSeed } from './derivation';
import { addressSource } from './open-address-source';
import { openWatchOnly } from './watch-only';

const seed = mnemonicToSeedSync('legal winner thank year wave sausage worth useful legal winner thank yellow');
const keys = keysFromSeed(seed);
const master = HDKey.fromMasterSeed(seed);
const evmXpub = master.derive("m/44'/60'/0'").publicExtendedKey;
const tronXpub = master.derive("m/44'/195'/0'").publicExtendedKey;
const solanaKeys = Array.from({ length: 30 }, (_, index) => keys.addressesAt(index).solana);

let directory: string;
let files = 0;
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-watch-'));
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

function listOf(lines: string): string {
  const file = path.join(directory, `${files++}.txt`);
  fs.writeFileSync(file, lines);
  return file;
}
const watching = (lines: string) => openWatchOnly({ evmXpub, tronXpub, solanaKeysFile: listOf(lines) });

test('a watch-only wallet equals the seed it was made from: same addresses, same fingerprint', async () => {
  const source = watching(`${solanaKeys.join('\n')}\n`);
  const batch = await source.addresses(3, 20);
  expect(batch.addresses).toEqual(Array.from({ length: 20 }, (_, at) => keys.addressesAt(3 + at)));
  expect(batch.fingerprint).toBe(keys.fingerprint);
  expect(await source.fingerprint()).toBe(keys.fingerprint);
});

test('owns the addresses of an index, and no others', async () => {
  const source = watching(solanaKeys.join('\n'));
  const { evm, tron, solana } = keys.addressesAt(3);
  expect(await source.owns(3, [evm, tron, solana])).toBe(true);
  expect(await source.owns(4, [evm])).toBe(false);
  expect(await source.owns(3, [evm, keys.addressesAt(4).tron])).toBe(false);
});

test('owns the forwarders of an index, of the contracts in its settings alone', async () => {
  const [factory, other] = ['TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7', 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA'];
  const solanaKeysFile = listOf(solanaKeys.join('\n'));
  const source = openWatchOnly({ evmXpub, tronXpub, solanaKeysFile, factories: [factory] });
  const { evm, tron } = keys.addressesAt(3);
  expect(await source.owns(3, [evm, tron, forwarderAddress(factory, evm)])).toBe(true);
  expect(await source.owns(4, [forwarderAddress(factory, evm)])).toBe(false);
  expect(await source.owns(3, [forwarderAddress(other, evm)])).toBe(false);
  expect(await watching(solanaKeys.join('\n')).owns(3, [forwarderAddress(factory, evm)])).toBe(false);
});

test('reports that the list is too short, and does not call an address foreign because of it', async () => {
  const source = watching(solanaKeys.join('\n'));
  await expect(source.owns(1_000, [keys.addressesAt(1_000).evm])).rejects.toMatchObject({
    fault: 'exhausted',
    message: expect.stringMatching(/keys for 30 indexes only: the operator has to append the keys up to index 1000/),
  });
});

test('the list bounds the wallet, to the last key and no further', async () => {
  const source = watching(solanaKeys.join('\r\n'));
  expect(await source.capacity()).toBe(30);
  expect((await source.addresses(29, 1)).addresses[0]?.solana).toBe(solanaKeys[29]);
  await expect(source.addresses(29, 2)).rejects.toMatchObject({ fault: 'exhausted', retryable: false });
});

describe('a list with anything but public keys is refused with the number of its line', () => {
  const [first = '', second = ''] = solanaKeys;
  test.each([
    ['an empty file', '', /is empty/],
    ['an empty line', `${first}\n\n${second}\n`, /line 2 is not/],
    ['a space after a key', `${first} \n`, /line 1 is not/],
    ['a key that is there twice', `${first}\n${second}\n${first}\n`, /line 3 repeats/],
    ['an EVM address', `${first}\n${keys.addressesAt(0).evm}\n`, /line 2 is not/],
    ['a TRON address', `${keys.addressesAt(0).tron}\n`, /line 1 is not/],
    ['31 bytes', `${first}\n${'1'.repeat(31)}\n`, /line 2 is not/],
    ['the system program, which has no key', `${'1'.repeat(32)}\n`, /line 1 is not/],
    ['a token account, which is off the curve', '6pXYguUixhfdydHDMgsvSy3sAWjStL2eEYh4KeYJAUDk\n', /line 1 is not/],
  ])('%s', async (_what, lines, reason) => {
    await expect(watching(lines).fingerprint()).rejects.toThrow(reason);
  });
});

test('a list that was missing is found once it exists', async () => {
  const solanaKeysFile = path.join(directory, 'later.txt');
  const source = openWatchOnly({ evmXpub, tronXpub, solanaKeysFile });
  await expect(source.fingerprint()).rejects.toThrow(/cannot be read \(ENOENT\)/);
  fs.writeFileSync(solanaKeysFile, solanaKeys.join('\n'));
  expect(await source.fingerprint()).toBe(keys.fingerprint);
});

test('private keys, and one key for both coins, are refused at once with the name of the setting', () => {
  const solanaKeysFile = 'unread';
  const xprv = master.derive("m/44'/195'/0'").privateExtendedKey;
  expect(() => openWatchOnly({ evmXpub, tronXpub: xprv, solanaKeysFile })).toThrow(/^WATCH_ONLY_TRON_XPUB: .*private/);
  expect(() => openWatchOnly({ evmXpub: xprv, tronXpub, solanaKeysFile })).toThrow(/^WATCH_ONLY_EVM_XPUB: .*private/);
  expect(() => openWatchOnly({ evmXpub, tronXpub: evmXpub, solanaKeysFile })).toThrow(/are one key/);
});

describe('settings', () => {
  const base = {
    DATABASE_URL: 'postgresql://nobody@127.0.0.1/none',
    MASTER_KEYS: `1:${Buffer.from(Array.from({ length: 32 }, (_, at) => at)).toString('base64')}`,
  };
  const three = {
    WATCH_ONLY_EVM_XPUB: evmXpub,
    WATCH_ONLY_TRON_XPUB: tronXpub,
    WATCH_ONLY_SOLANA_KEYS_FILE: 'keys.txt',
  };

  test('the signer is the source unless all three watch-only settings are given', async () => {
    expect(addressSource(readConfig({ ...base, SIGNER_SOCKET: '/nowhere.sock' }))).toBeInstanceOf(SignerClient);
    const WATCH_ONLY_SOLANA_KEYS_FILE = listOf(solanaKeys.join('\n'));
    const source = addressSource(
      readConfig({ ...base, ...three, WATCH_ONLY_SOLANA_KEYS_FILE, SIGNER_SOCKET: '/nowhere.sock' }),
    );
    expect(await source.fingerprint()).toBe(keys.fingerprint);
  });

  test('rejects settings without any source', () => {
    expect(() => addressSource(readConfig(base))).toThrow(/SIGNER_SOCKET/);
  });

  test.each(Object.keys(three))('rejects the other two settings without %s', (missing) => {
    expect(() => readConfig({ ...base, ...three, [missing]: '' })).toThrow(`${missing}: a watch-only wallet needs all`);
  });

  test('a private key in the settings is refused and not repeated', () => {
    const xprv = master.derive("m/44'/60'/0'").privateExtendedKey;
    const attempt = () => readConfig({ ...base, ...three, WATCH_ONLY_EVM_XPUB: xprv });
    expect(attempt).toThrow(/WATCH_ONLY_EVM_XPUB: must be a public extended key/);
    expect(attempt).not.toThrow(new RegExp(xprv.slice(4, 20)));
  });
});
