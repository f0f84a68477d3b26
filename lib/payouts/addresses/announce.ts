// The worker's step that announces new payout addresses: one transaction queues a mail to all owners and starts the delay. The web process
// is not trusted with this, because it could shorten the delay or leave out the mails. An address that cannot be announced is quarantined
// and delays no other one.

import { networkSpec } from '@/lib/networks/networks';
import { readRecipient } from '@/lib/networks/recipients/recipient';
import type { Context } from '@/lib/platform/context';
import { sha256, type MacKeys } from '@/lib/platform/crypto';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { eachAlone, endQuarantine, isDueAlone } from '@/lib/platform/database/quarantine';
import { newStopToken, type Environment } from '@/lib/platform/ids';
import { requestPayee } from '@/lib/screening/payment';
import { mailOwners } from './mails';
import { noticeMac } from './notice-mac';
import { lastPayAfter } from './payable';

/** Addresses that one run announces. */
const MAX_AT_ONCE = 20;

type NewAddress = {
  readonly id: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly network: string;
  readonly address: string;
  readonly isSigned: boolean;
  readonly creatorId: string;
};

/** Announces addresses that are new and not stopped. `key`: EVIDENCE_KEY. */
export const announceStep =
  (key: MacKeys) =>
  async (context: Context): Promise<{ more: boolean }> => {
    const { pool, clock } = context;
    const { rows } = await pool.query<{ id: string; storeId: string; environment: Environment; network: string }>({
      name: 'payout-addresses-new',
      text: `SELECT id, store_id AS "storeId", environment, network FROM payout_addresses p
             WHERE mailed_at IS NULL AND stopped_at IS NULL AND ${isDueAlone('payout_address', 'p.id', '$1')}
             ORDER BY created_at, id LIMIT ${MAX_AT_ONCE}`,
      values: [clock.now()],
    });
    if (rows.length === 0) return { more: false };
    const subjects = rows.map((row) => ({ kind: 'payout_address', ...row }) as const);
    const done = await eachAlone(context, 'announce payout addresses', subjects, ({ id }) =>
      announceOne(context, key, id),
    );
    await endQuarantine(pool, { kind: 'payout_address', ids: done.map(({ id }) => id), now: clock.now() });
    return { more: rows.length === MAX_AT_ONCE && done.length > 0 };
  };

async function announceOne(context: Context, key: MacKeys, id: string): Promise<void> {
  const now = context.clock.now();
  const done = await transaction(context.pool, async (tx) => {
    const found = await lockNew(tx, id);
    if (!found) return null;
    refuseUnpayable(context, found);
    const { storeId, environment, network, address, isSigned, creatorId } = found;
    const payAfter = await payAfterOf(tx, context, { key, found, now });
    const token = newStopToken();
    const mail = { kind: 'PayoutAddress', payAfter, isSigned, creatorId, token, now } as const;
    const mailed = await mailOwners(tx, context, found, mail);
    if (mailed === 0) throw new Error('no owner of the store and no operator can be mailed');
    await tx.query({
      name: 'payout-address-announced',
      text: 'UPDATE payout_addresses SET mailed_at = $2, pay_after = $3, notice_mac = $4, stop_hash = $5 WHERE id = $1',
      values: [id, now, payAfter, noticeMac(key, { ...found, payAfter }), sha256(token)],
    });
    // The answer is there long before the delay ends, and no page waits for it.
    await requestPayee(tx, context.config, { environment, network, payee: address, now });
    return { addressId: id, storeId, environment, network, address, isSigned, payAfter, mailed };
  });
  // The web process can delete the queued mails from the database, but it cannot reach the log.
  if (done) context.log.warn(done, 'a store has a new payout address, which is used after the delay');
}

/** Null when it was announced or stopped in the meantime. Two addresses of a store are announced one after the other. */
async function lockNew(tx: Tx, id: string): Promise<NewAddress | null> {
  const { rows } = await tx.query<NewAddress>({
    name: 'payout-address-lock-new',
    text: `SELECT p.id, p.store_id AS "storeId", p.environment, p.network, p.address, p.is_signed AS "isSigned",
             p.created_by AS "creatorId"
           FROM payout_addresses p JOIN stores s ON s.id = p.store_id
           WHERE p.id = $1 AND p.mailed_at IS NULL AND p.stopped_at IS NULL FOR NO KEY UPDATE OF s FOR UPDATE OF p`,
    values: [id],
  });
  return rows[0] ?? null;
}

/** The web process checked the address, but anyone who can write to the database can add a row. */
function refuseUnpayable({ config }: Pick<Context, 'config'>, { environment, network, address }: NewAddress): void {
  const spec = networkSpec(environment, network, config.TEST_CHAINS);
  if (!spec) throw new Error(`there is no network ${network} in ${environment}`);
  const read = readRecipient(spec, address);
  if ('refused' in read) throw new Error(`the address cannot be paid: ${read.refused.code}`);
  if (read.address !== address) throw new Error('the address does not have the form in which addresses are stored');
}

type Dating = { readonly key: MacKeys; readonly found: NewAddress; readonly now: Date };

/**
 * After the delay, and after every older address becomes payable: the delay may have been longer when those were announced, and the address
 * that becomes payable last is the one in use.
 */
async function payAfterOf(tx: Tx, context: Pick<Context, 'config'>, { key, found, now }: Dating): Promise<Date> {
  const { storeId, environment, network } = found;
  const delayed = new Date(now.getTime() + delayOf(context, environment) * 1000);
  const last = await lastPayAfter(tx, key, { storeId, environment, network });
  return last && last > delayed ? new Date(last.getTime() + 1) : delayed;
}

/** Seconds. */
const delayOf = ({ config }: Pick<Context, 'config'>, environment: Environment): number =>
  environment === 'live' ? config.PAYOUT_ADDRESS_DELAY_SECONDS_LIVE : config.PAYOUT_ADDRESS_DELAY_SECONDS_TEST;
