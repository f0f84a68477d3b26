// The statements of the table of own wallets. One row per wallet and network; several workers may write it at once.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { OwnWallet } from './list';
import type { PermissionChange, Permissions } from './permissions';

export type Place = { readonly environment: Environment; readonly network: string };
export type WalletPlace = Place & { readonly address: string };

/**
 * Stores the wallets of a network. Others are gone only if the list is whole, which takes the signer's answer. They keep what was accepted of
 * them, so that a worker with other settings does not make the next reading the accepted one.
 */
export async function storeWallets(
  db: Db,
  { environment, network }: Place,
  { wallets, isWhole, now }: { readonly wallets: readonly OwnWallet[]; readonly isWhole: boolean; readonly now: Date },
): Promise<void> {
  const [addresses, roles] = [wallets.map(({ address }) => address), wallets.map((one) => one.roles.join(','))];
  await db.query({
    name: 'own-wallets-store',
    // An upsert locks each row before it compares, so known wallets are left out.
    text: `INSERT INTO own_wallets AS w (environment, network, address, roles)
           SELECT $1::"Environment", $2, one.address, string_to_array(one.roles, ',') FROM unnest($3::text[], $4::text[]) AS one (address, roles)
           WHERE NOT EXISTS (SELECT FROM own_wallets k WHERE k.environment = $1::"Environment" AND k.network = $2 AND k.address = one.address
             AND k.gone_at IS NULL AND (NOT $5 OR k.roles = string_to_array(one.roles, ',')))
           ON CONFLICT (environment, network, address) DO UPDATE SET gone_at = NULL,
             roles = CASE WHEN $5 THEN EXCLUDED.roles ELSE w.roles END
           WHERE w.gone_at IS NOT NULL OR ($5 AND w.roles <> EXCLUDED.roles)`,
    values: [environment, network, addresses, roles, isWhole],
  });
  if (!isWhole) return;
  await db.query({
    name: 'own-wallets-gone',
    text: `UPDATE own_wallets SET gone_at = $4
           WHERE environment = $1::"Environment" AND network = $2 AND address <> ALL ($3::text[]) AND gone_at IS NULL`,
    values: [environment, network, addresses, now],
  });
}

export type StoredWallet = {
  readonly address: string;
  readonly blocked: readonly string[];
  readonly askedAt: Date | null;
  readonly permissionsAt: Date | null;
  readonly accepted: Permissions | null;
};

export async function readWallets(db: Db, { environment, network }: Place): Promise<readonly StoredWallet[]> {
  const { rows } = await db.query<StoredWallet>({
    name: 'own-wallets-read',
    text: `SELECT address, blocked, asked_at AS "askedAt", permissions_at AS "permissionsAt", accepted
           FROM own_wallets WHERE environment = $1::"Environment" AND network = $2`,
    values: [environment, network],
  });
  return rows;
}

/** `at`: when all issuers answered; null leaves the former time. */
export async function storeBlocks(
  db: Db,
  { environment, network, address }: WalletPlace,
  { blocked, at }: { readonly blocked: readonly string[]; readonly at: Date | null },
): Promise<void> {
  await db.query({
    name: 'own-wallets-blocks',
    text: `UPDATE own_wallets SET blocked = $4, asked_at = coalesce($5, asked_at)
           WHERE environment = $1::"Environment" AND network = $2 AND address = $3`,
    values: [environment, network, address, blocked, at],
  });
}

/** A change keeps the time at which it was first seen. */
export async function storePermissions(
  db: Db,
  { environment, network, address }: WalletPlace,
  read: {
    readonly permissions: Permissions;
    readonly accepted: Permissions | null;
    readonly change: PermissionChange | null;
    readonly at: Date;
  },
): Promise<void> {
  const { permissions, accepted, change, at } = read;
  await db.query({
    name: 'own-wallets-permissions',
    text: `UPDATE own_wallets SET permissions = $4::jsonb, accepted = $5::jsonb, change = $6, permissions_at = $7,
             changed_at = CASE WHEN $6::text IS NOT NULL THEN CASE WHEN permissions = $4::jsonb THEN coalesce(changed_at, $7) ELSE $7 END END
           WHERE environment = $1::"Environment" AND network = $2 AND address = $3`,
    values: [
      environment,
      network,
      address,
      JSON.stringify(permissions),
      accepted === null ? null : JSON.stringify(accepted),
      change,
      at,
    ],
  });
}

/**
 * Whether an operator has acknowledged the alarm about a change of this wallet after it was seen. The alarm is named as in
 * lib/installation/alarms/wallets.ts.
 */
export async function isChangeAcknowledged(db: Db, { environment, network, address }: WalletPlace): Promise<boolean> {
  const { rows } = await db.query<{ acknowledged: boolean }>({
    name: 'own-wallets-acknowledged',
    text: `SELECT EXISTS (SELECT FROM own_wallets w JOIN alarms a ON a.kind = 'wallet_permissions'
             AND a.subject = w.environment || ' ' || w.network || ' ' || w.change || ' ' || w.roles[1]
           WHERE w.environment = $1::"Environment" AND w.network = $2 AND w.address = $3 AND a.closed_at IS NULL
             AND a.acknowledged_at > w.changed_at) AS acknowledged`,
    values: [environment, network, address],
  });
  return rows[0]?.acknowledged === true;
}
