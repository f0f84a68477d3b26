// Money comes back from a TRON account with several keys: each holder signs the same request on a machine without a network, the weights
// of the permission decide, and the arrival is booked once. tronweb makes the accounts, and the local chain checks as java-tron does.

import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest';
import { openReturnScene, type ReturnScene } from '@/testing/cold-storage/return-scene';
import { rewritten } from '@/testing/cold-storage/request-files';
import { startColdTron, type ColdTronChain, type ColdWallet } from '@/testing/cold-storage/cold-chains';
import {
  newHolder,
  setPermissions,
  type KeyHolder,
  type PermissionPlan,
} from '@/testing/cold-storage/tron-permissions';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';

const HELD = 1000_00n;
const SUN = 1_000_000n;
let chain: ColdTronChain;
let db: TestDatabase;
let cold: ColdWallet;
let holders: readonly [KeyHolder, KeyHolder, KeyHolder];
let scene: ReturnScene;
let before: bigint;

beforeAll(async () => void (chain = await startColdTron()), 60_000);
afterAll(() => chain.stop());
beforeEach(async () => {
  db = await openTestDatabase();
  holders = [newHolder(), newHolder(), newHolder()];
  cold = await chain.coldWallet(HELD);
  scene = await openReturnScene({ db, ...chain, cold });
  for (const [index, { privateKey }] of holders.entries()) scene.files.set(`key-${index + 1}`, privateKey);
  await scene.hasCold(600_00n);
  before = await chain.held(scene.refund);
});
afterEach(() => db.close());

const ones = (threshold: number, more: Partial<PermissionPlan> = {}): PermissionPlan => ({
  threshold,
  keys: holders.map((one) => [one, 1] as const),
  ...more,
});
const become = (actives: readonly PermissionPlan[], owner = ones(2), signers = [cold.keyFile]) =>
  setPermissions(chain, cold.address, { owner, actives, signers });

const came = async () => (await chain.held(scene.refund)) - before;
const request = (name = 'request', more: readonly string[] = []) =>
  scene.online(['request', 'tron', 'USDT', '250.5', '--out', name, ...more]);
/** A holder signs, after those whose files are named. */
const sign = (holder: number, out: string, after: readonly string[] = [], name = 'request') =>
  scene.offline([
    ...['sign', name, '--to', scene.refund, '--key-file', `key-${holder}`, '--out', out],
    ...after.flatMap((file) => ['--signed', file]),
  ]);
const send = (...files: string[]) => scene.online(['send', ...files], { pause: () => chain.mine() });
const nothingSent = async () => {
  expect([await came(), await scene.rows()]).toMatchObject([0n, [{ signedAt: null, outcome: null }]]);
};
const arrived = async () => {
  expect([await came(), await chain.held(cold.address)]).toEqual([250_50n, HELD - 250_50n]);
  expect(await scene.rows()).toMatchObject([{ outcome: 'landed', sender: cold.address }]);
  expect(await scene.books()).toEqual({ cold: 600_00n - 250_50n, operator: 0n, wallet: -600_00n + 250_50n });
  expect(await scene.broken()).toEqual([]);
};

describe('2 of 3', () => {
  beforeEach(() => become([ones(2)]));

  it('comes back once after two holders have signed one after the other', async () => {
    const asked = await request();
    expect(asked).toMatchObject({ code: 0, text: expect.stringContaining('permission 2') });
    expect(asked.text).toContain('1 TRX');
    const shown = await scene.offline(['show', 'request', '--to', scene.refund]);
    expect(shown).toMatchObject({ code: 0, text: expect.stringContaining('Total       250.5 USDT') });
    expect(shown.text).toContain('keys of permission 2, until their weights reach 2');
    for (const { address } of holders) expect(shown.text).toContain(`${address}, weight 1`);
    expect(await sign(1, 'one')).toMatchObject({ code: 0, text: expect.stringContaining('1 of 2') });
    expect(await sign(3, 'both', ['one'])).toMatchObject({ code: 0, text: expect.stringContaining('send both') });
    expect(await send('both')).toMatchObject({ code: 0 });
    await arrived();
    expect(await send('both')).toMatchObject({ code: 0 });
    await arrived();
  }, 60_000);

  it('comes back once when each holder has signed alone and the files are sent together', async () => {
    await request();
    for (const holder of [1, 2, 3]) expect(await sign(holder, `by-${holder}`)).toMatchObject({ code: 0 });
    expect(await send('by-2', 'by-1', 'by-3')).toMatchObject({ code: 0 });
    await arrived();
    const [row] = await scene.rows();
    // The third signature would only cost bandwidth.
    expect(Buffer.from(row!.signedBytes!, 'hex').length - row!.unsigned.length / 2).toBeLessThan(2 * 67 + 5);
  }, 60_000);

  it('says what is missing while the signatures have too little weight, also when one key has signed twice', async () => {
    await request();
    await sign(1, 'one');
    await sign(1, 'again');
    for (const files of [['one'], ['one', 'again'], ['one', 'one']]) {
      const sent = await send(...files);
      expect(sent).toMatchObject({ code: 3, text: expect.stringContaining('1 of 2') });
      for (const { address } of holders.slice(1)) expect(sent.text).toContain(address);
    }
    await nothingSent();
    await sign(2, 'two');
    expect(await send('one', 'two')).toMatchObject({ code: 0 });
    await arrived();
  }, 60_000);

  it('refuses a key outside the permission, offline and online', async () => {
    await request();
    scene.files.set('key-4', newHolder().privateKey);
    for (const words of [sign(4, 'four'), scene.sign('request')])
      expect(await words).toMatchObject({ code: 3, text: expect.stringContaining('not a key of permission 2') });
    await sign(1, 'one');
    const file = scene.files.get('one')!;
    const foreign = newHolder().address;
    scene.files.set('foreign', file.replace(holders[0].address, foreign));
    scene.files.set('swapped', file.replace(holders[0].address, holders[1].address));
    expect(await send('one', 'foreign')).toMatchObject({ code: 3, text: expect.stringContaining('not a key of') });
    expect(await send('one', 'swapped')).toMatchObject({ code: 3, text: expect.stringContaining('is not one of') });
    await nothingSent();
  }, 60_000);

  it('refuses a file in which the permission was changed, and names it', async () => {
    await request();
    const made = JSON.parse(scene.files.get('request')!);
    const change = (name: string, fields: object) =>
      scene.files.set(name, Buffer.from(rewritten({ ...made, ...fields })).toString());
    change('terms', { account: { ...made.account, id: 3 } });
    const [item] = made.items;
    change('bytes', { items: [{ ...item, unsigned: item.unsigned.replace('280270', '280370') }] });
    change('owner', { items: [{ ...item, unsigned: item.unsigned.replace('280270', '280070') }] });
    for (const name of ['terms', 'bytes'])
      expect(await sign(1, `${name}.signed`, [], name)).toMatchObject({
        code: 3,
        text: expect.stringContaining('Permission_id'),
      });
    expect(await sign(1, 'owner.signed', [], 'owner')).toMatchObject({ code: 3 });
    // Consistently changed: the holder cannot know, and what was signed is not what was requested.
    change('both', {
      account: { ...made.account, id: 3 },
      items: [{ ...item, unsigned: item.unsigned.replace('280270', '280370') }],
    });
    for (const holder of [1, 2]) expect(await sign(holder, `both-${holder}`, [], 'both')).toMatchObject({ code: 0 });
    expect(await send('both-1', 'both-2')).toMatchObject({ code: 3, text: expect.stringContaining('another content') });
    await nothingSent();
  }, 60_000);

  it('is refused after its 90 minutes, offline and online', async () => {
    await request();
    await sign(1, 'one');
    await sign(2, 'two');
    chain.pass(91 * 60);
    expect(await sign(3, 'three')).toMatchObject({ code: 3, text: expect.stringContaining('expired') });
    expect(await send('one', 'two')).toMatchObject({ code: 3, text: expect.stringContaining('expired') });
    await nothingSent();
  }, 60_000);

  it('is refused when the permission has changed since the request', async () => {
    await request();
    await sign(1, 'one');
    await sign(2, 'two');
    const keys = holders.slice(0, 2).map(({ privateKey }) => privateKey);
    await become([ones(3)], ones(3), keys);
    expect(await send('one', 'two')).toMatchObject({
      code: 3,
      text: expect.stringContaining('permissions of the account have changed'),
    });
    await nothingSent();
  }, 60_000);

  it('a stored one ends without being booked when the permission changed before a block took it', async () => {
    await request();
    await sign(1, 'one');
    await sign(2, 'two');
    const deaf = { ...scene.chain.sender, broadcast: async () => 'accepted' as const };
    await scene.online(['send', 'one', 'two', '--no-wait'], { chain: { ...scene.chain, sender: deaf } });
    expect(await scene.rows()).toMatchObject([{ signedAt: expect.any(Date), outcome: null }]);
    const keys = holders.slice(0, 2).map(({ privateKey }) => privateKey);
    await become([ones(3)], ones(3), keys);
    expect(await scene.follow()).toMatchObject([{ note: expect.stringContaining('SIGERROR') }]);
    chain.pass(92 * 60 + 120);
    await chain.mine();
    expect(await send('one', 'two')).toMatchObject({ code: 3, text: expect.stringContaining('can no longer land') });
    expect([await came(), await scene.rows()]).toMatchObject([0n, [{ outcome: 'lapsed' }]]);
    expect(await scene.broken()).toEqual([]);
  }, 60_000);

  it('the account’s own key, which has no weight any more, is refused', async () => {
    await request();
    expect(JSON.parse(scene.files.get('request')!)).toMatchObject({
      version: 'stabletill-signing-request/2',
      account: { kind: 'tron-permission', id: 2, threshold: 2 },
    });
    expect(await scene.sign('request')).toMatchObject({ code: 3, text: expect.stringContaining('not a key of') });
  }, 60_000);
});

it('a plain return is refused when the account has given its keys away since the request', async () => {
  await request();
  expect(await scene.sign('request')).toMatchObject({ code: 0 });
  await become([ones(2)]);
  expect(await send('request.signed')).toMatchObject({
    code: 3,
    text: expect.stringContaining('permissions of the account have changed'),
  });
  await nothingSent();
}, 60_000);

it('a key with the whole weight signs alone, and the network takes no fee for several signatures', async () => {
  const keys = [[holders[0], 2] as const, [holders[1], 1] as const];
  await become([ones(2, { keys })]);
  const coin = await chain.coins(cold.address);
  await request();
  await sign(1, 'one');
  expect(await send('one')).toMatchObject({ code: 0 });
  await arrived();
  const alone = coin - (await chain.coins(cold.address));
  const second = await chain.coins(cold.address);
  await request('next');
  const weak = await sign(2, 'weak', [], 'next');
  expect(weak).toMatchObject({ code: 0, text: expect.stringContaining('1 of 2 of the weight is missing') });
  expect(weak.text).toContain(`${holders[0].address} (weight 2)`);
  await sign(1, 'strong', [], 'next');
  // The strong one suffices, so the weak one is left out.
  expect(await send('weak', 'strong')).toMatchObject({ code: 0 });
  expect(second - (await chain.coins(cold.address)) - alone).toBeLessThan(SUN);
}, 60_000);

it('the permission that may call contracts is chosen, and one that may not is refused by name', async () => {
  await become([ones(1, { allows: ['TransferContract'] }), ones(2)]);
  expect(await request()).toMatchObject({ code: 0, text: expect.stringContaining('permission 3') });
  const refused = await request('other', ['--permission', '2']);
  expect(refused).toMatchObject({ code: 3, text: expect.stringContaining('Permission 2 of') });
  expect(refused.text).toContain('may not move tokens');
  expect(await request('none', ['--permission', '7'])).toMatchObject({
    code: 3,
    text: expect.stringContaining('has no permission 7'),
  });
  await sign(1, 'one');
  await sign(2, 'two', ['one']);
  expect(await send('two')).toMatchObject({ code: 0 });
  await arrived();
}, 60_000);

it('the keys of the owner permission sign where no active one may call contracts', async () => {
  await become([ones(1, { allows: ['TransferContract'] })]);
  expect(await request()).toMatchObject({ code: 0, text: expect.stringContaining('the owner permission') });
  expect(await sign(1, 'one')).toMatchObject({ code: 0 });
  expect(await send('one')).toMatchObject({ code: 3 });
  expect(await sign(2, 'two', ['one'])).toMatchObject({ code: 0 });
  expect(await send('two')).toMatchObject({ code: 0 });
  await arrived();
}, 60_000);

it('an account whose own key suffices stays a plain one, unless another permission is named', async () => {
  const self = [[{ address: cold.address, privateKey: cold.keyFile }, 1] as const];
  await become([ones(2)], ones(1, { keys: self }));
  await request('plain');
  expect(JSON.parse(scene.files.get('plain')!)).toMatchObject({ version: 'stabletill-signing-request/1' });
  expect(await request('request', ['--permission', '2'])).toMatchObject({ code: 0 });
  await sign(1, 'one');
  await sign(2, 'two');
  expect(await send('one', 'two')).toMatchObject({ code: 0 });
  expect(await came()).toBe(250_50n);
  expect((await scene.rows()).map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['superseded', 'landed']));
}, 60_000);

it('coin for the fee of several signatures is needed too', async () => {
  await become([ones(2)]);
  const has = await chain.coins(cold.address);
  await chain.takeCoins(cold.address, has);
  expect(await request()).toMatchObject({ code: 3, text: expect.stringContaining('too little TRX') });
  expect(await scene.rows()).toEqual([]);
}, 60_000);
