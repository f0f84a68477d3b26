// Sweeps of an installation without the keys of its deposit addresses, on a real EVM node. The `authorizations` command signs in advance
// where the keys are; the installation's signer has another seed.

import fs from 'node:fs';
import path from 'node:path';
import { Wallet } from 'ethers';
import { expect, it } from 'vitest';
import { MAX_AUTHORIZATION_NONCE } from '@/lib/signer/client';
import { openPresigned } from '@/lib/sweeps/evm/presigned';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { openOfflineWallet } from '@/testing/sweeps/offline-wallet';
import { startRefusingEndpoint } from '@/testing/sweeps/refusing-endpoint';
import { useSweeps } from '@/testing/sweeps/use-sweeps';
import { EVM_NETWORKS } from './evm/start';

const ETHEREUM = EVM_NETWORKS[0]!;
const { usb, seed: offlineSeed, presign } = await openOfflineWallet();
const presigned = openPresigned(usb);
const { scene, open, use, expectSweptOnce, others, chain } = useSweeps(ETHEREUM, {
  offline: { seed: offlineSeed, directory: usb },
});

const wallets = () => {
  const { treasury, sponsor, spareSponsor } = scene().signer.sweeps.state()[0]!;
  return [`ethereum@local=${treasury}`, sponsor, spareSponsor];
};

it('sweeps with authorizations that were signed in advance, by a signer that has no key of the addresses', async () => {
  const printed = await presign([...wallets(), 0, 1000, usb]);
  expect(printed).toContain(scene().treasury);
  expect(printed).toContain(keysFromSeed(offlineSeed).addressesAt(0).evm);
  const sessions = await scene().paid(3);
  await scene().rounds(4);
  await expectSweptOnce(sessions);
  // A later payment needs no authorization.
  const [first] = sessions;
  await scene().pay(first!.address, 5_00n);
  await scene().rounds(2);
  expect(await scene().held(first!.address)).toBe(0n);
});

it('leaves addresses with a damaged or without an authorization for later, and sweeps them ten minutes after a file has them', async () => {
  const [known, damaged, unknown] = [await scene().session(), await scene().session(), await scene().session()];
  await presign([...wallets(), known.index, 2, usb]);
  const file = path.join(
    usb,
    fs.readdirSync(usb).find((name) => name.includes(scene().delegate))!,
  );
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/(?<=\n\d{10}) [01] ./, ' 7 x'));
  for (const { address } of [known, damaged, unknown]) await scene().pay(address, 12_34n);
  await scene().rounds(3);
  const left = () => Promise.all([known, damaged, unknown].map(({ address }) => scene().held(address)));
  expect(await left()).toEqual([0n, 12_340_000n, 12_340_000n]);
  const { rows } = await scene().db.pool.query('SELECT DISTINCT skip_reason FROM deposit_balances');
  expect(rows).toEqual([{ skip_reason: 'not_authorized' }]);
  fs.rmSync(file);
  await presign([...wallets(), known.index, 3, usb]);
  scene().later(601);
  await scene().rounds(3);
  await expectSweptOnce([known, damaged, unknown]);
});

it('an address whose key sent more transactions than a delegation may follow waits, and stops no other one', async () => {
  await presign([...wallets(), 0, 1000, usb]);
  const [used, ...unused] = await scene().paid(3);
  await scene().rounds(1);
  await scene().rpc('anvil_setNonce', used!.address, `0x${(MAX_AUTHORIZATION_NONCE + 1).toString(16)}`);
  await scene().rounds(4);
  for (const { address } of unused) expect(await scene().held(address)).toBe(0n);
  expect(await scene().held(used!.address)).toBe(12_340_000n);
  const { rows } = await scene().db.pool.query('SELECT address, skip_reason FROM deposit_balances');
  expect(rows).toEqual([{ address: used!.address, skip_reason: 'not_authorized' }]);
  expect(await scene().hold()).toBe(null);
});

it('another treasury needs authorizations with the next account nonce', async () => {
  await presign([...wallets(), 0, 1000, usb]);
  const [session] = await scene().paid(1);
  await scene().rounds(3);
  const treasury = Wallet.createRandom().address.toLowerCase();
  use(await open({ treasury }));
  await scene().pay(session!.address, 7_00n);
  await presign([...wallets(), 0, 1000, usb]);
  await scene().rounds(3);
  expect(await scene().held(treasury)).toBe(0n);
  await presign([...wallets(), 0, 1000, usb, 1]);
  scene().later(601);
  await scene().rounds(3);
  expect(await scene().held(treasury)).toBe(7_000_000n);
  expect(await others().count(session!.address)).toBe(2);
});

it('where no endpoint takes EIP-7702, the money waits and the reason is shown', async () => {
  await presign([...wallets(), 0, 1000, usb]);
  const refuse = ({ method, params }: { method: string; params: readonly unknown[] }) =>
    method === 'eth_sendRawTransaction' && String(params[0]).startsWith('0x04')
      ? { code: -32000, message: 'transaction type not supported' }
      : null;
  const endpoint = await startRefusingEndpoint(chain().rpcUrl, { refuse });
  try {
    use(await open({ urls: [endpoint.url], treasury: scene().treasury }));
    const [session] = await scene().paid(1);
    await scene().rounds(4);
    expect(await scene().held(session!.address)).toBe(12_340_000n);
    expect(await scene().hold()).toBe('keys_offline');
    expect((await scene().sweeps()).map(({ kind }) => kind)).not.toContain('top_up');
  } finally {
    await endpoint.stop();
  }
});

it.each<[string, (words: string[]) => string[], RegExp]>([
  ['too few words', (words) => words.slice(0, 4), /The command is/],
  ['a word too many', (words) => [...words, '0', 'more'], /The command is/],
  [
    'a network without delegations',
    ([, ...words]) => ['tron@local=TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7', ...words],
    /No EVM network/,
  ],
  [
    'a sponsor that is the treasury',
    ([one, , ...words]) => [one!, one!.split('=')[1]!, ...words],
    /three different addresses/,
  ],
  ['a sponsor that is none', ([one, , ...words]) => [one!, '0x12', ...words], /three different addresses/],
  ['no addresses', (words) => words.with(4, '0'), /COUNT is 1 to/],
  ['more addresses than there are', (words) => words.with(3, '2147483647'), /COUNT is 1 to/],
  ['an account nonce that no sweep uses', (words) => [...words, '9'], /NONCE is 0 to 8/],
])('the command refuses %s and writes nothing', async (_what, change, message) => {
  const before = fs.readdirSync(usb);
  await expect(presign(change([...wallets(), '0', '10', usb]))).rejects.toThrow(message);
  expect(fs.readdirSync(usb)).toEqual(before);
});

it('the command never overwrites a file, and a damaged one is named', async () => {
  await presign([...wallets(), 100, 3, usb]);
  await expect(presign([...wallets(), 0, 1000, usb])).rejects.toThrow(/exists already/);
  const { delegate } = scene();
  const wanted = { chainId: ETHEREUM.spec.chainId!, address: delegate, nonce: 0 };
  expect((await presigned.find({ ...wanted, index: 102 }))?.deposit).toBe(
    keysFromSeed(offlineSeed).addressesAt(102).evm,
  );
  for (const index of [99, 103]) expect(await presigned.find({ ...wanted, index })).toBe(null);
  const [file] = fs.readdirSync(usb).filter((name) => name.includes(delegate));
  const whole = path.join(usb, file!);
  fs.writeFileSync(whole, fs.readFileSync(whole, 'utf8').replace('0000000101', '0000000100'));
  await expect(presigned.find({ ...wanted, index: 101 })).rejects.toThrow(/is damaged/);
  fs.writeFileSync(whole, 'something else');
  await expect(presigned.find({ ...wanted, index: 101 })).rejects.toThrow(/no file of authorizations/);
});
