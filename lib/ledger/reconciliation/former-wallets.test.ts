// The comparison of the refund wallet after a change of wallets: a former one counts until it is empty, and money that moves from it to the
// present one is neither the operator's funding nor missing.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readRefundWallet } from '@/lib/ledger/balances';
import { postColdReturn } from '@/lib/ledger/post-cold';
import { postFunding } from '@/lib/ledger/post-refund';
import type { BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import { NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import type { FollowedChain } from '@/lib/networks/registry';
import { transaction } from '@/lib/platform/database/db';
import type { SignerState } from '@/lib/signer/client';
import { readWallets } from '@/lib/dashboard/operator/wallets';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { readDiscrepancies } from './discrepancies';
import { reconcileWith } from './step';

const START = 1_800_000_000;
const FORMER = `0x${'aa'.repeat(20)}`;
const PRESENT = `0x${'Bb'.repeat(20)}`;
const USD = 1_000_000n;
const local = NETWORKS.find((row) => row.network === 'ethereum' && row.chain === 'local') as NetworkSpec;
// A local chain begins anew with other coins.
const spec: NetworkSpec = { ...local, chain: 'mainnet' };
const asset = { environment: 'test', network: 'ethereum', currency: 'USDT' } as const;

let db: TestDatabase;
let clock: TestClock;
let config: ReturnType<typeof testConfig>;
let chainId: number;
let genesis: string;
let tip: number;
/** The signer's wallet, and what each address holds on the chain. */
let wallet: string;
let held: Map<string, bigint>;
let read: string[];
let frozen: string[];

const block = (number: number) => ({ number, hash: `0x${number}`, parentHash: '0x', time: START + number });
const reader: BalanceReader = {
  most: 4,
  async tokens(holdings, currency) {
    if (currency === 'USDT') read.push(...holdings.map(({ address }) => address));
    const of = (address: string) => (currency === 'USDT' ? (held.get(address) ?? 0n) : 0n);
    return new Map(
      holdings.map(({ address }) => [address, { amount: of(address), from: block(tip), through: block(tip) }]),
    );
  },
  feeCoin: async () => ({ amount: 10n ** 18n, stake: null }),
};
const signer = {
  state: async () => ({ wallets: { test: { evm: wallet }, live: { evm: wallet } } }) as unknown as SignerState,
  freeze: async (reason: string) => void frozen.push(reason),
};

beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  [clock, config] = [new TestClock(START), testConfig()];
  await db.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
  chainId = await makeChain(db, 'ethereum', START);
  genesis = (await db.prisma.chain.findUniqueOrThrow({ where: { id: chainId } })).genesis;
  [tip, frozen, read, wallet, held] = [90, [], [], FORMER, new Map([[FORMER, 100n * USD]])];
  const amount = 100n * USD - (await ledger());
  if (amount !== 0n) await transaction(db.pool, (tx) => postFunding(tx, 'test', { ...asset, amount }));
  await step(2);
});

const context = () => testContext(db, clock, config);
const ledger = () => readRefundWallet(db.pool, asset);
const open = async () =>
  (await readDiscrepancies(context(), { isOpenOnly: true })).filter((one) => one.chainId === chainId);
const shown = async () =>
  (await readWallets(context())).wallets.find(
    ({ network, environment }) => network === 'ethereum' && environment === 'test',
  )!;

/** Each run is later and reads a later block. */
async function step(times: number): Promise<void> {
  const adapter = { genesis: async () => genesis } as unknown as FollowedChain['adapter'];
  const chain = { environment: 'test' as const, network: 'ethereum', spec, adapter };
  for (let left = times; left > 0; left--) {
    clock.advance(400);
    tip += 10;
    await db.pool.query('UPDATE chains SET tip_number = $2, final_number = $2 WHERE id = $1', [chainId, tip]);
    await reconcileWith(chain, { reader, signer })(context());
  }
}
const move = (from: string, to: string, amount: bigint): void => {
  held.set(from, (held.get(from) ?? 0n) - amount);
  held.set(to, (held.get(to) ?? 0n) + amount);
};

describe('after a change of the refund wallet', () => {
  beforeEach(() => void (wallet = PRESENT));

  it('what the former one holds is neither missing nor booked again when it moves, in parts, to the present one', async () => {
    await step(3);
    expect([await ledger(), await open(), frozen]).toEqual([100n * USD, [], []]);
    move(FORMER, PRESENT, 30n * USD);
    await step(3);
    expect(await shown()).toMatchObject({
      address: PRESENT,
      assets: expect.arrayContaining([expect.objectContaining({ asset: 'USDT', held: '30.000000' })]),
      former: [{ address: FORMER, asset: 'USDT', held: '70.000000' }],
    });
    move(FORMER, PRESENT, 70n * USD);
    await step(3);
    expect([await ledger(), await open(), frozen]).toEqual([100n * USD, [], []]);
    expect(await shown()).toMatchObject({ former: [] });
  });

  it('a former one that was emptied counts no more, whatever arrives there later', async () => {
    move(FORMER, PRESENT, 100n * USD);
    await step(3);
    held.set(FORMER, 5n * USD);
    read = [];
    await step(3);
    expect([await ledger(), await open(), frozen, new Set(read)]).toEqual([100n * USD, [], [], new Set([PRESENT])]);
  });

  it('a return of the cold wallet that arrives at the former one, also an empty one, is booked once and not missing', async () => {
    move(FORMER, PRESENT, 100n * USD);
    await step(3);
    const id = 'cr_0000000000000000000001';
    await db.pool.query(
      `INSERT INTO cold_returns (id, request_id, position, request_sha256, environment, network, chain_id, currency, amount, sender, recipient,
         unsigned, created_at, expires_at, signed_bytes, transaction_hash, signed_at)
       VALUES ($1 || '_1', $1, 1, 'x', 'test', 'ethereum', $2, 'USDT', $3, '0xc', $4, '0x', $5, $5::timestamptz + interval '1 day', '0x02', '0x1', $5)`,
      [id, chainId, String(40n * USD), FORMER, clock.now()],
    );
    held.set(FORMER, 40n * USD);
    await step(3);
    expect([await ledger(), await open(), frozen]).toEqual([100n * USD, [], []]);
    await transaction(db.pool, async (tx) => {
      const values = [`${id}_1`, tip + 1, clock.now()];
      await tx.query(
        `UPDATE cold_returns SET outcome = 'landed', block_number = $2, ended_at = $3 WHERE id = $1`,
        values,
      );
      const { environment, ...moved } = { ...asset, amount: 40n * USD };
      await postColdReturn(tx, { intentId: `${id}_1`, environment, moved });
    });
    await step(3);
    expect([await ledger(), await open(), frozen]).toEqual([140n * USD, [], []]);
  });

  it('money that leaves the former one for another address is missing', async () => {
    await step(2);
    held.set(FORMER, 60n * USD);
    await step(3);
    expect(await open()).toMatchObject([{ address: PRESENT, expected: 100n * USD, found: 60n * USD }]);
    expect(frozen.length).toBeGreaterThan(0);
  });

  it('what the operator sends to the present one is funding, once', async () => {
    await step(2);
    held.set(PRESENT, 40n * USD);
    await step(4);
    expect([await ledger(), await open(), frozen]).toEqual([140n * USD, [], []]);
  });

  it('a former one that is the treasury by now has an account of its own', async () => {
    config = testConfig({ TREASURY_WALLETS: `ethereum@mainnet=${FORMER}` });
    await step(3);
    expect(await open()).toMatchObject([{ expected: 100n * USD, found: 0n }]);
  });

  describe.each(['TREASURY_WALLETS', 'COLD_WALLETS'])('named in %s before it is empty', (setting) => {
    beforeEach(() => void (config = testConfig({ [setting]: `ethereum@mainnet=${FORMER}` })));

    it('stops signing with a sentence that says what to do, and counts again once it is taken out', async () => {
      await step(3);
      const [found] = await open();
      expect(found?.note).toBe(
        `${setting} names the former refund wallet ${FORMER}, which was not empty. ` +
          'Take it out of that setting and restart the worker, until you have moved its tokens to the refund wallet.',
      );
      expect(frozen.length).toBeGreaterThan(0);
      config = testConfig();
      await step(3);
      expect([await ledger(), await open()]).toEqual([100n * USD, []]);
    });

    it('is no former one any more once its tokens have moved, whatever arrives there later', async () => {
      await step(3);
      move(FORMER, PRESENT, 100n * USD);
      await step(3);
      expect([await ledger(), await open()]).toEqual([100n * USD, []]);
      held.set(FORMER, 7n * USD);
      frozen = [];
      await step(3);
      config = testConfig();
      await step(3);
      expect([await ledger(), await open(), frozen]).toEqual([100n * USD, [], []]);
    });
  });

  it('named as the treasury while it is empty says nothing', async () => {
    move(FORMER, PRESENT, 100n * USD);
    await step(2);
    config = testConfig({ TREASURY_WALLETS: `ethereum@mainnet=${FORMER}` });
    await step(3);
    expect([await ledger(), await open(), frozen]).toEqual([100n * USD, [], []]);
  });
});

it('the same wallet that the signer spells otherwise counts once', async () => {
  wallet = FORMER.toUpperCase().replace('0X', '0x');
  held.set(wallet, 100n * USD);
  await step(3);
  expect([await ledger(), await open(), frozen]).toEqual([100n * USD, [], []]);
});
