import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChainError } from '@/lib/networks/chain';
import { fromUnixSeconds } from '@/lib/platform/clock';
import { openSecret, sha256 } from '@/lib/platform/crypto';
import { refundOrder } from '@/lib/signer/orders';
import { makeStore } from '@/testing/fixtures';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import {
  bsc,
  ethereum,
  chain,
  held,
  mainnet,
  newEvmAddress,
  openRefundScene,
  type RefundScene,
} from '@/testing/refunds/destined-refund';
import { giveSessionAddress } from '@/lib/refunds/customer-address/addresses';
import type { DestinedRefund } from './payers';
import { recordListDates } from './exchange-wallets/age';
import { addExchangeWallets } from './exchange-wallets/list';
import { claimPurpose } from '@/lib/refunds/view';

let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openRefundScene(db);
});
afterAll(() => db.close());

const find: RefundScene['find'] = (...given) => scene.find(...given);
const paidBy: RefundScene['paidBy'] = (...payers) => scene.paidBy(...payers);

const DAY = 86_400_000;

describe('a refund goes back to the payer', () => {
  it('to the one sender of all payments that count, attested by the first of them', async () => {
    const payer = newEvmAddress();
    const sessionId = await scene.session();
    const transactionHash = `0x${'1f'.repeat(32)}`;
    await scene.paid(sessionId, { payer, blockTime: 1_800_000_200, transactionHash, ordinal: 7 });
    await scene.paid(sessionId, { payer, blockTime: 1_800_000_400 });
    const refund = await scene.refund(sessionId);
    expect(await find(refund)).toEqual({
      destination: { address: payer, kind: 'payer', reference: `ethereum/${transactionHash}/7` },
    });
    expect((await scene.row(refund.id)).claimHash).toBeNull();
  });

  it('with a reference that the signer accepts, also for the longest transaction hashes', () => {
    const { evidence } = refundOrder.shape;
    const solana = `solana/${'5'.repeat(88)}/2147483647`;
    for (const reference of [solana, 'address/9223372036854775807', `ethereum/0x${'f'.repeat(64)}/0`]) {
      expect(evidence.shape.reference.safeParse(reference).success).toBe(true);
    }
  });

  it('even if another sender paid less than a cent, or gets everything back by a separate refund', async () => {
    const payer = newEvmAddress();
    const sessionId = await scene.session();
    await scene.paid(sessionId, { amount: 9_999n });
    await scene.paid(sessionId, { payer });
    await caseOf(sessionId, await scene.paid(sessionId), { kind: 'unfinished', state: 'refund' });
    const refund = await scene.refund(sessionId);
    expect(await find(refund)).toMatchObject({ destination: { address: payer } });
    // One cent names a payer.
    await scene.paid(sessionId, { amount: 10_000n });
    expect(await find(refund)).toEqual(held('2 payers'));
  });

  it('and not to an address that looks like the payer’s and sent dust before and after the payment', async () => {
    const payer = newEvmAddress();
    const twin = `${payer.slice(0, 6)}${newEvmAddress().slice(6, -4)}${payer.slice(-4)}`;
    const sessionId = await scene.session();
    await scene.paid(sessionId, { payer: twin, amount: 1n, blockTime: 1_800_000_100 });
    await scene.paid(sessionId, { payer, blockTime: 1_800_000_200 });
    await scene.paid(sessionId, { payer: twin, amount: 9_999n, blockTime: 1_800_000_300 });
    expect(await find(await scene.refund(sessionId))).toMatchObject({ destination: { address: payer, kind: 'payer' } });
  });

  it('who paid the price except for a fraction of a cent, but not to one who paid a part of it', async () => {
    const payer = newEvmAddress();
    const held_ = held('paid a part of the price');
    for (const [amount, expected] of [
      [12_491_000n, { destination: { address: payer } }],
      [12_489_999n, held_],
      [10_000n, held_],
    ] as const) {
      const sessionId = await scene.session();
      await scene.paid(sessionId, { payer, amount });
      await scene.paid(sessionId, { amount: 9_000n });
      expect(await find(await scene.refund(sessionId))).toMatchObject(expected);
    }
  });

  it('also where the same wallet paid on several networks, and then on the network that completed the payment', async () => {
    const payer = newEvmAddress();
    const sessionId = await scene.session();
    await scene.paid(sessionId, { payer, network: bsc, amount: 12_000_000_000_000_000_000n });
    await scene.paid(sessionId, { payer, amount: 500_000n });
    expect(await find(await scene.refund(sessionId))).toMatchObject({
      destination: { address: payer, reference: expect.stringMatching(/^ethereum\//) },
    });
  });

  it('to the sender of that very payment, for the refund of a case', async () => {
    const stranger = newEvmAddress();
    const sessionId = await scene.session();
    await scene.paid(sessionId);
    const transfer = await scene.paid(sessionId, { payer: stranger, blockTime: 1_800_000_601 });
    const caseId = await caseOf(sessionId, transfer, { kind: 'late', state: 'refund' });
    expect(await find(await scene.refund(sessionId, { caseId }))).toMatchObject({ destination: { address: stranger } });
  });

  it('and, for the refund of a case, never to the address that the customer gave on the payment’s page', async () => {
    const stranger = newEvmAddress();
    const sessionId = await scene.session();
    await scene.paid(sessionId);
    const transfer = await scene.paid(sessionId, { payer: stranger, blockTime: 1_800_000_601 });
    const caseId = await caseOf(sessionId, transfer, { kind: 'late', state: 'refund' });
    const kindOf = () => Promise.resolve('wallet' as const);
    await giveSessionAddress({ ...scene.webContext, kindOf }, sessionId, 'ethereum', newEvmAddress());
    expect(await find(await scene.refund(sessionId, { caseId }))).toMatchObject({ destination: { address: stranger } });
  });
});

/** A payment that an earlier version stored, which did not record who ordered it. */
async function earlierPayment(payer: string): Promise<DestinedRefund> {
  const sessionId = await scene.session();
  await scene.paid(sessionId, { payer, isPlain: null });
  return scene.refund(sessionId);
}

/** A live payment to another store, some days ago. */
async function paidElsewhere(payer: string, daysAgo: number): Promise<void> {
  const { storeId } = await makeStore(db, scene.context.config);
  const sessionId = await scene.session();
  await scene.paid(sessionId, { payer, blockTime: 1_800_000_000 - daysAgo * 86_400 });
  await db.pool.query(`UPDATE sessions SET store_id = $2, environment = 'live' WHERE id = $1`, [sessionId, storeId]);
}

async function caseOf(sessionId: string, transferId: bigint, of: { kind: string; state: 'refund' | 'accepted' }) {
  const { storeId } = scene;
  const data = {
    storeId,
    environment: 'test',
    sessionId,
    transferId,
    amount: 1,
    decidedAt: scene.clock.now(),
    ...of,
  } as const;
  return (await db.prisma.paymentException.create({ data: { ...data, decidedBy: 'operator:x' } })).id;
}

describe('a refund is put on hold for an address from the customer', () => {
  it('R-20: when several payers paid', async () => {
    expect(await find(await paidBy(newEvmAddress(), newEvmAddress()))).toEqual(held('2 payers'));
  });

  it('R-20: when another sender paid a part on another network, however small', async () => {
    const [alice, bob] = [newEvmAddress(), newEvmAddress()];
    const sessionId = await scene.session();
    await scene.paid(sessionId, { payer: alice, network: bsc, amount: 12_490_000_000_000_000_000n });
    await scene.paid(sessionId, { payer: bob, amount: 10_000n });
    expect(await find(await scene.refund(sessionId))).toEqual(held('2 payers'));
  });

  it('R-20: when a second payment came too late or in another token, and is not decided yet', async () => {
    for (const over of [{ blockTime: 1_800_000_601 }, { currency: 'USDC', contract: ethereum.tokens.USDC!.contract }]) {
      const refund = await paidBy(newEvmAddress());
      await scene.paid(refund.sessionId, over);
      expect(await find(refund)).toEqual(held('2 payers'));
    }
  });

  it('when the payer did not order the payment, on every chain; when that is unknown, where money is real', async () => {
    const payer = newEvmAddress();
    const sessionId = await scene.session();
    await scene.paid(sessionId, { payer, isPlain: false });
    const refund = await scene.refund(sessionId);
    expect(await find(refund)).toEqual(held('not sent by a plain transfer'));
    const earlier = await earlierPayment(payer);
    expect(await find(earlier, mainnet)).toEqual(held('not sent by a plain transfer'));
    expect(await find(earlier)).toMatchObject({ destination: { address: payer } });
  });

  it('R-19: when the sender is on the operator’s list of exchange wallets, on that network only', async () => {
    const payer = newEvmAddress();
    const held_ = { address: payer.toUpperCase().replace('0X', '0x'), label: 'Kraken hot wallet' };
    await addExchangeWallets(db.pool, [{ ...held_, network: 'bsc' }]);
    const refund = await paidBy(payer);
    expect(await find(refund)).toMatchObject({ destination: { address: payer } });
    await addExchangeWallets(db.pool, [{ ...held_, network: 'ethereum' }]);
    expect(await find(refund)).toEqual(held('Kraken hot wallet'));
  });

  it('R-19: on a main network where people pay from exchanges, until a current list of exchanges is loaded', async () => {
    const on = { ...mainnet, spec: { ...mainnet.spec, isPaidFromExchanges: true } };
    const payer = newEvmAddress();
    const refund = await paidBy(payer);
    const days = scene.context.config.EXCHANGE_LIST_DAYS;
    const listed = (ago: number) =>
      recordListDates(db.pool, ['ethereum'], {
        asOf: new Date(scene.clock.now().getTime() - ago * DAY),
        now: scene.clock.now(),
      });
    expect(await find(refund, on)).toEqual(held('no current list'));
    await listed(days);
    expect(await find(refund, on)).toEqual(held('no current list'));
    await listed(days - 1);
    expect(await find(refund, on)).toMatchObject({ destination: { address: payer } });
    await db.pool.query('TRUNCATE exchange_wallet_lists');
    expect(await find(refund, mainnet)).toMatchObject({ destination: { address: payer } });
  });

  it('R-19: when the sender paid live sessions of three stores within a month, as exchanges do', async () => {
    const payer = newEvmAddress();
    const refund = await paidBy(payer);
    for (const ago of [1, 29]) {
      expect(await find(refund, mainnet)).toMatchObject({ destination: { address: payer } });
      await paidElsewhere(payer, ago);
    }
    expect(await find(refund, mainnet)).toMatchObject({ destination: { address: payer } });
    await paidElsewhere(payer, 31);
    expect(await find(refund, mainnet)).toMatchObject({ destination: { address: payer } });
    await paidElsewhere(payer, 30);
    expect(await find(refund, mainnet)).toEqual(held('paid several stores'));
    expect(await find(refund)).toMatchObject({ destination: { address: payer } });
  });

  it('R-19: when the sender is a contract', async () => {
    expect(await find(await paidBy(newEvmAddress()), chain('contract'))).toEqual(held('a contract'));
  });

  it('R-19: when the sender is one of our deposit addresses, assigned or pooled, or the refund wallet', async () => {
    const { evmAddress: deposit } = await db.prisma.session.findUniqueOrThrow({
      where: { id: await scene.session() },
    });
    const [pooled, wallet] = [newEvmAddress(), newEvmAddress()];
    const entry = {
      environment: 'test',
      addressIndex: 77,
      evmAddress: pooled,
      tronAddress: 'T',
      solanaAddress: 'S',
    } as const;
    await db.prisma.addressPoolEntry.create({ data: entry });
    for (const payer of [deposit, pooled, wallet]) {
      expect(await find(await paidBy(payer), chain('wallet', wallet))).toEqual(held('cannot be paid back'));
    }
  });

  it('R-19: when the sender is a wallet that paid refunds before, or the token or zero itself', async () => {
    const old = newEvmAddress();
    const { id } = await scene.refund(await scene.session(), { destination: newEvmAddress() });
    await db.pool.query(
      `INSERT INTO refund_attempts (intent_id, number, chain_id, draft, drafted_at) VALUES ($1, 1, $2, $3, now())`,
      [id, scene.chainId, JSON.stringify({ family: 'evm', from: old })],
    );
    for (const payer of [old, `0x${'0'.repeat(40)}`, ethereum.tokens.USDC!.contract]) {
      expect(await find(await paidBy(payer))).toEqual(held('cannot be paid back'));
    }
  });

  it('when the watcher does not attest the payment: an old row, another key, or a fact that changed since', async () => {
    for (const key of [null, [randomBytes(32)] as const]) {
      const sessionId = await scene.session();
      await scene.paid(sessionId, { key });
      expect(await find(await scene.refund(sessionId))).toEqual(held('not proven'));
    }
    const refund = await paidBy(newEvmAddress());
    expect(await find(refund, chain(), scene.webContext)).toEqual(held('not proven'));
    // What an attacker with write access to the database would do; the append-only trigger does not protect here.
    await db.pool.query('ALTER TABLE transfers DISABLE TRIGGER USER');
    await db.pool.query('UPDATE transfers SET payer = $2 WHERE session_id = $1', [refund.sessionId, newEvmAddress()]);
    expect(await find(refund)).toEqual(held('not proven'));
    // Nor does a payment become one that its payer ordered.
    for (const isPlain of [true, null]) {
      const sessionId = await scene.session();
      await scene.paid(sessionId, { isPlain: false });
      await db.pool.query('UPDATE transfers SET is_plain = $2 WHERE session_id = $1', [sessionId, isPlain]);
      expect(await find(await scene.refund(sessionId))).toEqual(held('not proven'));
    }
    await db.pool.query('ALTER TABLE transfers ENABLE TRIGGER USER');
  });

  it('when one of several payments of the same sender is not attested', async () => {
    const payer = newEvmAddress();
    const refund = await paidBy(payer);
    await scene.paid(refund.sessionId, { payer, key: null });
    expect(await find(refund)).toEqual(held('not proven'));
  });

  it('when there is no payment on the network, or only another store’s', async () => {
    expect(await find(await scene.refund(await scene.session()))).toEqual(held('no recorded payment'));
    const refund = await paidBy(newEvmAddress());
    expect(await find({ ...refund, network: 'bsc' })).toEqual(held('no recorded payment'));
    expect(await find({ ...refund, storeId: 'st_other' })).toEqual(held('no recorded payment'));
  });

  it('but nothing is decided while the chain does not report what the sender is', async () => {
    const refund = await paidBy(newEvmAddress());
    await expect(find(refund, chain('unknown'))).rejects.toThrow(ChainError);
    expect((await scene.row(refund.id)).claimHash).toBeNull();
  });

  it('by an unguessable link that is opened once, stored sealed, and expires', async () => {
    const refund = await paidBy(newEvmAddress(), newEvmAddress());
    expect(await find(refund)).toEqual(held('Send the customer the claim link'));
    const row = await scene.row(refund.id);
    const { MASTER_KEYS } = scene.context.config;
    const token = openSecret(MASTER_KEYS, row.claimCiphertext as Uint8Array, claimPurpose(refund.id));
    expect(token).toMatch(/^[0-9A-Za-z]{43}$/);
    expect(sha256(token).equals(row.claimHash as Uint8Array)).toBe(true);
    expect(() => openSecret(MASTER_KEYS, row.claimCiphertext as Uint8Array, claimPurpose('re_other'))).toThrow(
      /authenticate/,
    );
    expect(row.claimExpiresAt).toEqual(fromUnixSeconds(1_800_000_000 + 30 * 86_400));
    await find(refund);
    expect((await scene.row(refund.id)).claimHash).toEqual(row.claimHash);
    const later = { ...scene.context, clock: { now: () => fromUnixSeconds(1_800_000_000 + 31 * 86_400) } };
    expect(await find(refund, chain(), later)).toEqual(held('has expired'));
  });

  it('but a refund that was canceled in the meantime gets no link', async () => {
    const sessionId = await scene.session();
    const refund = await scene.refund(sessionId, { status: 'pending' });
    expect(await find(refund)).toEqual(held('no recorded payment'));
    expect((await scene.row(refund.id)).claimHash).toBeNull();
  });
});

it('R-18: no merchant text sets a destination', async () => {
  const payer = newEvmAddress();
  const texts = fc.tuple(
    fc.string(),
    fc.constantFrom(`please send to ${newEvmAddress()}`, `address: ${newEvmAddress()}`),
  );
  await fc.assert(
    fc.asyncProperty(texts, async ([noise, wish]) => {
      const refund = await paidBy(payer);
      const text = (wish + noise).replaceAll('\0', '');
      const metadata = JSON.stringify({ destination: newEvmAddress(), address: newEvmAddress(), text });
      await db.pool.query('UPDATE refunds SET reason = $2, description = $2, metadata = $3 WHERE id = $1', [
        refund.id,
        text,
        metadata,
      ]);
      await db.pool.query('UPDATE sessions SET description = $2, metadata = $3 WHERE id = $1', [
        refund.sessionId,
        text,
        metadata,
      ]);
      expect(await find(refund)).toMatchObject({ destination: { address: payer, kind: 'payer' } });
      // Nor does it become one where no sender can be paid.
      await scene.paid(refund.sessionId);
      expect(await find(refund)).toEqual(held('2 payers'));
    }),
    { numRuns: 10 },
  );
});
