// What operators learn about the wallets of the installation: tokens whose issuer blocks one, and changed permissions. Reads only.

import type { NetworkSpec } from '@/lib/networks/networks';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { WALLET_ROLES, type WalletRole } from './list';
import { changedPermission, type PermissionChange, type Permissions } from './permissions';

export type WalletWarning = {
  readonly environment: Environment;
  readonly network: string;
  readonly address: string;
  /** The most important one. */
  readonly role: WalletRole;
  /** Currencies. */
  readonly blocked: readonly string[];
  readonly change: PermissionChange | null;
  /** The changed permissions as they are now. */
  readonly permissions: Permissions;
};

type Row = {
  environment: Environment;
  network: string;
  address: string;
  role: string;
  blocked: string[];
  change: string | null;
  permissions: Permissions | null;
};

/** The warnings of the networks that are followed. */
export async function readWalletWarnings(db: Db, specs: readonly NetworkSpec[]): Promise<readonly WalletWarning[]> {
  const { rows } = await db.query<Row>({
    name: 'own-wallet-warnings',
    text: `SELECT environment, network, address, roles[1] AS role, blocked, change, permissions FROM own_wallets
           WHERE gone_at IS NULL AND (blocked <> '{}' OR change IS NOT NULL) ORDER BY environment, network, address`,
    values: [],
  });
  return rows
    .filter((row) => specs.some((spec) => spec.environment === row.environment && spec.network === row.network))
    .map(({ role, change, permissions, ...row }) => {
      const changed = change === 'owner' || change === 'active' ? change : null;
      return {
        ...row,
        role: WALLET_ROLES.find((one) => one === role) ?? 'refund',
        change: changed,
        permissions: changed && permissions ? changedPermission(changed, permissions) : [],
      };
    });
}
