// Where a refund goes when a person chose it: the customer on the payment's page or by a link, or the merchant who pays back one of several
// payers.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
import { requestCustomerAddress, confirmAddress } from '@/lib/refunds/customer-address/claim-links';
import type { DestinedRefund } from './payers';

let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openRefundScene(db);
});
afterAll(() => db.close());

const find: RefundScene['find'] = (...given) => scene.find(...given);
const paidBy: RefundScene['paidBy'] = (...payers) => scene.paidBy(...payers);

describe('a refund to one of several payers', () => {
  const bscMainnet = { ...mainnet, spec: bsc };

  it('goes to that payer only, on the network on which they paid', async () => {
    const [alice, bob] = [newEvmAddress(), newEvmAddress()];
    const sessionId = await scene.session();
    await scene.paid(sessionId, { payer: alice, network: bsc, amount: 12_490_000_000_000_000_000n });
    await scene.paid(sessionId, { payer: bob, amount: 10_000n });
    const toAlice = await scene.refund(sessionId, { payer: alice, network: 'bsc', cents: 1249n });
    expect(await find(toAlice, bscMainnet)).toMatchObject({
      destination: { address: alice, kind: 'payer', reference: expect.stringMatching(/^bsc\//) },
    });
    const toBob = await scene.refund(sessionId, { payer: bob, cents: 1n });
    expect(await find(toBob)).toMatchObject({ destination: { address: bob } });
    const elsewhere = await scene.refund(sessionId, { payer: bob, network: 'bsc', cents: 1n });
    expect(await find(elsewhere, bscMainnet)).toEqual(held('no recorded payment'));
  });

  it('is put on hold when all refunds to the payer exceed what they paid, whatever the web process wrote', async () => {
    const [alice, bob] = [newEvmAddress(), newEvmAddress()];
    const sessionId = await scene.session();
    await scene.paid(sessionId, { payer: alice, amount: 10_000_000n });
    await scene.paid(sessionId, { payer: bob, amount: 2_500_000n });
    const refund = await scene.refund(sessionId, { payer: bob, cents: 200n });
    const canceled = await scene.refund(sessionId, { payer: bob, cents: 251n });
    await db.pool.query(`UPDATE refunds SET status = 'canceled', processed_at = now() WHERE id = $1`, [canceled.id]);
    expect(await find(refund)).toMatchObject({ destination: { address: bob } });
    await scene.refund(sessionId, { payer: bob, cents: 51n });
    expect(await find(refund)).toEqual(held('more than the payer paid'));
  });

  it('does not grow with the amounts of an exception that the web process wrote', async () => {
    const [alice, thief] = [newEvmAddress(), newEvmAddress()];
    const sessionId = await scene.session();
    await scene.paid(sessionId, { payer: alice, amount: 12_500_000n });
    const transferId = await scene.paid(sessionId, { payer: thief, amount: 1_000_000n });
    const of = { storeId: scene.storeId, environment: 'test', sessionId } as const;
    const made = await db.prisma.paymentException.create({
      data: { ...of, transferId, kind: 'late', amount: 10_000_000 },
    });
    const decided = {
      state: 'accepted',
      counted: 10_000_000,
      decidedBy: 'rule:none',
      decidedAt: scene.clock.now(),
    } as const;
    await db.prisma.paymentException.update({ where: { id: made.id }, data: decided });
    const refund = await scene.refund(sessionId, { payer: thief, cents: 1000n });
    expect(await find(refund)).toEqual(held('more than the payer paid'));
  });

  it('is put on hold when an exception of the payer was already sent back, whatever the web process wrote since', async () => {
    const [alice, thief] = [newEvmAddress(), newEvmAddress()];
    const sessionId = await scene.session();
    await scene.paid(sessionId, { payer: alice, amount: 12_500_000n });
    const transferId = await scene.paid(sessionId, { payer: thief, amount: 1_000_000n });
    const of = { storeId: scene.storeId, environment: 'test', sessionId } as const;
    const { id: caseId } = await db.prisma.paymentException.create({
      data: { ...of, transferId, kind: 'late', amount: 1_000_000 },
    });
    const again = await scene.refund(sessionId, { payer: thief, cents: 99n });
    expect(await find(again)).toMatchObject({ destination: { address: thief } });
    await scene.refund(sessionId, { caseId, cents: 100n, destination: thief, signatureRequestedAt: scene.clock.now() });
    expect(await find(again)).toEqual(held('more than the payer paid'));
  });

  it('is put on hold when the payer cannot be paid back, and never goes to an address that did not pay', async () => {
    const [alice, bob] = [newEvmAddress(), newEvmAddress()];
    const sessionId = await scene.session();
    await scene.paid(sessionId, { payer: alice });
    await scene.paid(sessionId, { payer: bob, isPlain: false });
    expect(await find(await scene.refund(sessionId, { payer: bob, cents: 1n }))).toEqual(held('plain transfer'));
    const stranger = await scene.refund(sessionId, { payer: newEvmAddress(), cents: 1n });
    expect(await find(stranger)).toEqual(held('no recorded payment'));
    // Nor does one payer's part go to the address that was named on the payment's page.
    const kindOf = () => Promise.resolve('wallet' as const);
    await giveSessionAddress({ ...scene.webContext, kindOf }, sessionId, 'ethereum', newEvmAddress());
    expect(await find(await scene.refund(sessionId, { payer: alice, cents: 1n }))).toMatchObject({
      destination: { address: alice },
    });
  });
});

describe('the address that the customer gave takes precedence', () => {
  const kindOf = () => Promise.resolve('wallet' as const);

  it('over the payer, and where no payer is known', async () => {
    for (const payers of [[newEvmAddress()], []]) {
      const refund = await paidBy(...payers);
      const own = newEvmAddress();
      await giveSessionAddress({ ...scene.webContext, kindOf }, refund.sessionId, 'ethereum', own);
      const { id } = await db.prisma.refundAddress.findFirstOrThrow({ where: { sessionId: refund.sessionId } });
      expect(await find(refund)).toEqual({ destination: { address: own, kind: 'claim', reference: `address/${id}` } });
    }
  });

  it('but not with several payers, because it is unknown whose browser it was', async () => {
    const refund = await paidBy(newEvmAddress(), newEvmAddress());
    await giveSessionAddress({ ...scene.webContext, kindOf }, refund.sessionId, 'ethereum', newEvmAddress());
    expect(await find(refund)).toEqual(held('2 payers'));
  });

  it('with real money, goes to an address that did not pay only after the merchant confirmed it', async () => {
    const [payer, other] = [newEvmAddress(), newEvmAddress()];
    const [refund, same] = [await paidBy(payer), await paidBy(payer)];
    await giveSessionAddress({ ...scene.webContext, kindOf }, refund.sessionId, 'ethereum', other);
    await giveSessionAddress({ ...scene.webContext, kindOf }, same.sessionId, 'ethereum', payer);
    expect(await find(same, mainnet)).toMatchObject({ destination: { address: payer, kind: 'claim' } });
    expect(await find(refund, mainnet)).toEqual({
      hold: 'address_unconfirmed',
      message: expect.stringContaining('Confirm it'),
    });
    const of = { storeId: refund.storeId, refundId: refund.id };
    await db.pool.query(
      `UPDATE refunds SET hold = 'address_unconfirmed', hold_message = '-', held_at = now() WHERE id = $1`,
      [refund.id],
    );
    await expect(
      confirmAddress({ pool: db.pool, clock: scene.clock }, { ...of, storeId: 'st_other' }),
    ).rejects.toMatchObject({ code: 'REFUND_NOT_FOUND' });
    await confirmAddress({ pool: db.pool, clock: scene.clock }, of);
    expect(await find(refund, mainnet)).toMatchObject({ destination: { address: other, kind: 'claim' } });
    await expect(confirmAddress({ pool: db.pool, clock: scene.clock }, of)).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
    });
  });

  it('only for its own network, session and refund', async () => {
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

  it('and is never paid when it is one of our addresses or not in the stored format', async () => {
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

describe('when a merchant requests an address', () => {
  const ask = (refund: DestinedRefund, storeId = refund.storeId) =>
    requestCustomerAddress({ pool: db.pool, clock: scene.context.clock }, { storeId, refundId: refund.id });

  it('the refund waits for its link, whatever payer and address were given on the payment’s page', async () => {
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

  it('the refund goes to the address that the customer names by the link', async () => {
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

  it('rejects the request for a refund that is being sent, has ended or belongs to another store', async () => {
    const [sent, ended, own] = [
      await paidBy(newEvmAddress()),
      await paidBy(newEvmAddress()),
      await paidBy(newEvmAddress()),
    ];
    await db.pool.query(
      `UPDATE refunds SET signature_requested_at = now(), destination = '0x1', destination_kind = 'payer', destination_reference = 'x' WHERE id = $1`,
      [sent.id],
    );
    await db.pool.query(`UPDATE refunds SET status = 'canceled', processed_at = now() WHERE id = $1`, [ended.id]);
    await expect(ask(sent)).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
    await expect(ask(ended)).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
    await expect(ask(own, 'st_other')).rejects.toMatchObject({ code: 'REFUND_NOT_FOUND' });
  });
});
