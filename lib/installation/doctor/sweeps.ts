// The doctor's findings about sweeps: whether the signer sweeps the networks of TREASURY_WALLETS, to the same wallets, and from the same
// contracts of forwarders. Pure.

import { FAMILIES } from '@/lib/networks/families/family';
import {
  presentTreasuries,
  resolveTreasuries,
  treasuryWallets,
  type ResolvedTreasury,
} from '@/lib/networks/treasury-wallets';
import type { Config } from '@/lib/platform/config/config';
import type { SignerState } from '@/lib/signer/client';
import type { Finding } from './findings';
import { forwarderFindings } from './forwarders';

const check = 'sweeps';
const DIRECT = 'Name the merchant’s own wallet of each network in TREASURY_WALLETS, or remove DIRECT_SETTLEMENT.';
const SAME = 'Give the signer the same wallets in SIGNER_TREASURY_WALLETS, and restart the signer and the worker.';

/** Nothing when neither the service nor the signer has a treasury wallet. */
export function sweepFindings(
  {
    DIRECT_SETTLEMENT,
    TREASURY_WALLETS,
    TRON_FORWARDERS,
  }: Pick<Config, 'DIRECT_SETTLEMENT' | 'TREASURY_WALLETS' | 'TRON_FORWARDERS'>,
  { sweeps = [], wallets: refundWallets, limits }: Pick<SignerState, 'sweeps' | 'wallets' | 'limits'>,
): readonly Finding[] {
  const wallets = resolveTreasuries(presentTreasuries(treasuryWallets(TREASURY_WALLETS)), refundWallets);
  const named = wallets.map(({ spec, address }) => ({
    name: `${spec.network}@${spec.chain}`,
    family: spec.family,
    address,
  }));
  const missing = named.filter(({ name }) => !sweeps.some(({ network }) => network === name));
  const different = named.filter(({ name, family, address }) =>
    sweeps.some(({ network, treasury }) => network === name && FAMILIES[family].storedAddress(treasury) !== address),
  );
  const unnamed = sweeps.filter(({ network }) => !named.some(({ name }) => name === network));
  const swept = named.filter((one) => !missing.includes(one) && !different.includes(one));
  return [
    ...(DIRECT_SETTLEMENT ? [...directFindings(wallets), ...payoutFindings(limits)] : []),
    ...missing.map(({ name }) =>
      finding('warn', `TREASURY_WALLETS names ${name}, but the signer sweeps nothing there`),
    ),
    ...different.map(({ name }) =>
      finding('fail', `${name}: TREASURY_WALLETS and the signer name different wallets, so nothing is swept`),
    ),
    ...unnamed.map(({ network }) =>
      finding(
        'fail',
        `${network}: the signer has a treasury wallet and TREASURY_WALLETS has none, so nothing is swept`,
      ),
    ),
    ...(swept.length === 0
      ? []
      : [
          {
            check,
            state: 'ok',
            message: `to the same wallets as the signer: ${swept.map(({ name }) => name).join(', ')}`,
          } as const,
        ]),
    ...forwarderFindings({ TRON_FORWARDERS }, { sweeps }),
  ];
}

/** With direct settlement nothing is paid out, so money must not go to a wallet that only payouts empty. */
function directFindings(wallets: readonly ResolvedTreasury[]): readonly Finding[] {
  if (wallets.length === 0)
    return [
      { ...finding('fail', 'DIRECT_SETTLEMENT is on without TREASURY_WALLETS: no money goes out'), todo: DIRECT },
    ];
  return wallets
    .filter(({ isRefundWallet }) => isRefundWallet)
    .map(({ spec }) => ({
      ...finding('fail', `${spec.network}@${spec.chain}: DIRECT_SETTLEMENT is on, but sweeps go to the refund wallet`),
      todo: DIRECT,
    }));
}

/** If the setting is ever lost, only these limits keep what the merchant has already received from being paid out again. */
function payoutFindings({ payouts }: SignerState['limits']): readonly Finding[] {
  if (BigInt(payouts?.perRefund ?? 0) === 0n) return [];
  const todo =
    'Remove SIGNER_PAYOUT_CENTS_PER_PAYOUT, _PER_HOUR and _PER_DAY from the settings of the signer, and restart it.';
  return [{ ...finding('fail', 'DIRECT_SETTLEMENT is on, but the signer would sign payouts'), todo }];
}

const finding = (state: 'warn' | 'fail', message: string): Finding => ({ check, state, message, todo: SAME });
