// Payments from the refund wallet on the local Solana chain: what pays, waits or is rejected, and the report of each
// outcome. Blocks are made by hand, so that height alone proves lapsing.

import type { Address } from '@solana/kit';
import { getFreezeAccountInstruction } from '@solana-program/token';
import { Keypair, PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChainSender, PaymentOrder, SolanaDraft } from '@/lib/networks/sending/send';
import { readDraft } from '@/lib/networks/sending/draft';
import { openSolanaSender } from '@/lib/networks/families/solana/sending/send';
import { readSolanaTransfer } from '@/lib/networks/families/solana/sending/read-draft';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { noMentions } from '@/testing/refunds/no-mentions';
import { BLOCKHASH_LIFETIME, FINALITY_LAG } from './solana/blocks';
import { startSolanaNode, type SolanaNode } from './solana/node';
import { wallet as newWallet } from './solana/test-client';
import { attemptOf, signDraft } from './test-signing';

const USD = 1_000_000n;

let node: SolanaNode;
let sender: ChainSender;
let keypair: Keypair;
let from: string;
let intents = 0;
const open = (urls: readonly string[], needed = 1) =>
  openSolanaSender({ spec: node.spec, urls, needed, clock: systemClock, log: silentLog(), timeoutMs: 5000 });
beforeAll(async () => {
  node = await startSolanaNode({ tick: 'manual' });
  sender = open([node.rpcUrl]);
}, 60_000);
afterAll(() => node.stop());
beforeEach(async () => {
  keypair = await newWallet(node, { USDT: 100n * USD, USDC: 100n * USD });
  from = keypair.publicKey.toBase58();
  node.tick(FINALITY_LAG);
});

const mint = (currency: string): Address => node.mints.genuine[currency] as Address;
const newAddress = (): string => Keypair.generate().publicKey.toBase58();
const orderOf = (over: Partial<PaymentOrder> = {}): PaymentOrder => {
  const currency = over.currency ?? 'USDC';
  return {
    intentId: `intent_${++intents}`,
    currency,
    contract: mint(currency),
    to: newAddress(),
    amount: 5n * USD,
    ...over,
  };
};
const draftOf = async (order: PaymentOrder) => (await sender.draft(order, from)) as SolanaDraft;
async function ready(order = orderOf()) {
  const draft = await draftOf(order);
  const signed = signDraft(draft, keypair.secretKey.subarray(0, 32));
  return { order, draft, ...signed, attempt: attemptOf(order, draft, signed) };
}
const held = (owner: string, currency = 'USDC') => node.bank.balanceOf(owner as Address, mint(currency));
async function freeze(owner: string, currency = 'USDC'): Promise<void> {
  const account = await node.bank.associatedAccount(owner as Address, mint(currency));
  await node.bank.send(node.bank.issuer, [
    getFreezeAccountInstruction({ account, mint: mint(currency), owner: node.bank.issuer }),
  ]);
  node.tick();
}

describe('on the local Solana chain', () => {
  it('pays once, however often the same bytes are sent, and reports landed when it is finalized', async () => {
    const { order, draft, bytes, hash, attempt } = await ready();
    expect(await sender.outcome(attempt)).toEqual({ kind: 'waiting' });
    expect(await sender.broadcast(bytes)).toBe('accepted');
    expect(['accepted', 'known']).toContain(await sender.broadcast(bytes));
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'seen', hash });
    node.tick(2);
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'seen', hash });
    node.tick(FINALITY_LAG);
    expect(['accepted', 'known']).toContain(await sender.broadcast(bytes));
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'landed', hash });
    expect(held(order.to)).toBe(order.amount);
    expect(held(from)).toBe(95n * USD);
    expect(readDraft(draft)).toMatchObject({ to: order.to, amount: order.amount, intentId: order.intentId });
  });

  it('reports unknown transactions that the wallet signed, and none that others signed', async () => {
    const start = node.ledger.blocks.bySlot(node.ledger.blocks.firstSlot)!.time;
    const of = async (known: readonly string[], since = start) => {
      const query = { since, known: async () => new Set(known), knownExpiry: async () => null, mentions: noMentions };
      const { votes } = await sender.unknownTransactions!(from, query);
      const through = node.ledger.blocks.at('finalized').time;
      expect(votes).toMatchObject([{ endpoint: 'endpoint 1', from: since, through }]);
      return votes[0]!.unknown;
    };
    expect(await of([])).toEqual([]);
    const [one, two] = [await ready(), await ready()];
    await sender.broadcast(one.bytes);
    await sender.broadcast(two.bytes);
    node.tick(2);
    const found = await of([]);
    expect(new Set(found.map(({ hash }) => hash))).toEqual(new Set([one.hash, two.hash]));
    expect(await of([one.hash])).toEqual([{ hash: two.hash, time: expect.any(Number) as number }]);
    expect(await of([one.hash, two.hash])).toEqual([]);
    expect(await of([], Math.max(...found.map(({ time }) => time)) + 1)).toEqual([]);
  });

  it('reports the start of its history when its list does not reach back to the queried time', async () => {
    const start = node.ledger.blocks.bySlot(node.ledger.blocks.firstSlot)!.time;
    const of = async (since: number) => {
      const query = {
        since,
        known: async () => new Set<string>(),
        knownExpiry: async () => null,
        mentions: noMentions,
      };
      return (await sender.unknownTransactions!(from, query)).votes;
    };
    expect(await of(start)).toMatchObject([{ unknown: [], from: start }]);
    // The node has no data from before its first block.
    expect(await of(start - 1)).toMatchObject([{ unknown: [], from: start }]);
  });

  it('requests about as many compute units as the transfer takes, and caps the price', async () => {
    const { unitLimit, unitPrice } = readSolanaTransfer(await draftOf(orderOf()));
    expect(unitLimit).toBeGreaterThan(5000);
    expect(unitLimit).toBeLessThan(120_000);
    expect(unitPrice).toBeGreaterThanOrEqual(1000n);
    expect(unitPrice).toBeLessThanOrEqual(2_000_000n);
    expect(readDraft(await draftOf(orderOf())).feeCap).toBeLessThan(300_000n);
  });

  it('two payments of the same amount to the same recipient on one blockhash are two payments', async () => {
    const to = newAddress();
    const [one, two] = [await ready(orderOf({ to })), await ready(orderOf({ to }))];
    await sender.broadcast(one.bytes);
    await sender.broadcast(two.bytes);
    node.tick(FINALITY_LAG + 1);
    expect([one.hash === two.hash, held(to)]).toEqual([false, 10n * USD]);
  });

  it('pays directly to a token account of the same token', async () => {
    const owner = newAddress();
    const account = await node.bank.createAuxiliaryAccount(owner as Address, mint('USDC'));
    node.tick();
    const { attempt, bytes } = await ready(orderOf({ to: account }));
    await sender.broadcast(bytes);
    node.tick(FINALITY_LAG + 1);
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'landed' });
    const wrong = orderOf({ to: account, currency: 'USDT' });
    await expect(draftOf(wrong)).rejects.toMatchObject({ name: 'SendRefused', reason: 'wrong_token' });
  });

  it('waits for tokens and for the fee coin', async () => {
    await expect(draftOf(orderOf({ amount: 101n * USD }))).rejects.toMatchObject({ reason: 'no_tokens' });
    const poor = Keypair.generate().publicKey.toBase58();
    await node.bank.mint({ to: poor as Address, mint: mint('USDC'), amount: 10n * USD });
    node.tick();
    await expect(sender.draft(orderOf(), poor)).rejects.toMatchObject({ name: 'SendHold', reason: 'no_fee_coin' });
    await node.bank.airdrop(poor as Address, 50_000_000n);
    node.tick();
    expect((await sender.draft(orderOf(), poor)).from).toBe(poor);
  });

  it('refuses a recipient whose account the issuer has frozen, and waits while ours is frozen', async () => {
    const to = newAddress();
    await node.bank.mint({ to: to as Address, mint: mint('USDC'), amount: 1n });
    await freeze(to);
    const told = { reason: 'recipient_blocked', message: "the issuer of USDC has frozen the recipient's account" };
    await expect(draftOf(orderOf({ to }))).rejects.toMatchObject(told);
    await freeze(from);
    await expect(draftOf(orderOf())).rejects.toMatchObject({ name: 'SendHold', reason: 'wallet_blocked' });
    expect((await draftOf(orderOf({ currency: 'USDT' }))).from).toBe(from);
  });

  it('refuses an invalid recipient and a token that the network does not have', async () => {
    const programs = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'ComputeBudget111111111111111111111111111111'];
    const [derived] = PublicKey.findProgramAddressSync([Buffer.from('vault')], keypair.publicKey);
    for (const to of [mint('USDC'), mint('USDT'), from, 'nobody', derived.toBase58(), programs[0] as string]) {
      await expect(draftOf(orderOf({ to }))).rejects.toMatchObject({ reason: 'bad_recipient' });
    }
    await expect(draftOf(orderOf({ contract: mint('USDT') }))).rejects.toMatchObject({ reason: 'wrong_token' });
    await expect(sender.nextNonce(from)).rejects.toThrow('no nonces');
  });

  it('pays an address without a key only if it already holds the token', async () => {
    const [derived] = PublicKey.findProgramAddressSync([Buffer.from('used')], keypair.publicKey);
    const to = derived.toBase58();
    await node.bank.mint({ to: to as Address, mint: mint('USDC'), amount: 1n });
    node.tick();
    expect(readDraft(await draftOf(orderOf({ to }))).to).toBe(to);
  });

  it('has lapsed when the finalized height is past its last valid one, and never before', async () => {
    const { attempt, bytes } = await ready();
    const { lastValidBlockHeight: last } = attempt.validity as { lastValidBlockHeight: number };
    const height = () => node.ledger.blocks.at('finalized').height;
    // Confirmed blocks are past it; finalized ones are not.
    while (node.ledger.blocks.at('confirmed').height <= last) node.tick();
    expect(height()).toBeLessThanOrEqual(last);
    expect(await sender.outcome(attempt)).toEqual({ kind: 'waiting' });
    while (height() < last) node.tick();
    expect(await sender.outcome(attempt)).toEqual({ kind: 'waiting' });
    node.tick();
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'lapsed' });
    await sender.broadcast(bytes).catch(() => null);
    node.tick(FINALITY_LAG);
    expect([held(attempt.order.to), (await sender.outcome(attempt)).kind]).toEqual([0n, 'lapsed']);
    expect((await ready(attempt.order)).hash).not.toBe(attempt.hash);
  });

  it('a landed payment never counts as lapsed, however late it is checked', async () => {
    const { attempt, bytes } = await ready();
    await sender.broadcast(bytes);
    node.tick(2 * BLOCKHASH_LIFETIME + FINALITY_LAG);
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'landed' });
  });

  it('waits again after a dropped fork removed its block, and lands with the same bytes', async () => {
    const { attempt, bytes, order, hash } = await ready();
    await sender.broadcast(bytes);
    node.tick(2);
    const { blocks } = node.ledger;
    node.dropBlocks(blocks.depthOf(node.ledger.find(hash)?.slot ?? 0));
    expect(await sender.outcome(attempt)).toEqual({ kind: 'waiting' });
    expect(held(order.to)).toBe(0n);
    expect(await sender.broadcast(bytes)).toBe('accepted');
    node.tick(FINALITY_LAG + 1);
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'landed' });
    expect(held(order.to)).toBe(order.amount);
  });

  it('reports reverted only when the failure is finalized, with a reason', async () => {
    const { attempt, bytes, hash } = await ready();
    await freeze(from);
    await sender.broadcast(bytes);
    node.tick();
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'seen', hash });
    node.tick(FINALITY_LAG);
    const reason = 'the issuer has frozen an account of this payment';
    expect(await sender.outcome(attempt)).toEqual({ kind: 'reverted', hash, reason, fee: expect.any(BigInt) });
  });

  it('has no final outcome while fewer endpoints report it than required', async () => {
    const { attempt, bytes } = await ready();
    const both = open([node.rpcUrl, 'http://127.0.0.1:1'], 2);
    expect(await both.broadcast(bytes)).toBe('accepted');
    node.tick(FINALITY_LAG + 1);
    expect(await both.outcome(attempt)).toMatchObject({ kind: 'seen' });
    expect(await open([node.rpcUrl, node.rpcUrl], 2).outcome(attempt)).toMatchObject({ kind: 'landed' });
  });
});
