// Refunds and payouts on a local chain of every network of the table, paid by the worker's steps and the real signer. conformance.test.ts holds
// the same for receiving. A new row is covered by both without a change here.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Keypair } from '@solana/web3.js';
import { Wallet } from 'ethers';
import { utils as tron } from 'tronweb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NetworkFamily } from '@/lib/networks/chain';
import { keptForDataFee, NETWORKS } from '@/lib/networks/networks';
import { readDraft } from '@/lib/networks/sending/draft';
import { openSender } from '@/lib/networks/families/clients';
import type { ChainSender } from '@/lib/networks/sending/send';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { accounts, orderOn, signerCheck } from '@/testing/signer/signer-scene';
import type { LocalNetwork } from './local-network';
import { startAllChains, type LocalChains } from './start';

const ROWS = NETWORKS.filter(({ chain }) => chain === 'local');
/** More blocks than any local chain needs to make one final. */
const FINAL = 40;
const CENTS = 512n;
const NEW_ADDRESS: Record<NetworkFamily, () => string> = {
  evm: () => Wallet.createRandom().address.toLowerCase(),
  tron: () => tron.accounts.generateAccount().address.base58,
  solana: () => Keypair.generate().publicKey.toBase58(),
};
const addressOf = (family: NetworkFamily) => accounts.of('test', family).address;

let db: TestDatabase;
let chains: LocalChains;
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-refunds-'));

beforeAll(async () => {
  db = await openTestDatabase();
  chains = await startAllChains({
    directory,
    refundWallet: { evm: addressOf('evm'), tron: addressOf('tron'), solana: addressOf('solana'), nextNonces: {} },
    onFault: (error) => {
      throw error;
    },
  });
}, 120_000);
afterAll(async () => {
  await chains.stop();
  await db.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

test('every network of the table has a local chain', () => {
  expect([...chains.networks.keys()].toSorted()).toEqual(ROWS.map(({ network }) => network).toSorted());
});

describe.each(ROWS)('$network', ({ network, family, tokens }) => {
  let local: LocalNetwork;
  let sender: ChainSender;
  let scene: RefundScene;

  beforeAll(async () => {
    local = chains.networks.get(network) as LocalNetwork;
    const { spec, rpcUrl } = local;
    sender = openSender({ spec, urls: [rpcUrl], needed: 1, clock: systemClock, log: silentLog(), timeoutMs: 5000 });
    scene = await openRefundScene({ db, clock: systemClock, spec: local.spec, sender });
  }, 60_000);

  test.each(Object.keys(tokens))(
    'refunds %s to the payer once, within the fee cap',
    async (currency) => {
      const to = NEW_ADDRESS[family]();
      const id = await scene.refund({ to, currency, cents: CENTS });
      const refund = await scene.untilEnded(id, () => local.mine(FINAL));
      expect(refund).toMatchObject({ status: 'completed', destination: to, hold: null });
      const attempts = await scene.attempts(id);
      expect(attempts.map(({ status, hash }) => [status, hash])).toEqual([['landed', refund.transactionHash]]);
      expect(await local.balance(to, currency)).toBe(centsToBaseUnits(CENTS, local.spec.tokens[currency]!.decimals));
      expect(await scene.events(id)).toEqual(['refund.succeeded']);
    },
    60_000,
  );

  test.each(Object.keys(tokens))(
    'pays %s out to the store’s address once',
    async (currency) => {
      const payouts = openPayoutScene(scene);
      await payouts.session(currency);
      const to = NEW_ADDRESS[family]();
      const addressId = await payouts.address(to);
      const id = await payouts.request({ currency, amount: CENTS });
      const payout = await payouts.untilEnded(id, () => local.mine(FINAL));
      expect(payout).toMatchObject({
        status: 'completed',
        destination: to,
        destinationReference: addressId,
        hold: null,
      });
      const attempts = await payouts.attempts(id);
      expect(attempts.map(({ status, hash }) => [status, hash])).toEqual([['landed', payout.transactionHash]]);
      expect(await local.balance(to, currency)).toBe(centsToBaseUnits(CENTS, local.spec.tokens[currency]!.decimals));
      expect(await payouts.balance('payout', currency)).toBe(0n);
    },
    60_000,
  );

  test('is signed for its own chain within the fee cap of the row, and for no other chain of the table', async () => {
    const order = orderOn(network, { to: NEW_ADDRESS[family]() });
    const draft = await sender.draft({ ...order, amount: BigInt(order.amount) }, addressOf(family));
    const check = signerCheck(order, draft);
    expect(() => check({})).not.toThrow();
    const { feeCap } = readDraft(draft);
    expect(feeCap + keptForDataFee(local.spec)).toBeLessThanOrEqual(local.spec.feeCap);
    expect(() => check({ feeCap: feeCap + keptForDataFee(local.spec) - 1n })).toThrow(/more in fees/);
    // TRON and Solana bind the bytes to a block of their chain, so that they name no chain.
    const others = NETWORKS.filter((other) =>
      family === 'evm' ? other.chainId !== local.spec.chainId : other.family !== family,
    );
    expect(others.length).toBeGreaterThan(2);
    for (const spec of others) expect(() => check({ spec })).toThrow(/another (?:chain|family)/);
  });
});
