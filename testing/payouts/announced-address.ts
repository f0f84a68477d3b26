// A payout address that the worker has announced to the merchant, whose delay ends at a given time.

import { randomUUID } from 'node:crypto';
import type { Pool } from '@/lib/platform/database/db';
import { noticeMac } from '@/lib/payouts/addresses/notice-mac';
import { newPayoutAddressId } from '@/lib/platform/ids';
import { evidenceKey } from '@/testing/signer/signer-scene';

type Announced = {
  readonly storeId: string;
  readonly network: string;
  readonly address: string;
  /** When its delay ends. */
  readonly payAfter: Date;
};

export async function announcedAddress(pool: Pool, given: Announced): Promise<string> {
  const announced = { ...given, id: newPayoutAddressId(), environment: 'test' } as const;
  const { id, storeId, network, address, payAfter } = announced;
  await pool.query(
    `INSERT INTO payout_addresses (id, store_id, environment, network, address, created_at, created_by, mailed_at, pay_after,
       notice_mac, stop_hash) VALUES ($1, $2, 'test', $3, $4, $5, $6, $7, $5, $8, $9)`,
    [
      ...[id, storeId, network, address, payAfter, randomUUID(), new Date(0)],
      ...[noticeMac(evidenceKey, announced), Buffer.from(id)],
    ],
  );
  return id;
}
