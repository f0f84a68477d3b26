// Stores that sell, refund and are paid out on the local chains during a drill, and the wait until their work is done.

import { setTimeout as sleep } from 'node:timers/promises';
import { inDatabase, openPayouts } from '../../crash/database.mjs';
import { seeded } from '../../crash/killer.mjs';
import { Merchant } from '../../crash/merchant.mjs';
import { Refunding } from '../../crash/refunding.mjs';

/** Settings without the limits that a drill would reach; other tests cover them. */
export const WITHOUT_LIMITS = {
  REFUND_HOLD_SECONDS_TEST: '1',
  SIGNER_CENTS_PER_HOUR: '1000000000',
  SIGNER_CENTS_PER_DAY: '1000000000',
  SIGNER_PAYOUT_CENTS_PER_PAYOUT: '1000000000',
  SIGNER_PAYOUT_CENTS_PER_HOUR: '1000000000',
  SIGNER_PAYOUT_CENTS_PER_DAY: '1000000000',
  PAYOUT_ADDRESS_DELAY_SECONDS_TEST: '0',
  LOG_LEVEL: 'info',
};
const DAY_LIMIT = 1_000_000_000;
/** Finality takes a few blocks, and lapsed payments are retried after a minute or two. */
const SETTLE_LIMIT_MS = 240_000;

/**
 * A store that sells, refunds and is paid out on each network.
 * @param {{ networks: string[], description: any, webs: string[], wallets: Record<string, any>, dataDir: string, random: () => number }} given
 */
export async function openSides({ networks, description, webs, wallets, dataDir, random }) {
  await inDatabase(dataDir, (query) => query('UPDATE stores SET refund_day_limit = $1', [DAY_LIMIT]));
  const sides = {};
  for (const [n, network] of networks.entries()) {
    const merchant = new Merchant(webs, description.stores[n % description.stores.length]);
    const wallet = wallets[network];
    const { address } = wallet.network.payer;
    const stored = address.startsWith('0x') ? address.toLowerCase() : address;
    await openPayouts(dataDir, { storeId: merchant.store.id, network, address: stored });
    const before = {};
    for (const currency of Object.keys(wallet.network.tokens))
      before[currency] = await wallet.balance(currency, address);
    const given = { network, merchant, wallet, dataDir, random: seeded(Math.floor(random() * 2 ** 31)) };
    sides[network] = { refunding: new Refunding(given), merchant, wallet, before };
  }
  return sides;
}

/**
 * Waits until no work is left, or the time is up; returns the remaining work. With several workers the leases of refunds and payouts must
 * run out by themselves: each would take them from the others for ever. `isShared` says so.
 */
export async function settled(dataDir, { isShared = true } = {}) {
  for (const end = Date.now() + SETTLE_LIMIT_MS; ; await sleep(1000)) {
    const open = await inDatabase(dataDir, (query) =>
      query(
        `SELECT concat_ws(' ', refund_id, status, hold, hold_message) AS what FROM refunds WHERE status IN ('pending', 'processing')
         UNION ALL SELECT concat_ws(' ', payout_id, status, hold, hold_message) FROM payouts WHERE status IN ('pending', 'processing')
         UNION ALL SELECT concat('delivery of event ', event_id) FROM deliveries WHERE status = 'pending'`,
      ),
    );
    if (open.length === 0 || Date.now() > end) return open.map(({ what }) => what);
    await inDatabase(dataDir, async (query) => {
      await query(`UPDATE deliveries SET next_at = now() WHERE status = 'pending' AND next_at > now()`);
      for (const table of isShared ? [] : ['refunds', 'payouts'])
        await query(`UPDATE ${table} SET next_at = now() WHERE status = 'processing' AND hold IS NOT NULL`);
    });
  }
}
