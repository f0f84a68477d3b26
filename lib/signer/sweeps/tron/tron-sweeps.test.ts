// What a compromised worker can ask for on TRON: whatever it sends, tokens go to the treasury, coin and energy to own deposit addresses,
// or the order is refused.

import fc from 'fast-check';
import { utils } from 'tronweb';
import { describe, expect, test } from 'vitest';
import { callsOn } from '@/lib/signer/calls';
import { Refusal } from '@/lib/signer/refusal';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { sweepKeys } from '@/lib/treasury/wallets/derivation-sweep';
import { partsOf, seed, START } from '@/testing/signer/signer-scene';
import {
  CONTRACT,
  depositAddress,
  FACTORY,
  HIGHEST_INDEX,
  openTronSweepScene,
  sweepOf,
  TREASURY,
  TRON,
} from '@/testing/signer/tron-sweep-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { FLUSH_SELECTOR } from '@/lib/networks/families/tron/sweeping/forwarders';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import type { TronSweepOrder } from './orders';
import { TronSweeps } from './tron-sweeps';

const directory = useTemporaryDirectory();
const stranger = utils.accounts.generateAccount().address.base58;
const deposits = Array.from({ length: HIGHEST_INDEX + 1 }, (_, index) => depositAddress(index));
const sponsor = sweepKeys(seed, 'tron').sponsor('test', 'first').address;
const spare = sweepKeys(seed, 'tron').sponsor('test', 'spare').address;
const SUN = 1_000_000n;
const SALT = `0x${'5a'.repeat(20)}`;

const manySalts = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `0x${String(at).padStart(40, '0')}`);

const { sweeps, refunds } = openTronSweepScene(directory);
const calls = callsOn(keysFromSeed(seed), refunds, { sweeps });

/** What the signer answers: `invalid` for parameters out of bounds, the code of a refusal, or the result. */
async function answer(params: unknown): Promise<string | { from: string; hash: string; bytes: string }> {
  try {
    // As on the socket.
    const given = await calls.get('sweep')?.(JSON.parse(JSON.stringify(params)));
    return given ? (given as { from: string; hash: string; bytes: string }) : 'invalid';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

const orders = {
  activate: { kind: 'activate', index: 1 },
  top_up: { kind: 'top_up', index: 1, amount: '6428500' },
  delegate: { kind: 'delegate', index: 1, balance: '6786000000' },
  undelegate: { kind: 'undelegate', index: 1, balance: '6786000000' },
  transfer: { kind: 'transfer', index: 1, contract: CONTRACT, amount: '12340000' },
  flush: { kind: 'flush', factory: FACTORY, contract: CONTRACT, energyEach: 200_000, salts: [SALT] },
} satisfies Record<string, TronSweepOrder>;

type RawData = Record<string, unknown> & {
  readonly contract: readonly [{ readonly parameter: { readonly value: Record<string, unknown> } }];
};
type Read = { readonly type: string; readonly value: Record<string, unknown>; readonly raw: Record<string, unknown> };

/** The transaction as tronweb reads it, with its signer. */
function readSigned({ bytes, hash }: { bytes: string; hash: string }): Read & { readonly signer: string } {
  // Field 1 is raw_data, field 2 the signature of 65 bytes.
  const whole = Buffer.from(bytes, 'hex');
  const signature = whole.subarray(-65);
  const rawHex = whole.subarray(whole.indexOf(0x0a) + (whole[1]! < 128 ? 2 : 3), -67).toString('hex');
  for (const [name, type] of TYPES) {
    if (!Buffer.from(rawHex, 'hex').includes(Buffer.from(`protocol.${type}`))) continue;
    const raw = utils.deserializeTx.deserializeTransaction(type, rawHex) as RawData;
    const { value } = raw.contract[0].parameter;
    const signed = { txID: hash, signature: [signature.toString('hex')] };
    return { type: name, value, raw, signer: utils.crypto.ecRecover(signed.txID, signed.signature[0]!) };
  }
  throw new Error('a transaction of another type');
}
const TYPES = [
  ['activate', 'AccountCreateContract'],
  ['top_up', 'TransferContract'],
  ['undelegate', 'UnDelegateResourceContract'],
  ['delegate', 'DelegateResourceContract'],
  ['transfer', 'TriggerSmartContract'],
] as const;

const base58 = (hex: unknown): string => utils.address.fromHex(String(hex));
const ours = new Set(deposits);
const contracts = Object.values(TRON.tokens).map(({ contract }) => contract);

/** Fails unless the transaction moves tokens to the treasury only, and coin and energy to own deposit addresses only. */
function checkPaysOnlyUs(signed: { from: string; bytes: string; hash: string }): void {
  const { type, value, raw, signer } = readSigned(signed);
  const owner = base58(value.owner_address);
  expect([base58(signer), raw.contract]).toEqual([owner, [expect.anything()]]);
  expect(signed.from).toBe(owner);
  if (type === 'transfer') {
    const data = String(value.data).replace(/^0x/, '').toLowerCase();
    if (data.startsWith(FLUSH_SELECTOR)) {
      // The money goes to the treasury in the code of the contract, which the settings name. Only tokens of the network are moved.
      expect([owner, base58(value.contract_address), value.call_value ?? 0]).toEqual([sponsor, FACTORY, 0]);
      expect(contracts).toContain(base58(`41${data.slice(32, 72)}`));
      return;
    }
    expect(ours.has(owner)).toBe(true);
    expect(contracts).toContain(base58(value.contract_address));
    expect(data.slice(0, 8)).toBe('a9059cbb');
    expect(base58(`41${data.slice(32, 72)}`)).toBe(TREASURY);
    expect(value.call_value ?? 0).toBe(0);
    return;
  }
  expect(owner).toBe(sponsor);
  const to = value.account_address ?? value.to_address ?? value.receiver_address;
  expect(ours.has(base58(to))).toBe(true);
  expect([value.lock ?? false, raw.fee_limit ?? 0]).toEqual([false, 0]);
  if (type === 'delegate' || type === 'undelegate') expect(value.resource).toBe('ENERGY');
}

test('the unaltered orders are signed by the sponsor or the deposit address, and tronweb reads them as ordered', async () => {
  for (const [kind, order] of Object.entries(orders)) {
    const signed = await answer(sweepOf(order));
    if (typeof signed === 'string') throw new Error(`${kind}: ${signed}`);
    checkPaysOnlyUs(signed);
    const { type, value, raw, signer } = readSigned(signed);
    const expected =
      kind === 'flush' ? ['transfer', sponsor] : [kind, kind === 'transfer' ? depositAddress(1) : sponsor];
    expect([type, base58(signer)]).toEqual(expected);
    if ('balance' in order) expect(value.balance).toBe(Number(order.balance));
    if (order.kind === 'top_up') expect(value.amount).toBe(Number(order.amount));
    expect(raw).toMatchObject({ expiration: START + 300_000, timestamp: START });
    expect(await answer(sweepOf(order))).toEqual(signed);
  }
});

describe('an altered field is refused', () => {
  test.each<[keyof typeof orders, string, object, string]>([
    ['transfer', 'a token that the network does not have', { contract: stranger }, 'not_allowed'],
    ['transfer', 'another recipient', { to: stranger }, 'invalid'],
    ['transfer', 'no amount', { amount: '0' }, 'invalid'],
    ['transfer', 'a hexadecimal amount', { amount: '0x10' }, 'invalid'],
    ['transfer', 'more than a word', { amount: String(1n << 256n) }, 'invalid'],
    ['transfer', 'an index that was never given', { index: HIGHEST_INDEX + 1 }, 'not_allowed'],
    ['transfer', 'other data', { data: 'a9059cbb' }, 'invalid'],
    ['top_up', 'a recipient', { to: stranger }, 'invalid'],
    ['top_up', 'no coin', { amount: '0' }, 'invalid'],
    ['top_up', 'an index that was never given', { index: HIGHEST_INDEX + 1 }, 'not_allowed'],
    ['top_up', 'more than the fee cap', { amount: String(TRON.feeCap) }, 'limit'],
    ['activate', 'an index that was never given', { index: HIGHEST_INDEX + 1 }, 'not_allowed'],
    ['activate', 'an account', { account: stranger }, 'invalid'],
    ['delegate', 'an index that was never given', { index: HIGHEST_INDEX + 1 }, 'not_allowed'],
    ['delegate', 'a receiver', { receiver: stranger }, 'invalid'],
    ['delegate', 'a lock', { lock: true }, 'invalid'],
    ['delegate', 'another resource', { resource: 'BANDWIDTH' }, 'invalid'],
    ['delegate', 'nothing', { balance: '0' }, 'invalid'],
    ['delegate', 'a number', { balance: 1 }, 'invalid'],
    ['undelegate', 'an index that was never given', { index: HIGHEST_INDEX + 1 }, 'not_allowed'],
    ['undelegate', 'another kind', { kind: 'freeze' }, 'invalid'],
    ['flush', 'a contract that the settings do not name', { factory: stranger }, 'not_allowed'],
    ['flush', 'a token as the contract of forwarders', { factory: CONTRACT }, 'not_allowed'],
    ['flush', 'a token that the network does not have', { contract: stranger }, 'not_allowed'],
    ['flush', 'the coin', { contract: 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb' }, 'not_allowed'],
    ['flush', 'a recipient', { to: stranger }, 'invalid'],
    ['flush', 'other data', { data: 'a9059cbb' }, 'invalid'],
    ['flush', 'coin with the call', { amount: '1' }, 'invalid'],
    ['flush', 'no addresses', { salts: [] }, 'invalid'],
    ['flush', 'an address twice', { salts: [SALT, SALT] }, 'invalid'],
    ['flush', 'too many addresses', { salts: manySalts(21) }, 'invalid'],
    ['flush', 'a short salt', { salts: [SALT.slice(0, -1)] }, 'invalid'],
    ['flush', 'an index', { index: 1 }, 'invalid'],
    ['flush', 'no energy for an address', { energyEach: 0 }, 'invalid'],
    ['flush', 'more energy for an address than any transfer takes', { energyEach: 10_000_001 }, 'invalid'],
  ])('%s: %s', async (kind, _what, changes, expected) => {
    expect(await answer(sweepOf({ ...orders[kind], ...changes }))).toBe(expected);
  });

  test.each<[string, object, string]>([
    ['the live environment', { environment: 'live' }, 'not_allowed'],
    ['a network without a treasury', { network: 'solana' }, 'not_allowed'],
    ['an expired one', { expiration: START }, 'draft'],
    ['one that lives for more than a day', { expiration: START + 86_400_001 }, 'draft'],
    ['one that is dated in the future', { timestamp: START + 300_001 }, 'draft'],
    ['no block', { refBlockBytes: '' }, 'invalid'],
    ['a short hash of the block', { refBlockHash: '01' }, 'invalid'],
    ['a fraction as the expiration', { expiration: START + 0.5 }, 'invalid'],
    ['a nonce', { nonce: 1 }, 'invalid'],
    ['a memo', { data: '00' }, 'invalid'],
    ['a permission', { permissionId: 2 }, 'invalid'],
    ['a sponsor', { from: stranger }, 'invalid'],
    ['a fee limit above the fee cap', { feeLimit: '50345001' }, 'limit'],
  ])('every kind: %s', async (_what, changes, expected) => {
    for (const order of Object.values(orders)) {
      const isForTransfers = 'feeLimit' in changes && order.kind !== 'transfer' && order.kind !== 'flush';
      expect(await answer({ ...sweepOf(order), ...changes })).toBe(isForTransfers ? 'not_allowed' : expected);
    }
  });

  test('a transfer without a fee limit, and a fee limit without a transfer', async () => {
    expect(await answer(sweepOf(orders.transfer, { feeLimit: '0' }))).toBe('not_allowed');
    expect(await answer(sweepOf(orders.flush, { feeLimit: '0' }))).toBe('not_allowed');
    expect(await answer(sweepOf(orders.delegate, { feeLimit: '1' }))).toBe('not_allowed');
  });
});

/** Values of every kind, among them those that another field of a valid order has. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(stranger, TREASURY, CONTRACT, sponsor, spare, ...deposits),
  fc.constantFrom<unknown>('tron', 'ethereum', 'live', 'test', ...Object.keys(orders)),
  fc.constantFrom<unknown>([], {}, null, true, 0, '0', '00ff', -1, 1.5, '', START, START + 1000),
  fc.integer({ min: 0, max: 12 }),
  fc.bigInt({ min: 0n, max: 10n ** 12n }).map(String),
  fc.jsonValue({ maxDepth: 1 }),
);
const outer = ['environment', 'network', 'refBlockBytes', 'refBlockHash', 'expiration', 'timestamp', 'feeLimit', 'to'];
const inner = ['kind', 'index', 'amount', 'balance', 'contract', 'factory', 'salts', 'to', 'data', 'lock', 'receiver'];
const alteration = fc.record({
  ...{ isInner: fc.boolean(), field: fc.constantFrom(...outer), innerField: fc.constantFrom(...inner) },
  value: anything,
});

test('whatever is asked for, tokens go to the treasury only, and coin and energy to own deposit addresses only', async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(orders)),
      fc.integer({ min: 0, max: HIGHEST_INDEX + 1 }),
      fc.array(alteration, { maxLength: 2 }),
      async (order, index, alterations) => {
        const transaction: Record<string, unknown> = { ...order, ...(order.kind === 'flush' ? {} : { index }) };
        const params: Record<string, unknown> = { ...sweepOf(order) };
        for (const { isInner, field, innerField, value } of alterations) {
          if (isInner) transaction[innerField] = value;
          else params[field] = value;
        }
        const given = await answer({ ...params, transaction });
        const outcome = typeof given === 'string' ? given : 'signed';
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        if (typeof given !== 'string') checkPaysOnlyUs(given);
      },
    ),
    { numRuns: 800 },
  );
  // The property was about something: many orders were signed and many refused.
  for (const outcome of ['signed', 'invalid', 'not_allowed']) expect(seen.get(outcome)).toBeGreaterThan(10);
}, 120_000);

describe('the budget of an hour', () => {
  const spent = (scene: ReturnType<typeof openTronSweepScene>) => BigInt(scene.sweeps.state()[0]!.feesLastHour);

  test('counts the fee limit, the coin, the account and the bandwidth of each transaction, and survives a restart', () => {
    const scene = openTronSweepScene(directory);
    const least = TRON.feeCap / 100n;
    let sum = 0n;
    const costs: [TronSweepOrder, (bytes: bigint) => bigint][] = [
      [orders.transfer, (bytes) => 8_357_050n + bytes],
      [orders.flush, (bytes) => 8_357_050n + bytes],
      [orders.top_up, (bytes) => 6_428_500n + 1_100_000n + bytes],
      [orders.activate, (bytes) => 1_100_000n + bytes],
      [orders.delegate, () => least],
      [orders.undelegate, () => least],
    ];
    for (const [order, cost] of costs) {
      const { bytes } = scene.sweeps.sweep(sweepOf(order));
      sum += cost(BigInt(bytes.length / 2 + 64) * 1000n);
      expect(spent(scene)).toBe(sum);
    }
    scene.restart();
    expect(spent(scene)).toBe(sum);
    scene.time.now += 3_600_001;
    expect(spent(scene)).toBe(0n);
  });

  test('is never exceeded, and passes after an hour', () => {
    const scene = openTronSweepScene(directory, { feesPerHour: 10n * SUN });
    const transfer = () =>
      scene.sweeps.sweep(sweepOf(orders.transfer, { timestamp: scene.time.now, expiration: scene.time.now + 300_000 }));
    transfer();
    expect(transfer).toThrow('are reached');
    scene.time.now += 3_600_001;
    transfer();
  });
});

test('a flush of twenty addresses may cost twenty times the fee cap, and one sun more is refused', async () => {
  const twenty = { ...orders.flush, salts: manySalts(20) };
  const most = 20n * TRON.feeCap - 2_000_000n;
  const signed = await answer(sweepOf(twenty, { feeLimit: String(most) }));
  if (typeof signed === 'string') throw new Error(signed);
  checkPaysOnlyUs(signed);
  expect(signed.bytes.length).toBeLessThan(4000);
  expect(await answer(sweepOf(twenty, { feeLimit: String(20n * TRON.feeCap) }))).toBe('limit');
});

test('a signer whose settings name no contract flushes nothing, and its state names none', () => {
  const { refunds: own, sweeps: unused } = openTronSweepScene(directory);
  unused.close();
  expect(own.state().frozen).toBe(false);
  expect(sweeps.state()[0]).toMatchObject({ forwarders: [FACTORY] });
  const policy = { chains: [{ spec: TRON, treasury: TREASURY, feesPerHour: 10n ** 12n }], sponsor: 'first' as const };
  const journal = new SignerJournal(partsOf(`${directory}/none`));
  const none = new TronSweeps({ journal, keys: sweepKeys(seed, 'tron'), policy, refundWallets: {} });
  expect(none.state()[0]).not.toHaveProperty('forwarders');
  expect(() => none.sweep(sweepOf(orders.flush))).toThrow(expect.objectContaining({ code: 'not_allowed' }));
});

test('a frozen signer signs nothing, and a closed one neither', () => {
  const scene = openTronSweepScene(directory);
  scene.refunds.freeze('a test');
  expect(() => scene.sweeps.sweep(sweepOf(orders.delegate))).toThrow('a test');
  const closed = openTronSweepScene(directory);
  closed.sweeps.close();
  for (const order of Object.values(orders))
    expect(() => closed.sweeps.sweep(sweepOf(order))).toThrow(/wiped|private key/);
});

test('the spare sponsor signs if it is chosen, and the state names both', () => {
  const scene = openTronSweepScene(directory, { sponsor: 'spare' });
  expect(scene.sweeps.sweep(sweepOf(orders.activate)).from).toBe(spare);
  expect(scene.sweeps.state()).toMatchObject([
    {
      ...{ network: 'tron@local', environment: 'test', treasury: TREASURY },
      sponsor,
      spareSponsor: spare,
      active: spare,
      delegate: null,
    },
  ]);
});

test('a treasury that is a wallet of the signer itself is refused at the start', () => {
  for (const treasury of [sponsor, spare, refundAccounts(seed).of('live', 'tron').address])
    expect(() => openTronSweepScene(directory, { treasury })).toThrow('is a wallet of this signer');
  const own = refundAccounts(seed).of('test', 'tron').address;
  expect(() => openTronSweepScene(directory, { treasury: own })).not.toThrow();
});
