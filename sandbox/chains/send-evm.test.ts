// Payments from the refund wallet on real EVM nodes: what pays, waits or is rejected; the report of each outcome.

import { Interface, toQuantity, Wallet } from 'ethers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readEvmTransfer } from '@/lib/networks/families/evm/sending/read-draft';
import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import type { ChainSender, EvmDraft, PaymentOrder } from '@/lib/networks/sending/send';
import { readDraft } from '@/lib/networks/sending/draft';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { openRpc, type Rpc } from './evm/rpc';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';
import { attemptOf, signDraft } from './test-signing';

const COIN = 10n ** 18n;
const GWEI = 10n ** 9n;
const FINAL = 6;
const MINED = { timeout: 10_000, interval: 20 };
const ENOUGH = toQuantity(20n * GWEI);
const issuerCalls = new Interface([
  'function owner() view returns (address)',
  'function addBlackList(address)',
  'function blacklist(address)',
  'function unBlacklist(address)',
  'function setPaused(bool)',
  'function setParams(uint256,uint256)',
]);

let intents = 0;

describe.each(EVM_NETWORKS)('$network', (row) => {
  let chain: LocalNetwork;
  let rpc: Rpc;
  let sender: ChainSender;
  let wallet: ReturnType<typeof Wallet.createRandom>;
  let from: string;

  const open = (urls: readonly string[], needed = 1) =>
    openEvmSender({ spec: chain.spec, urls, needed, clock: systemClock, log: silentLog(), timeoutMs: 5000 });
  beforeAll(async () => {
    chain = await startTestEvm(row);
    rpc = openRpc(chain.rpcUrl);
    sender = open([chain.rpcUrl]);
  }, 60_000);
  afterAll(() => chain.stop());
  beforeEach(async () => {
    wallet = Wallet.createRandom();
    from = wallet.address.toLowerCase();
    await rpc('anvil_setBalance', from, toQuantity(COIN));
    for (const currency of ['USDT', 'USDC']) {
      await chain.pay({ currency, recipient: from, cents: 100_00n, scenario: 'exact' });
    }
  });

  const orderOf = (over: Partial<PaymentOrder> = {}): PaymentOrder => {
    const currency = over.currency ?? 'USDT';
    const { contract, decimals } = chain.spec.tokens[currency]!;
    const to = Wallet.createRandom().address;
    return { intentId: `intent_${++intents}`, currency, contract, to, amount: 5n * 10n ** BigInt(decimals), ...over };
  };
  const sign = (draft: EvmDraft) => signDraft(draft, Buffer.from(wallet.privateKey.slice(2), 'hex'));
  const draftOf = async (order: PaymentOrder, options = {}) => (await sender.draft(order, from, options)) as EvmDraft;
  const ready = async (order = orderOf()) => {
    const draft = await draftOf(order);
    const signed = sign(draft);
    return { order, draft, ...signed, attempt: attemptOf(order, draft, signed) };
  };
  /** A call by the token's issuer. */
  async function issue(currency: string, name: string, ...values: unknown[]): Promise<void> {
    const { contract: to } = chain.spec.tokens[currency]!;
    const owner = await rpc('eth_call', { to, data: issuerCalls.encodeFunctionData('owner') }, 'latest');
    const issuer = `0x${owner.slice(-40)}`;
    await rpc('anvil_impersonateAccount', issuer);
    const data = issuerCalls.encodeFunctionData(name, values);
    await rpc('eth_sendTransaction', { from: issuer, to, data, gas: toQuantity(200_000), gasPrice: ENOUGH });
    // The node mines automatically, but shortly after its response.
    await chain.mine(1);
  }
  const withoutMining = async <T>(work: () => Promise<T>): Promise<T> => {
    await rpc('evm_setAutomine', false);
    try {
      return await work();
    } finally {
      await rpc('evm_setAutomine', true);
    }
  };

  it('pays once, however often the same bytes are sent, and reports landed when it is final', async () => {
    const { order, draft, bytes, hash, attempt } = await ready();
    expect(await sender.outcome(attempt)).toEqual({ kind: 'waiting' });
    expect(await sender.broadcast(bytes)).toBe('accepted');
    expect(await sender.broadcast(bytes)).toBe('known');
    await expect.poll(() => sender.outcome(attempt), MINED).toMatchObject({ kind: 'seen', hash, confirmations: 1 });
    await chain.mine(FINAL);
    expect(await sender.broadcast(bytes)).toBe('known');
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'landed', hash, block: { hash: expect.any(String) } });
    expect(await chain.balance(order.to, 'USDT')).toBe(order.amount);
    const facts = readDraft(draft);
    expect(facts).toMatchObject({ to: order.to.toLowerCase(), amount: order.amount, chainId: chain.spec.chainId });
    const left = BigInt(await rpc('eth_getBalance', from, 'latest'));
    expect(COIN - left).toBeLessThanOrEqual(facts.feeCap);
  });

  it('offers a price that the network accepts: twice the base fee, or the validators’ minimum without one', async () => {
    const { maxFeePerGas, maxPriorityFeePerGas, gasLimit } = readEvmTransfer(await draftOf(orderOf()));
    if (row.zeroBaseFee) expect([maxFeePerGas, maxPriorityFeePerGas]).toEqual([GWEI / 20n, GWEI / 20n]);
    else expect(maxFeePerGas).toBeGreaterThan(maxPriorityFeePerGas);
    expect(gasLimit).toBeGreaterThan(40_000n);
    expect(gasLimit).toBeLessThan(120_000n);
  });

  it('waits for tokens and for the fee coin', async () => {
    await expect(draftOf(orderOf({ amount: 10n ** 30n }))).rejects.toMatchObject({ reason: 'no_tokens' });
    await rpc('anvil_setBalance', from, '0x1');
    await expect(draftOf(orderOf())).rejects.toMatchObject({ name: 'SendHold', reason: 'no_fee_coin' });
    await rpc('anvil_setBalance', from, toQuantity(COIN));
    expect((await draftOf(orderOf())).from).toBe(from);
  });

  it('refuses a recipient that the issuer has blocked, and waits while our wallet is blocked', async () => {
    const [blocked, listed] = [orderOf(), orderOf({ currency: 'USDC' })];
    const list = row.kinds.USDT === 'LegacyStable' ? 'addBlackList' : 'blacklist';
    await issue('USDT', list, blocked.to);
    await issue('USDC', 'blacklist', listed.to);
    const refused = { name: 'SendRefused', reason: 'recipient_blocked', message: expect.stringContaining('blocked') };
    await expect(draftOf(blocked)).rejects.toMatchObject(refused);
    await expect(draftOf(listed)).rejects.toMatchObject(refused);
    await issue('USDT', list, from);
    await expect(draftOf(orderOf())).rejects.toMatchObject({ name: 'SendHold', reason: 'wallet_blocked' });
  });

  it.runIf(row.kinds.USDT === 'LegacyStable')('waits while the token is paused or takes a fee', async () => {
    await issue('USDT', 'setPaused', true);
    await expect(draftOf(orderOf())).rejects.toMatchObject({ name: 'SendHold', reason: 'token_paused' });
    await issue('USDT', 'setPaused', false);
    await issue('USDT', 'setParams', 10, 1_000_000);
    await expect(draftOf(orderOf())).rejects.toMatchObject({ reason: 'token_fee' });
    await issue('USDT', 'setParams', 0, 0);
    expect((await draftOf(orderOf())).family).toBe('evm');
  });

  it('refuses an invalid recipient and a token that the network does not have', async () => {
    const { contract } = chain.spec.tokens.USDT!;
    const mixed = Wallet.createRandom().address;
    const wrong = mixed.replace(/[a-f]/i, (one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase()));
    for (const to of [contract, from, `0x${'0'.repeat(40)}`, 'nobody', wrong]) {
      await expect(draftOf(orderOf({ to }))).rejects.toMatchObject({ reason: 'bad_recipient' });
    }
    const { contract: other } = chain.spec.tokens.USDC!;
    await expect(draftOf(orderOf({ contract: other }))).rejects.toMatchObject({ reason: 'wrong_token' });
  });

  it.each(['first', 'second'] as const)(
    'when the %s of a payment and its replacement lands, both are followed',
    async (winner) => {
      const one = await ready();
      const replacement = await draftOf(one.order, { replaces: one.draft });
      const two = sign(replacement);
      const [before, after] = [readEvmTransfer(one.draft), readEvmTransfer(replacement)];
      expect([after.nonce, after.to, after.amount]).toEqual([before.nonce, before.to, before.amount]);
      for (const price of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
        expect(after[price] * 1000n).toBeGreaterThanOrEqual(before[price] * 1125n);
      }
      await withoutMining(async () => {
        await sender.broadcast(one.bytes);
        if (winner === 'second') expect(await sender.broadcast(two.bytes)).toBe('accepted');
        await chain.mine(1);
      });
      const landing = winner === 'second' ? two.hash : one.hash;
      const watched = { ...attemptOf(one.order, replacement, two), others: [one.hash] };
      expect(await sender.outcome(watched)).toMatchObject({ kind: 'seen', hash: landing });
      await chain.mine(FINAL);
      expect(await sender.outcome(watched)).toMatchObject({ kind: 'landed', hash: landing });
      expect(await sender.broadcast(winner === 'second' ? one.bytes : two.bytes)).toBe('known');
      expect(await chain.balance(one.order.to, 'USDT')).toBe(one.order.amount);
    },
  );

  it('replaces only the same payment, and the network rejects a replacement with too low a fee', async () => {
    const { order, draft, bytes } = await ready();
    const other = { ...order, amount: order.amount + 1n };
    await expect(draftOf(other, { replaces: draft })).rejects.toThrow('only ever replaced by the same payment');
    const transfer = readEvmTransfer(draft);
    const [maxFeePerGas, maxPriorityFeePerGas] = [transfer.maxFeePerGas - 1n, transfer.maxPriorityFeePerGas - 1n];
    const cheap = await writeEvmDraft({ ...transfer, maxFeePerGas, maxPriorityFeePerGas }, draft);
    await withoutMining(async () => {
      await sender.broadcast(bytes);
      await expect(sender.broadcast(sign(cheap).bytes)).rejects.toMatchObject({ reason: 'fee_too_low' });
      await chain.mine(1);
    });
  });

  it('has lapsed when another transaction with its nonce is final, and never before', async () => {
    const { attempt, bytes } = await ready();
    await rpc('anvil_impersonateAccount', from);
    await rpc('eth_sendTransaction', { from, to: from, value: '0x0', gasPrice: ENOUGH });
    expect(await sender.outcome(attempt)).toEqual({ kind: 'waiting' });
    await chain.mine(1);
    expect(await sender.outcome(attempt)).toEqual({ kind: 'waiting' });
    await chain.mine(FINAL + 20);
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'lapsed' });
    expect(await sender.broadcast(bytes)).toBe('known');
    expect(await sender.nextNonce(from)).toBe(1);
  });

  it('waits again after a reorg removed its block, and lands with the same bytes', async () => {
    const { attempt, bytes, order } = await ready();
    await sender.broadcast(bytes);
    await expect.poll(() => sender.outcome(attempt), MINED).toMatchObject({ kind: 'seen', confirmations: 1 });
    await chain.reorganise(1);
    expect(await sender.outcome(attempt)).not.toMatchObject({ kind: 'landed' });
    expect(await chain.balance(order.to, 'USDT')).toBe(0n);
    await sender.broadcast(bytes);
    await chain.mine(FINAL);
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'landed' });
    expect(await chain.balance(order.to, 'USDT')).toBe(order.amount);
  });

  it('reports reverted only when the revert is final, with a reason', async () => {
    const { attempt, bytes, hash } = await ready(orderOf({ currency: 'USDC' }));
    await issue('USDC', 'blacklist', from);
    await sender.broadcast(bytes);
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'seen', hash });
    await chain.mine(FINAL);
    const outcome = await sender.outcome(attempt);
    expect(outcome).toEqual({
      kind: 'reverted',
      hash,
      reason: 'the issuer of USDC has blocked the refund wallet',
      fee: expect.any(BigInt),
    });
  });

  it('has no final outcome while fewer endpoints report it than required', async () => {
    const { attempt, bytes } = await ready();
    const both = open([chain.rpcUrl, 'http://127.0.0.1:1'], 2);
    expect(await both.broadcast(bytes)).toBe('accepted');
    await chain.mine(FINAL);
    expect(await both.outcome(attempt)).toMatchObject({ kind: 'seen' });
    expect(await open([chain.rpcUrl, chain.rpcUrl], 2).outcome(attempt)).toMatchObject({ kind: 'landed' });
    await expect(open(['http://127.0.0.1:1']).outcome(attempt)).rejects.toMatchObject({ fault: 'unavailable' });
  });

  it.runIf(!row.zeroBaseFee)('waits while the gas price is above the cap', async () => {
    await rpc('anvil_setNextBlockBaseFeePerGas', toQuantity(1000n * GWEI));
    await chain.mine(1);
    await expect(draftOf(orderOf())).rejects.toMatchObject({ reason: 'fee_too_high' });
    await rpc('anvil_setNextBlockBaseFeePerGas', toQuantity(GWEI));
    await chain.mine(1);
    expect((await draftOf(orderOf())).family).toBe('evm');
  });
});
