// The money of a session as reading and listing return it, through both HTTP adapters.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refundException, acceptException } from '@/lib/payments/exceptions/decide';
import type { ExceptionActor } from '@/lib/payments/exceptions/read';
import { ADAPTERS, openContract, REFUNDS, SESSIONS, type Client, type Contract } from '@/testing/contract-client';
import { addPayment } from '@/testing/payments/payment-row';
import { openSettledSessions } from '@/testing/payments/settled-session';

const MONEY = ['amount_received', 'amount_refundable', 'refunded_amount', 'payments'];
const PAYER = '0x52908400098527886E0F7030069857D2E4169EE7';
const REFUND_DAYS = 180;

let contract: Contract;
let world: ReturnType<typeof openSettledSessions>;
let by: ExceptionActor;

beforeAll(async () => {
  contract = await openContract();
  world = openSettledSessions(contract.db, contract.clock, contract.chains);
  const { storeId } = contract.store;
  const { ownerId } = await contract.db.prisma.store.findUniqueOrThrow({ where: { id: storeId } });
  by = { kind: 'merchant', userId: ownerId, storeId };
});
afterAll(() => contract.close());

describe.each(ADAPTERS)('through %s', (adapter) => {
  let merchant: Client;
  beforeAll(() => {
    merchant = contract.client(adapter);
  });
  const read = async (id: string) => (await merchant.get(`${SESSIONS}/${id}`)).json;
  const create = async (over: object = {}) =>
    (await merchant.create({ amount: 4250, currency: 'USDT', expires_in: 3600, ...over })).json.id as string;
  /** A final payment, settled. */
  async function pay(id: string, cents: number, over: { network?: string; currency?: string } = {}) {
    await world.transfer(id, { cents, time: contract.now(), payer: PAYER.toLowerCase(), ...over });
    await world.settle(id);
  }
  const caseOf = async (id: string) => String((await world.casesOf(id))[0]?.id);

  test('creating and cancelling respond without it', async () => {
    const { json } = await merchant.create();
    const canceled = await merchant.post(`${SESSIONS}/${json.id}/cancel`, {});
    for (const field of MONEY) {
      expect(json).not.toHaveProperty(field);
      expect(canceled.json).not.toHaveProperty(field);
    }
  });

  test('an unpaid session has received nothing', async () => {
    expect(await read(await create())).toMatchObject({
      amount_received: 0,
      amount_refundable: 0,
      refunded_amount: 0,
      payments: [],
    });
  });

  test('a pending session with 21.25 of 42.50 has received 2125, and none of it is refundable', async () => {
    const id = await create();
    await pay(id, 2125);
    const session = await read(id);
    expect(session).toMatchObject({
      status: 'PENDING',
      amount_received: 2125,
      amount_refundable: 0,
      refunded_amount: 0,
    });
    expect(session.payments).toEqual([
      {
        network: 'ethereum',
        currency: 'USDT',
        amount: 2125,
        sender: PAYER,
        transaction_hash: expect.stringMatching(/^0x/),
        block_time: contract.now(),
        state: 'final',
      },
    ]);
  });

  test('a session that was paid on two networks shows both payments, and a refund lowers what is refundable', async () => {
    const id = await create();
    await pay(id, 4000);
    await pay(id, 250, { network: 'bsc' });
    const paid = await read(id);
    expect(paid).toMatchObject({
      status: 'COMPLETED',
      amount_received: 4250,
      amount_refundable: 4250,
      refunded_amount: 0,
    });
    const shown = paid.payments.map(({ network, amount }: { network: string; amount: number }) => [network, amount]);
    expect(shown.toSorted()).toEqual([
      ['bsc', 250],
      ['ethereum', 4000],
    ]);

    const refund_id = `r-${id}`;
    const asked = { session_id: id, refund_id, amount: 1500, currency: 'USDT' };
    expect((await merchant.post(`${REFUNDS}/create`, asked)).status).toBe(201);
    expect(await read(id)).toMatchObject({ amount_received: 4250, amount_refundable: 2750, refunded_amount: 1500 });
    const more = { ...asked, refund_id: `${refund_id}-b`, amount: 2751 };
    expect((await merchant.post(`${REFUNDS}/create`, more)).json.error.code).toBe('REFUND_AMOUNT_EXCEEDED');

    await merchant.post(`${REFUNDS}/${refund_id}/cancel`, {});
    expect(await read(id)).toMatchObject({ amount_refundable: 4250, refunded_amount: 0 });
  });

  test('a payment in the wrong token counts once it is accepted', async () => {
    const id = await create();
    await pay(id, 4250, { currency: 'USDC' });
    const exception_id = await caseOf(id);
    const open = await read(id);
    expect(open).toMatchObject({ status: 'PENDING', amount_received: 0, amount_refundable: 0 });
    expect(open.payments).toMatchObject([{ currency: 'USDC', amount: 4250, state: 'final', exception_id }]);
    await acceptException(contract.services, { caseId: exception_id, by });
    expect(await read(id)).toMatchObject({ status: 'COMPLETED', amount_received: 4250, amount_refundable: 4250 });
  });

  test('a surplus is received until it is returned, and is never refundable', async () => {
    const id = await create();
    await pay(id, 5000);
    expect(await read(id)).toMatchObject({ amount_received: 5000, amount_refundable: 4250, refunded_amount: 0 });
    await refundException(contract.services, { caseId: await caseOf(id), by });
    expect(await read(id)).toMatchObject({ amount_received: 4250, amount_refundable: 4250, refunded_amount: 0 });
  });

  test('a payment below finality is shown and counts for nothing; less than a cent and removed payments are not shown', async () => {
    const id = await create();
    const time = contract.now();
    await addPayment(contract.db, id, { table: 'unconfirmed_transfers', amount: 21_250_000, time });
    await addPayment(contract.db, id, { table: 'unconfirmed_transfers', amount: 9_999, time });
    const session = await read(id);
    expect(session).toMatchObject({ amount_received: 0, payments: [{ amount: 2125, state: 'seen' }] });
    await contract.db.pool.query('UPDATE unconfirmed_transfers SET orphaned_at = now() WHERE session_id = $1', [id]);
    expect((await read(id)).payments).toEqual([]);
  });

  test('the list shows each session as a read of it does', async () => {
    const id = await create();
    await pay(id, 2125);
    const { json } = await merchant.get(SESSIONS);
    expect(json.data.find((one: { id: string }) => one.id === id)).toEqual(await read(id));
  });

  test('nothing is refundable after the store’s time for refunds', async () => {
    const id = await create();
    await pay(id, 4250);
    contract.clock.advance(REFUND_DAYS * 86_400);
    expect(await read(id)).toMatchObject({ amount_refundable: 4250 });
    contract.clock.advance(1);
    expect(await read(id)).toMatchObject({ amount_received: 4250, amount_refundable: 0 });
  });
});
