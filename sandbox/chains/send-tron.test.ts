// Payments from the refund wallet on the local TRON chain: what pays, waits or is rejected, and the report of each
// outcome. The test controls the chain's time, so that it proves expiration without our clock.

import { Interface, Wallet } from 'ethers';
import { utils } from 'tronweb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChainSender, PaymentOrder, TronDraft } from '@/lib/networks/sending/send';
import { readDraft } from '@/lib/networks/sending/draft';
import { openTronSender } from '@/lib/networks/families/tron/sending/send';
import { readTronTransfer } from '@/lib/networks/families/tron/sending/read-draft';
import { writeTronDraft } from '@/lib/networks/families/tron/sending/write-draft';
import { sunToBurn } from '@/lib/networks/families/tron/sending/costs';
import { silentLog } from '@/testing/chain-clock';
import { noMentions } from '@/testing/refunds/no-mentions';
import { fromEvm, readAddress, toBase58, toEvm } from './tron/address';
import { startTronNode, type TronNode } from './tron/start';
import { attemptOf, signDraft } from './test-signing';

/** Blocks until the newest one is solid. */
const UNTIL_SOLID = 20;
const SUN = 1_000_000n;
const issuerCalls = new Interface(['function addBlackList(address)', 'function setPaused(bool)']);

let node: TronNode;
let sender: ChainSender;
let now = Date.parse('2026-11-21T12:00:00Z');
const clock = { now: () => new Date(now) };
const open = (urls: readonly string[], needed = 1) =>
  openTronSender({ spec: node.spec, urls, needed, clock, log: silentLog(), timeoutMs: 5000 });
beforeAll(async () => {
  node = await startTronNode({ blockMs: null, clock });
  sender = open([node.rpcUrl]);
}, 60_000);
afterAll(() => node.stop());

const newAddress = (): string => utils.accounts.generateAccount().address.base58;
let key: Uint8Array;
let from: string;
let intents = 0;
const giveSun = (address: string, sun: bigint) =>
  node.chain.exclusively(() => {
    const hex = readAddress(address) as string;
    node.chain.state.activate(hex);
    node.chain.state.addBalance(hex, sun);
  });
beforeEach(async () => {
  const wallet = Wallet.createRandom();
  key = Buffer.from(wallet.privateKey.slice(2), 'hex');
  from = toBase58(fromEvm(wallet.address));
  await giveSun(from, 1000n * SUN);
  await node.pay({ currency: 'USDT', recipient: from, cents: 100_00n, scenario: 'exact' });
});

const orderOf = (over: Partial<PaymentOrder> = {}): PaymentOrder => ({
  intentId: `intent_${++intents}`,
  currency: 'USDT',
  contract: node.spec.tokens.USDT!.contract,
  to: newAddress(),
  amount: 5n * SUN,
  ...over,
});
const draftOf = async (order: PaymentOrder) => (await sender.draft(order, from)) as TronDraft;
async function ready(
  order = orderOf(),
  change: (draft: TronDraft) => TronDraft | Promise<TronDraft> = (draft) => draft,
) {
  const draft = await change(await draftOf(order));
  const signed = signDraft(draft, key);
  return { order, draft, ...signed, attempt: attemptOf(order, draft, signed) };
}
/** A call by the token's issuer, outside a transaction. */
async function issue(name: 'addBlackList' | 'setPaused', value: string | boolean): Promise<void> {
  const to = readAddress(node.spec.tokens.USDT!.contract) as string;
  await node.chain.exclusively(async () => {
    const { number, time, witness } = node.chain.head();
    const { origin_address: owner } = node.chain.state.account(to).contract as { origin_address: string };
    const argument = typeof value === 'string' ? toEvm(readAddress(value) as string) : value;
    const data = Buffer.from(issuerCalls.encodeFunctionData(name, [argument]).slice(2), 'hex');
    const run = { from: owner, to, data, value: 0n, energyLimit: 10_000_000n };
    const { outcome } = await node.chain.engine.machine.call(run, { number, time, witness: witness.address });
    if (outcome !== 'SUCCESS') throw new Error(`${name} ended in ${outcome}`);
  });
}

describe('on the local TRON chain', () => {
  it('pays once, however often the same bytes are sent, and reports landed when it is solid', async () => {
    const { order, draft, bytes, hash, attempt } = await ready();
    expect(await sender.outcome(attempt)).toEqual({ kind: 'waiting' });
    expect(await sender.broadcast(bytes)).toBe('accepted');
    expect(await sender.broadcast(bytes)).toBe('known');
    expect(await sender.outcome(attempt)).toEqual({ kind: 'seen', hash, confirmations: 0 });
    await node.mine(1);
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'seen', confirmations: 1 });
    await node.mine(UNTIL_SOLID);
    expect(await sender.broadcast(bytes)).toBe('known');
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'landed', hash });
    expect(await node.balance(order.to, 'USDT')).toBe(order.amount);
    const account = node.chain.state.account(readAddress(from) as string);
    expect(1000n * SUN - account.balance).toBeLessThanOrEqual(readDraft(draft).feeCap);
  });

  it('reports each unknown transaction of the wallet, final or not, also in the same block as a known one', async () => {
    const of = async (known: readonly string[], since = 0) => {
      const knownExpiry = async () => Math.ceil(now / 1000) + 300;
      const query = { since, known: async () => new Set(known), knownExpiry, mentions: noMentions };
      const { votes, needed } = await sender.unknownTransactions!(from, query);
      const through = Math.floor(node.chain.solid().time / 1000);
      expect({ votes, needed }).toMatchObject({ votes: [{ endpoint: 'endpoint 1', from: since, through }], needed: 1 });
      return votes[0]!.unknown;
    };
    expect(await of([])).toEqual([]);
    const [one, two] = [await ready(), await ready()];
    await sender.broadcast(one.bytes);
    await sender.broadcast(two.bytes);
    now += 3000;
    await node.mine(1);
    const time = Math.floor(node.chain.head().time / 1000);
    expect(new Set(await of([]))).toEqual(new Set([one, two].map(({ hash }) => ({ hash, time }))));
    expect(await of([one.hash])).toEqual([{ hash: two.hash, time }]);
    expect(await of([one.hash, two.hash])).toEqual([]);
    expect(await of([], time + 1)).toEqual([]);
    // An unknown transaction, and a known one in a later block; the account shows only the time of the latter.
    now += 3000;
    const three = await ready();
    await sender.broadcast(three.bytes);
    await node.mine(1);
    expect(await of([one.hash, three.hash])).toEqual([{ hash: two.hash, time }]);
  });

  it('reports a transaction later than any known one could be, without reading blocks', async () => {
    const { bytes } = await ready();
    await sender.broadcast(bytes);
    const before = Math.floor(node.chain.head().time / 1000);
    now += 3000;
    await node.mine(1);
    for (const expiry of [null, before - 61]) {
      const query = {
        since: 0,
        known: async () => new Set<string>(),
        knownExpiry: async () => expiry,
        mentions: noMentions,
      };
      const { votes } = await sender.unknownTransactions!(from, query);
      expect(votes[0]!.unknown).toEqual([{ hash: null, time: before }]);
    }
    // Only one of two endpoints responds.
    const two = open([node.rpcUrl, 'http://127.0.0.1:9'], 2);
    const query = {
      since: 0,
      known: async () => new Set<string>(),
      knownExpiry: async () => null,
      mentions: noMentions,
    };
    await expect(two.unknownTransactions?.(from, query)).rejects.toMatchObject({ fault: 'unavailable' });
  });

  it('sets the fee limit slightly above the transfer’s cost, and refers to a solid block', async () => {
    const { feeLimit, expiration, refBlockBytes, refBlockHash } = readTronTransfer(await draftOf(orderOf()));
    expect(feeLimit).toBeGreaterThan(15n * SUN);
    expect(feeLimit).toBeLessThan(20n * SUN);
    const solid = node.chain.solid();
    expect([refBlockBytes, refBlockHash]).toEqual([solid.id.slice(12, 16), solid.id.slice(16, 32)]);
    expect(expiration - node.chain.head().time).toBeGreaterThan(299_000);
    expect(expiration - node.chain.head().time).toBeLessThan(370_000);
  });

  it('two payments of the same amount to the same recipient on one block are two payments', async () => {
    const to = newAddress();
    const [one, two] = [await ready(orderOf({ to })), await ready(orderOf({ to }))];
    expect(one.hash).not.toBe(two.hash);
    await sender.broadcast(one.bytes);
    expect(await sender.broadcast(two.bytes)).toBe('accepted');
    await node.mine(UNTIL_SOLID + 1);
    expect(await node.balance(to, 'USDT')).toBe(10n * SUN);
    for (const { attempt } of [one, two]) expect(await sender.outcome(attempt)).toMatchObject({ kind: 'landed' });
  });

  it('waits for tokens and for the fee coin', async () => {
    await expect(draftOf(orderOf({ amount: 10n ** 15n }))).rejects.toMatchObject({ reason: 'no_tokens' });
    await giveSun(from, -999n * SUN);
    await expect(draftOf(orderOf())).rejects.toMatchObject({ name: 'SendHold', reason: 'no_fee_coin' });
    await giveSun(from, 50n * SUN);
    expect((await draftOf(orderOf())).from).toBe(from);
  });

  it('burns what neither stakes nor free bandwidth cover', () => {
    const none = { freeNetLimit: 600, freeNetUsed: 600, NetLimit: 0, NetUsed: 0, EnergyLimit: 0, EnergyUsed: 0 };
    const need = { feeLimit: 17n * SUN, bytes: 345, prices: { energy: 100n, bandwidth: 1000n } };
    expect(sunToBurn(none, need)).toBe(17_345_000n);
    expect(sunToBurn({ ...none, freeNetUsed: 255 }, need)).toBe(17n * SUN);
    expect(sunToBurn({ ...none, EnergyLimit: 100_000, EnergyUsed: 40_000 }, need)).toBe(11_345_000n);
    expect(sunToBurn({ ...none, EnergyLimit: 10 ** 9, NetLimit: 345 }, need)).toBe(0n);
  });

  it('refuses a recipient that the issuer has blocked, and waits while our wallet is blocked or the token is paused', async () => {
    const order = orderOf();
    await issue('setPaused', true);
    await expect(draftOf(order)).rejects.toMatchObject({ name: 'SendHold', reason: 'token_paused' });
    await issue('setPaused', false);
    await issue('addBlackList', order.to);
    const told = { reason: 'recipient_blocked', message: 'the issuer of USDT has blocked the recipient' };
    await expect(draftOf(order)).rejects.toMatchObject(told);
    await issue('addBlackList', from);
    await expect(draftOf(orderOf())).rejects.toMatchObject({ name: 'SendHold', reason: 'wallet_blocked' });
  });

  it('refuses an invalid recipient and a token that the network does not have', async () => {
    const { contract } = node.spec.tokens.USDT!;
    for (const to of [contract, from, 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'nobody', `${from.slice(0, -1)}1`]) {
      await expect(draftOf(orderOf({ to }))).rejects.toMatchObject({ reason: 'bad_recipient' });
    }
    const { contract: other } = node.spec.tokens.USDC!;
    await expect(draftOf(orderOf({ contract: other }))).rejects.toMatchObject({ reason: 'wrong_token' });
    await expect(sender.nextNonce(from)).rejects.toThrow('no nonces');
  });

  it('has lapsed when solid time is past its expiration, never before, and independent of our clock', async () => {
    const { attempt, bytes } = await ready();
    const { expiresAt } = attempt.validity as { expiresAt: number };
    // Our clock and the chain's newest block are far ahead; the solid block is not.
    now = (expiresAt + 100) * 1000;
    await node.mine(5);
    expect(await sender.outcome(attempt)).toEqual({ kind: 'waiting' });
    await expect(sender.broadcast(bytes)).rejects.toMatchObject({ fault: 'unavailable' });
    await node.mine(UNTIL_SOLID);
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'lapsed' });
    // A second draft of the same intent is another transaction.
    expect((await ready(attempt.order)).hash).not.toBe(attempt.hash);
  });

  it('a payment that landed in its last second never counts as lapsed, however late it is checked', async () => {
    const { attempt, bytes } = await ready();
    const { expiresAt } = attempt.validity as { expiresAt: number };
    await sender.broadcast(bytes);
    await node.mine(1);
    now = (expiresAt + 10_000) * 1000;
    await node.mine(UNTIL_SOLID);
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'landed' });
  });

  it('waits again after a fork removed its block, and lands with the same bytes or lapses', async () => {
    const { attempt, bytes, order } = await ready();
    await sender.broadcast(bytes);
    await node.mine(1);
    await node.reorganise(1);
    expect(await sender.outcome(attempt)).toEqual({ kind: 'waiting' });
    expect(await sender.broadcast(bytes)).toBe('accepted');
    await node.mine(UNTIL_SOLID + 1);
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'landed' });
    expect(await node.balance(order.to, 'USDT')).toBe(order.amount);
  });

  it('reports reverted only when the revert is solid, with a reason', async () => {
    const { attempt, bytes, hash } = await ready();
    await issue('addBlackList', from);
    await sender.broadcast(bytes);
    await node.mine(1);
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'seen', confirmations: 1 });
    await node.mine(UNTIL_SOLID);
    const reason = 'the issuer of USDT has blocked the refund wallet';
    expect(await sender.outcome(attempt)).toEqual({ kind: 'reverted', hash, reason, fee: expect.any(BigInt) });
  });

  it('reports that the fee limit was too low', async () => {
    const short = (draft: TronDraft) =>
      writeTronDraft({ ...readTronTransfer(draft), feeLimit: SUN / 2n }, draft.intentId);
    const { attempt, bytes } = await ready(orderOf(), short);
    await sender.broadcast(bytes);
    await node.mine(UNTIL_SOLID + 1);
    expect(await sender.outcome(attempt)).toMatchObject({
      kind: 'reverted',
      reason: expect.stringContaining('energy'),
    });
  });

  it('has no final outcome while fewer endpoints report it than required', async () => {
    const { attempt, bytes } = await ready();
    const both = open([node.rpcUrl, 'http://127.0.0.1:1'], 2);
    expect(await both.broadcast(bytes)).toBe('accepted');
    await node.mine(UNTIL_SOLID + 1);
    expect(await both.outcome(attempt)).toMatchObject({ kind: 'seen' });
    expect(await open([node.rpcUrl, node.rpcUrl], 2).outcome(attempt)).toMatchObject({ kind: 'landed' });
  });
});
