// The address that a store is paid at: announced by the worker, past its delay and not stopped. Only a process with EVIDENCE_KEY can say
// which one that is.

import type { MacKeys } from '@/lib/platform/crypto';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { isAnnounced, type AnnouncedAddress } from './notice-mac';

export type PayableRequest = {
  readonly storeId: string;
  readonly environment: Environment;
  readonly network: string;
  readonly now: Date;
};

/** `waiting`: when the first announced address of the store becomes payable. */
export type PayableAddress = { readonly id: string; readonly address: string } | { readonly waiting: Date } | null;

/** More than a store ever has in use. The bound keeps forged rows from making the search slow. */
const MAX_READ = 200;

type Row = {
  readonly id: string;
  readonly store_id: string;
  readonly environment: Environment;
  readonly network: string;
  readonly address: string;
  readonly pay_after: Date;
  readonly notice_mac: Buffer;
};

/**
 * The newest payable address of a store on a network. While a newer one waits, the former one stays in use. Null when the worker has
 * announced none that is not stopped.
 */
export async function payableAddress(db: Db, key: MacKeys, requested: PayableRequest): Promise<PayableAddress> {
  const { storeId, environment, network, now } = requested;
  const announced = await readAnnounced(db, key, { storeId, environment, network });
  const found = announced.find(({ payAfter }) => payAfter <= now);
  if (found) return { id: found.id, address: found.address };
  const first = announced.at(-1);
  return first ? { waiting: first.payAfter } : null;
}

/** When the last of a store's announced addresses becomes payable; null when there is none. */
export async function lastPayAfter(db: Db, key: MacKeys, of: Omit<PayableRequest, 'now'>): Promise<Date | null> {
  return (await readAnnounced(db, key, of))[0]?.payAfter ?? null;
}

/** The announced addresses of a store on a network that are not stopped, the last one to become payable first. */
async function readAnnounced(
  db: Db,
  key: MacKeys,
  { storeId, environment, network }: Omit<PayableRequest, 'now'>,
): Promise<readonly AnnouncedAddress[]> {
  // Ordered by the announced time, because the MAC does not cover created_at.
  const { rows } = await db.query<Row>({
    name: 'payable-address',
    text: `SELECT id, store_id, environment, network, address, pay_after, notice_mac FROM payout_addresses
           WHERE store_id = $1 AND environment = $2::"Environment" AND network = $3 AND stopped_at IS NULL
             AND pay_after IS NOT NULL AND notice_mac IS NOT NULL
           ORDER BY pay_after DESC, created_at DESC, id DESC LIMIT ${MAX_READ}`,
    values: [storeId, environment, network],
  });
  return rows.flatMap((row) => verified(key, row) ?? []);
}

/**
 * An address by its id, with the same verification: announced by the worker and not stopped. The caller compares `payAfter` with the
 * time. Null for any other.
 */
export async function addressById(db: Db, key: MacKeys, id: string): Promise<AnnouncedAddress | null> {
  const { rows } = await db.query<Row>({
    name: 'payout-address-by-id',
    text: `SELECT id, store_id, environment, network, address, pay_after, notice_mac FROM payout_addresses
           WHERE id = $1 AND stopped_at IS NULL AND pay_after IS NOT NULL AND notice_mac IS NOT NULL`,
    values: [id],
  });
  return rows[0] ? verified(key, rows[0]) : null;
}

function verified(key: MacKeys, row: Row): AnnouncedAddress | null {
  const { id, store_id: storeId, environment, network, address, pay_after: payAfter, notice_mac: mac } = row;
  const announced = { id, storeId, environment, network, address, payAfter };
  return isAnnounced(key, announced, mac) ? announced : null;
}
