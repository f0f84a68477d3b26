import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChainError } from '@/lib/chains/chain';
import type { AddressKind } from '@/lib/chains/send';
import { fromUnixSeconds } from '@/lib/clock';
import type { Context } from '@/lib/context';
import { openSecret, sha256 } from '@/lib/crypto';
import { refundOrder } from '@/lib/signer/orders';
import { openTestDatabase, type TestDatabase } from '@/lib/testing/database';
import { ethereum, newEvmAddress, openRefundScene, type RefundScene } from '@/lib/testing/destined-refund';
import { giveSessionAddress } from './addresses';
import { findDestination } from './destination';
import type { DestinedRefund } from './destination-payers';
import { askForAddress } from './claims';
import { addHeldSenders } from './held-senders';
import { claimPurpose } from './view';

let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openRefundScene(db);
});
afterAll(() => db.close());

const chain = (kind: AddressKind = 'wallet', wallet = newEvmAddress()) => ({
  spec: ethereum,
  wallet,
  sender: { kindOf: () => Promise.resolve(kind) },
});
const find = (refund: DestinedRefund, on = chain(), context: Context = scene.context) =>
  findDestination(context, on, refund);
const held = (why: string) => ({ hold: 'destination_needed', message: expect.stringContaining(why) });
async function paidBy(...payers: string[]) {
  const sessionId = await scene.session();
  for (const payer of payers) await scene.paid(sessionId, { payer });
  return scene.refund(sessionId);
}

describe('a refund goes back to who paid', () => {
  it('to the one sender of all payments that count, vouched for by the first of them', async () => {
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

  it('in words that the signer takes, also for the longest transaction hashes', () => {
    const { evidence } = refundOrder.shape;
    const solana = `solana/${'5'.repeat(88)}/2147483647`;
    for (const reference of [solana, 'address/9223372036854775807', `ethereum/0x${'f'.repeat(64)}/0`]) {
      expect(evidence.shape.reference.safeParse(reference).success).toBe(true);
    }
  });

  it('payments that do not count are not part of what is given back', async () => {
    const payer = newEvmAddress();
    const sessionId = await scene.session();
    await scene.paid(sessionId, { payer });
    // Too late, of a token that was not asked for, and on its way back already.
    await scene.paid(sessionId, { blockTime: 1_800_000_601 });
    await scene.paid(sessionId, { currency: 'USDC', contract: ethereum.tokens.USDC!.contract });
    await caseOf(sessionId, await scene.paid(sessionId), { kind: 'unfinished', state: 'refund' });
    expect(await find(await scene.refund(sessionId))).toMatchObject({ destination: { address: payer } });
  });

  it('a case’s refund goes to the sender of that very payment', async () => {
    const stranger = newEvmAddress();
    const sessionId = await scene.session();
    await scene.paid(sessionId);
    const transfer = await scene.paid(sessionId, { payer: stranger, blockTime: 1_800_000_601 });
    const caseId = await caseOf(sessionId, transfer, { kind: 'late', state: 'refund' });
    expect(await find(await scene.refund(sessionId, { caseId }))).toMatchObject({ destination: { address: stranger } });
  });
});

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
  return (await db.prisma.paymentCase.create({ data: { ...data, decidedBy: 'operator:x' } })).id;
}

describe('a refund is held for an address from the customer', () => {
  it('R-20: when several senders paid', async () => {
    expect(await find(await paidBy(newEvmAddress(), newEvmAddress()))).toEqual(held('2 senders'));
  });

  it('R-19: when the sender is an exchange of the operator’s list, on that network only', async () => {
    const payer = newEvmAddress();
    const held_ = { address: payer.toUpperCase().replace('0X', '0x'), label: 'Kraken hot wallet' };
    await addHeldSenders(db.pool, [{ ...held_, network: 'bsc' }]);
    const refund = await paidBy(payer);
    expect(await find(refund)).toMatchObject({ destination: { address: payer } });
    await addHeldSenders(db.pool, [{ ...held_, network: 'ethereum' }]);
    expect(await find(refund)).toEqual(held('Kraken hot wallet'));
  });

  it('R-19: when the sender is a contract', async () => {
    expect(await find(await paidBy(newEvmAddress()), chain('contract'))).toEqual(held('a contract'));
  });

  it('R-19: when the sender is one of our receiving addresses, given out or kept ready, or the refund wallet', async () => {
    const { evmAddress: receiving } = await db.prisma.session.findUniqueOrThrow({
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
    for (const payer of [receiving, pooled, wallet]) {
      expect(await find(await paidBy(payer), chain('wallet', wallet))).toEqual(held('cannot be paid back'));
    }
  });

  it('R-19: when the sender is a wallet that refunds were paid from before, or the token or zero itself', async () => {
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

  it('when nobody vouches for the payment: an old row, another key, or a fact changed since', async () => {
    for (const key of [null, randomBytes(32)]) {
      const sessionId = await scene.session();
      await scene.paid(sessionId, { key });
      expect(await find(await scene.refund(sessionId))).toEqual(held('not proven'));
    }
    const refund = await paidBy(newEvmAddress());
    expect(await find(refund, chain(), scene.webContext)).toEqual(held('not proven'));
    // What somebody with the database in their hands would do; the append-only trigger is not what holds it here.
    await db.pool.query('ALTER TABLE transfers DISABLE TRIGGER USER');
    await db.pool.query('UPDATE transfers SET payer = $2 WHERE session_id = $1', [refund.sessionId, newEvmAddress()]);
    await db.pool.query('ALTER TABLE transfers ENABLE TRIGGER USER');
    expect(await find(refund)).toEqual(held('not proven'));
  });

  it('when one of several payments of the same sender is not vouched for', async () => {
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

  it('and nothing is decided while the chain does not tell what the sender is', async () => {
    const refund = await paidBy(newEvmAddress());
    await expect(find(refund, chain('unknown'))).rejects.toThrow(ChainError);
    expect((await scene.row(refund.id)).claimHash).toBeNull();
  });

  it('by an unguessable link that is opened once, kept sealed, and expires', async () => {
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

  it('but a refund that was canceled meanwhile gets no link', async () => {
    const sessionId = await scene.session();
    const refund = await scene.refund(sessionId, { status: 'pending' });
    expect(await find(refund)).toEqual(held('no recorded payment'));
    expect((await scene.row(refund.id)).claimHash).toBeNull();
  });
});

it('R-18: nothing in merchant text sets a destination', async () => {
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
      expect(await find(refund)).toEqual(held('2 senders'));
    }),
    { numRuns: 10 },
  );
});

describe('what the customer gave goes first', () => {
  const kindOf = () => Promise.resolve('wallet' as const);

  it('over the payer, and where several or unknown senders paid', async () => {
    for (const payers of [[newEvmAddress()], [newEvmAddress(), newEvmAddress()], []]) {
      const refund = await paidBy(...payers);
      const own = newEvmAddress();
      await giveSessionAddress({ ...scene.webContext, kindOf }, refund.sessionId, 'ethereum', own);
      const { id } = await db.prisma.refundAddress.findFirstOrThrow({ where: { sessionId: refund.sessionId } });
      expect(await find(refund)).toEqual({ destination: { address: own, kind: 'claim', reference: `address/${id}` } });
    }
  });

  it('for its own network, session and refund only', async () => {
    const payer = newEvmAddress();
    const [refund, other] = [await paidBy(payer), await paidBy(payer)];
    await db.prisma.refundAddress.createMany({
      data: [
        { sessionId: refund.sessionId, network: 'bsc', address: newEvmAddress(), givenAt: scene.clock.now() },
        { sessionId: other.sessionId, network: 'ethereum', address: newEvmAddress(), givenAt: scene.clock.now() },
        {
          sessionId: refund.sessionId,
          network: 'ethereum',
          address: newEvmAddress(),
          intentId: other.id,
          givenAt: scene.clock.now(),
        },
      ],
    });
    expect(await find(refund)).toMatchObject({ destination: { address: payer, kind: 'payer' } });
  });

  it('and is never paid when it is an address of ours or no address as we store them', async () => {
    const wallet = newEvmAddress();
    for (const address of [wallet, `0x${'AB'.repeat(20)}`, `0x${'0'.repeat(40)}`, ethereum.tokens.USDT!.contract]) {
      const refund = await paidBy(newEvmAddress());
      await db.prisma.refundAddress.create({
        data: { sessionId: refund.sessionId, network: 'ethereum', address, givenAt: scene.clock.now() },
      });
      expect(await find(refund, chain('wallet', wallet))).toEqual(held('the customer gave cannot be paid'));
    }
  });
});

describe('a merchant asks for an address', () => {
  const ask = (refund: DestinedRefund, storeId = refund.storeId) =>
    askForAddress({ pool: db.pool, clock: scene.context.clock }, { storeId, refundId: refund.id });

  it('then the refund waits for its link, whoever paid and whatever was given on the payment’s page', async () => {
    const [paid, given] = [await paidBy(newEvmAddress()), await paidBy(newEvmAddress())];
    const context = { ...scene.context, kindOf: async () => 'wallet' as const };
    await giveSessionAddress(context, given.sessionId, 'ethereum', newEvmAddress());
    for (const refund of [paid, given]) {
      expect(await find(refund)).toHaveProperty('destination');
      const before = (await scene.row(refund.id)).epoch;
      await ask(refund);
      expect(await find(refund)).toEqual(
        held('The shop asks the customer for an address. Send the customer the claim link'),
      );
      const { claimHash, destination, epoch } = await scene.row(refund.id);
      expect([claimHash === null, destination, epoch > before]).toEqual([false, null, true]);
    }
  });

  it('and the address that is named by the link is where it goes', async () => {
    const [refund, mine] = [await paidBy(newEvmAddress()), newEvmAddress()];
    await ask(refund);
    await find(refund);
    await db.pool.query(
      `INSERT INTO refund_addresses (session_id, network, address, intent_id, given_at) VALUES ($1, 'ethereum', $2, $3, now())`,
      [refund.sessionId, mine, refund.id],
    );
    expect(await find(refund)).toMatchObject({ destination: { address: mine, kind: 'claim' } });
    await expect(ask(refund)).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
  });

  it('not of a refund that is being sent or has ended, nor of another store’s', async () => {
    const [sent, ended, own] = [
      await paidBy(newEvmAddress()),
      await paidBy(newEvmAddress()),
      await paidBy(newEvmAddress()),
    ];
    await db.pool.query(
      `UPDATE refunds SET asked_at = now(), destination = '0x1', destination_kind = 'payer', destination_reference = 'x' WHERE id = $1`,
      [sent.id],
    );
    await db.pool.query(`UPDATE refunds SET status = 'canceled', processed_at = now() WHERE id = $1`, [ended.id]);
    await expect(ask(sent)).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
    await expect(ask(ended)).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
    await expect(ask(own, 'st_other')).rejects.toMatchObject({ code: 'REFUND_NOT_FOUND' });
  });
});
