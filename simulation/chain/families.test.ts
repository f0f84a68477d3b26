// The product's own adapter, balance reader and sender on each simulated family besides EVM.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChainError, type FoundTransfer } from '@/lib/networks/chain';
import { openBalanceReader, openSender } from '@/lib/networks/families/clients';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';
import { openTronAdapter } from '@/lib/networks/families/tron/adapter';
import { tronAddress } from '@/lib/networks/families/tron/address';
import { networkSpec } from '@/lib/networks/networks';
import { readDraft, signing } from '@/lib/networks/sending/draft';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { seed } from '@/testing/refunds/deposit-keys';
import { noMentions } from '@/testing/refunds/no-mentions';
import { ENDPOINT_FAULT_NAMES, ENDPOINT_FAULTS } from '@/simulation/faults/endpoint-faults';
import { fakeKey } from '@/testing/solana/solana-ledger';
import { watching } from '@/testing/watching/watching';
import type { SimulatedChain } from './chain';
import { openEndpoint } from './endpoint';
import { openSolanaChain } from './solana-chain';
import { SimulatedTransport } from './transport';
import { openTronChain } from './tron-chain';

const START = 1_798_797_600;
/** Calls of `mine` until everything before them is final. */
const UNTIL_FINAL = 8;
/** Blocks that the TRON adapter reads at once without lists of transfers. */
const WINDOW = 50;
const accounts = refundAccounts(seed);
const tron = networkSpec('test', 'tron', 'local')!;
const solana = networkSpec('test', 'solana', 'local')!;
const base = { unixSeconds: START };

const FAMILIES = [
  {
    ...{ name: 'TRON whose endpoints list transfers', spec: tron, wallet: accounts.of('test', 'tron') },
    open: (wallet: string) => openTronChain({ ...base, spec: tron, wallet, listsTransfers: true }),
    openAdapter: openTronAdapter,
    ...{
      payer: tronAddress('a1'.repeat(20)),
      ours: tronAddress('0b'.repeat(20)),
      relayer: tronAddress('be'.repeat(20)),
    },
  },
  {
    ...{ name: 'TRON whose endpoints do not list transfers', spec: tron, wallet: accounts.of('test', 'tron') },
    open: (wallet: string) => openTronChain({ ...base, spec: tron, wallet, listsTransfers: false }),
    openAdapter: openTronAdapter,
    ...{
      payer: tronAddress('a1'.repeat(20)),
      ours: tronAddress('0b'.repeat(20)),
      relayer: tronAddress('be'.repeat(20)),
    },
  },
  {
    ...{ name: 'Solana', spec: solana, wallet: accounts.of('test', 'solana') },
    open: (wallet: string) => openSolanaChain({ ...base, spec: solana, wallet }),
    openAdapter: openSolanaAdapter,
    // Two addresses with a key.
    ...{ payer: accounts.of('live', 'solana').address, ours: fakeKey('ours'), relayer: fakeKey('relayer') },
  },
] as const;

/** Faults by which an endpoint lies. */
const FALSE_NAMES = ENDPOINT_FAULT_NAMES.filter((name) => ENDPOINT_FAULTS[name].isFalse);

let transport: SimulatedTransport;
beforeAll(() => void (transport = new SimulatedTransport(() => {})));
afterAll(() => transport.restore());

describe.each(FAMILIES)('on $name', ({ spec, wallet, open, openAdapter, payer, ours, relayer }) => {
  const token = spec.tokens.USDT!.contract;
  let time = START;
  let chain: SimulatedChain;
  const clock = openTestClock(START);
  const mine = (times = 1): void => {
    for (let left = times; left > 0; left--) {
      time += 10;
      clock.set(time);
      chain.mine(time);
    }
  };
  const access = () => {
    const endpoints = [1, 2].map((number) => openEndpoint(chain, number, () => {}));
    for (const { url, answer } of endpoints) transport.serve(url, answer);
    return { endpoints, spec, urls: endpoints.map(({ url }) => url), clock, log: silentLog(), needed: 2 };
  };
  const adapter = () => openAdapter({ ...access(), trust: { endpoints: 2, above: 0n, abovePerHour: 0n } });
  const pay = (amount: bigint, by?: string) =>
    chain.pay({ token, payer, recipient: ours, amount, ...(by === undefined ? {} : { by }) });
  /** The transfers from the first block on, in windows that every endpoint reads. */
  async function scan(isFinal: boolean): Promise<readonly FoundTransfer[]> {
    const reader = adapter();
    const head = await reader.head();
    const { number: last } = isFinal ? head.final : head.tip;
    const most = reader.readsBlocks ? WINDOW : last;
    const found: FoundTransfer[] = [];
    for (let from = 1; from <= last; from += most) {
      const window = { from, to: Math.min(last, from + most - 1), parentHash: null, final: isFinal };
      found.push(...(await reader.scan(window, watching([ours]))).transfers);
    }
    return found;
  }
  const balance = async (address: string): Promise<bigint | undefined> =>
    (await openBalanceReader(access()).tokens([{ address }], 'USDT')).get(address)?.amount;

  beforeEach(() => {
    time = START;
    chain = open(wallet.address);
    mine(UNTIL_FINAL);
  });

  it('the adapter shows a payment in a block and credits it when it is final', async () => {
    const hash = pay(5_000_000n);
    expect(await scan(false)).toEqual([]);
    mine();
    const [shown] = await scan(false);
    expect(shown).toMatchObject({ transactionHash: hash, payer, recipient: ours, amount: 5_000_000n, isPlain: true });
    expect(await scan(true)).toEqual([]);
    mine(UNTIL_FINAL);
    expect(await scan(true)).toMatchObject([{ transactionHash: hash, blockNumber: shown?.blockNumber }]);
    expect(chain.transfers(chain.final())).toMatchObject([{ hash, payer, recipient: ours, amount: 5_000_000n }]);
    expect(await balance(ours)).toBe(5_000_000n);
  });

  it.each(FALSE_NAMES)('credits again after an endpoint had the fault %s', async (name) => {
    pay(5_000_000n);
    mine(UNTIL_FINAL);
    const { endpoints, ...options } = access();
    const reader = openAdapter({ ...options, trust: { endpoints: 2, above: 0n, abovePerHour: 0n } });
    const read = async () => {
      const { final } = await reader.head();
      const window = { from: Math.max(1, final.number - WINDOW + 1), to: final.number, parentHash: null, final: true };
      return (await reader.scan(window, watching([ours]))).transfers;
    };
    endpoints[0]!.set(name);
    await read().catch((error: unknown) => expect(error).toBeInstanceOf(ChainError));
    endpoints[0]!.set(null);
    expect(await read()).toMatchObject([{ amount: 5_000_000n }]);
  });

  it('a customer who holds only a refund brings along what the next payment needs', async () => {
    chain.pay({ token, payer: wallet.address, recipient: payer, amount: 750_000n });
    mine(UNTIL_FINAL);
    pay(5_000_000n);
    mine(UNTIL_FINAL);
    expect(await scan(true)).toMatchObject([{ payer, amount: 5_000_000n }]);
  });

  it('a failed payment moves nothing, and one through a relayer is not plain', async () => {
    chain.pay({ token, payer, recipient: ours, amount: 7n, fails: true });
    pay(9_000_000n, relayer);
    mine(UNTIL_FINAL);
    expect(await scan(true)).toMatchObject([{ payer, amount: 9_000_000n, isPlain: false }]);
    expect(await balance(ours)).toBe(9_000_000n);
  });

  it('a reorganisation removes what was not final, which lands again unless it is lost', async () => {
    pay(1_000_000n);
    mine(UNTIL_FINAL);
    const [kept, lost] = [pay(2_000_000n), pay(3_000_000n)];
    mine();
    expect(await scan(false)).toHaveLength(3);
    expect(chain.reorg(999, (hash) => hash === lost)).toBeGreaterThan(0);
    expect(chain.transfers(chain.height())).toHaveLength(1);
    expect(await scan(false)).toHaveLength(1);
    expect(await balance(ours)).toBe(1_000_000n);
    mine(UNTIL_FINAL);
    expect((await scan(true)).map(({ amount }) => amount)).toEqual([1_000_000n, 2_000_000n]);
    expect(chain.transfers(chain.final()).at(-1)?.hash).toBe(kept);
  });

  it('the sender pays once, and every endpoint reports the payment as landed', async () => {
    const sender = openSender(access());
    const order = { intentId: 're_1', currency: 'USDT', contract: token, to: payer, amount: 4_000_000n };
    const draft = await sender.draft(order, wallet.address);
    const { payload, finish } = signing(draft);
    const { bytes, hash } = finish(wallet.sign(payload));
    const attempt = { hash, validity: readDraft(draft).validity, from: wallet.address, order };
    expect(await sender.outcome(attempt)).toEqual({ kind: 'waiting' });
    const before = await balance(wallet.address);
    expect(await sender.broadcast(bytes)).toBe('accepted');
    await sender.broadcast(bytes);
    mine();
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'seen' });
    mine(UNTIL_FINAL);
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'landed', hash });
    const own = chain.transfers(chain.height()).filter((one) => one.payer === wallet.address);
    expect(own).toMatchObject([{ hash, recipient: payer, amount: 4_000_000n }]);
    expect(await balance(wallet.address)).toBe((before ?? 0n) - 4_000_000n);
    const query = { since: START, known: async () => new Set<string>(), knownExpiry: async () => time + 300 };
    const { votes } = await sender.unknownTransactions!(wallet.address, { ...query, mentions: noMentions });
    expect(votes.map(({ unknown }) => unknown.map((one) => one.hash))).toEqual([[hash], [hash]]);
  });

  it('an endpoint that reports another amount once holds a payment only until it reports the right one', async () => {
    const { endpoints, ...options } = access();
    const sender = openSender(options);
    const order = { intentId: 're_3', currency: 'USDT', contract: token, to: payer, amount: 4_000_000n };
    const draft = await sender.draft(order, wallet.address);
    const { payload, finish } = signing(draft);
    const { bytes, hash } = finish(wallet.sign(payload));
    await sender.broadcast(bytes);
    mine(UNTIL_FINAL);
    const attempt = { hash, validity: readDraft(draft).validity, from: wallet.address, order };
    endpoints[0]!.set('lying');
    await expect(sender.outcome(attempt)).rejects.toThrow('report different outcomes');
    endpoints[0]!.set(null);
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'landed', hash });
  });

  it('a payment that is dropped or expires has lapsed', async () => {
    const sender = openSender(access());
    const order = { intentId: 're_2', currency: 'USDT', contract: token, to: payer, amount: 4_000_000n };
    const draft = await sender.draft(order, wallet.address);
    const { payload, finish } = signing(draft);
    const { bytes, hash } = finish(wallet.sign(payload));
    await sender.broadcast(bytes);
    expect(chain.dropWaiting()).toBe(1);
    mine(60);
    await sender.broadcast(bytes).catch(() => {});
    mine(UNTIL_FINAL);
    const attempt = { hash, validity: readDraft(draft).validity, from: wallet.address, order };
    expect(await sender.outcome(attempt)).toMatchObject({ kind: 'lapsed' });
    expect(chain.transfers(chain.height())).toEqual([]);
  });
});
