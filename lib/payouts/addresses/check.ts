// The checks of a typed payout address: those of a refund address, and that it is none of this installation's wallets. A contract needs an
// explicit confirmation, because some wallets are contracts and most contracts cannot return what they receive.

import { FAMILIES } from '@/lib/networks/families/family';
import { allFactories, forwarderFactories } from '@/lib/networks/families/tron/sweeping/factories';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { RecipientRefusal } from '@/lib/networks/recipients/recipient';
import { presentedNetworks } from '@/lib/networks/registry';
import { treasuryWallets } from '@/lib/networks/treasury-wallets';
import { coldWallets } from '@/lib/networks/wallet-levels';
import type { Db } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import { checkAddress } from '@/lib/refunds/customer-address/check';
import type { AddressContext } from '@/lib/refunds/customer-address/kind';

export type TypedPayoutAddress = {
  readonly environment: Environment;
  readonly network: string;
  readonly typed: string;
  readonly isContractConfirmed: boolean;
};

export type CheckedPayoutAddress =
  | { readonly address: string; readonly isContract: boolean }
  | { readonly refused: RecipientRefusal | { readonly code: 'contract' } };

/**
 * The address in its stored form, or why it cannot be a payout address. Throws INVALID_PARAMETER for an unknown network, and
 * SERVICE_UNAVAILABLE when the chain does not report whether the address is a contract.
 */
export async function checkPayoutAddress(
  context: AddressContext,
  given: TypedPayoutAddress,
): Promise<CheckedPayoutAddress> {
  const { environment, network, typed } = given;
  const spec = payoutNetwork(context.config, environment, network);
  const checked = await checkAddress(context, { environment, network, typed, takesContracts: true });
  if ('refused' in checked) return checked;
  const { address, isContract } = checked;
  if (isNamed(context.config, spec, address) || (await isWallet(context.pool, address)))
    return { refused: { code: 'ours' } };
  if (isContract && !given.isContractConfirmed) return { refused: { code: 'contract' } };
  return { address, isContract };
}

/** Throws INVALID_PARAMETER for a network that this installation does not have. */
export function payoutNetwork(
  config: AddressContext['config'],
  environment: Environment,
  network: string,
): NetworkSpec {
  const spec = networkSpec(environment, network, config.TEST_CHAINS);
  if (spec && presentedNetworks(config).includes(network)) return spec;
  const message = 'network must be one of the networks of this installation.';
  throw new ServiceError('INVALID_PARAMETER', { param: 'network', message });
}

type Settings = AddressContext['config'];

/** Whether the settings name it as a wallet or contract of the installation. The key of a wallet is the same on all networks of a family. */
function isNamed(config: Settings, { family }: NetworkSpec, address: string): boolean {
  const wallets = [...treasuryWallets(config.TREASURY_WALLETS), ...coldWallets(config.COLD_WALLETS)];
  return (
    wallets.some((one) => one.spec.family === family && FAMILIES[family].storedAddress(one.address) === address) ||
    (family === 'tron' && allFactories(forwarderFactories(config.TRON_FORWARDERS)).includes(address))
  );
}

/** Whether the worker knows it as a wallet of the signer or the operator, or as a contract of sweeps. */
async function isWallet(db: Db, address: string): Promise<boolean> {
  const { rows } = await db.query<{ own: boolean }>({
    name: 'payout-address-is-wallet',
    text: `SELECT EXISTS (SELECT FROM wallet_balances WHERE lower(address) = lower($1))
             OR EXISTS (SELECT FROM own_wallets WHERE lower(address) = lower($1))
             OR EXISTS (SELECT FROM treasury_balances WHERE lower(address) = lower($1))
             OR EXISTS (SELECT FROM sweep_states WHERE lower($1) IN (lower(treasury), lower(sponsor), lower(delegate))
                  OR lower($1) = ANY (SELECT lower(former) FROM unnest(former_delegates) AS former)) AS own`,
    values: [address],
  });
  return rows[0]?.own === true;
}
