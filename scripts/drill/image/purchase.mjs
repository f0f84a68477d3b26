// A merchant's session that is paid on a local chain, and its refund.

import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Merchant } from '../../crash/merchant.mjs';
import { seconds } from './containers.mjs';

export async function payAndRefund({ directory, port, note }) {
  const { stores } = JSON.parse(fs.readFileSync(path.join(directory, 'sandbox.json'), 'utf8'));
  const store = Object.values(stores)[0];
  const merchant = new Merchant(`http://127.0.0.1:${port}`, store);
  const begun = Date.now();
  const session = await merchant.create({ amount: 12_34, currency: 'USD' });
  const id = session.session_id ?? session.id;
  await merchant.helper(`/checkout/sessions/${id}/pay`, { network: 'ethereum', currency: 'USDT' });
  await until('the session is completed', async () => (await merchant.read(id)).status === 'COMPLETED');
  note(`created, paid and completed a session in ${seconds(begun)}`);
  const asked = Date.now();
  const refund = await merchant.refund({
    session_id: id,
    refund_id: `drill-${asked}`,
    amount: 5_00,
    currency: 'USDT',
    reason: 'requested_by_customer',
  });
  const name = refund.refund_id ?? refund.id;
  await until('the refund succeeded', async () =>
    /succeeded|completed/i.test((await merchant.readPayment({ kind: 'refund', name })).status),
  );
  note(`refunded 5.00 of it in ${seconds(asked)}`);
}

async function until(what, isSo) {
  for (const end = Date.now() + 180_000; Date.now() < end; await sleep(500)) if (await isSo()) return;
  throw new Error(`it did not happen that ${what}`);
}
