// The steps that need a key or the signer. A process that has neither leaves them to others.

import { sendingOptions, type ChainDeps, type FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { freezeStep, signerOf } from '@/lib/installation/freeze/step';
import { openBalanceReader } from '@/lib/networks/families/clients';
import { balanceStep } from '@/lib/ledger/reconciliation/balances/step';
import { proofStep } from '@/lib/ledger/proofs/step';
import { coldSignerAt, coldStep } from '@/lib/cold-storage/step';
import { announceStep } from '@/lib/payouts/addresses/announce';
import { scheduleStep, signerAt } from '@/lib/payouts/schedules/step';
import { openNewForwarders } from '@/lib/sweeps/tron/new-forwarders';
import { addressSource } from '@/lib/treasury/wallets/open-address-source';
import { fillAddressPool } from '@/lib/treasury/wallets/address-pool';
import type { NamedStep } from './named-step';

/** A session past its expiry ends only after its balances were read. One request reads the balances of many sessions. */
const BALANCES_MILLISECONDS = 2000;
/** While no session is pending, only the daily comparison is left. */
const QUIET_BALANCES_MILLISECONDS = 300_000;
/** An operator who uses the freeze switch should not wait (lib/installation/freeze). */
const FREEZE_MILLISECONDS = 300;
/** The age of the signer's state in the console while nothing is paid. A freeze request ends the quiet at once. */
const QUIET_FREEZE_MILLISECONDS = 30_000;
/** How soon the owners of a store are mailed about a new payout address. Its delay begins then. */
const PAYOUT_ADDRESSES_MILLISECONDS = 5000;
/** How soon a payout is requested after its period started, or its balance reached the threshold. */
const [SCHEDULES_MILLISECONDS, QUIET_SCHEDULES_MILLISECONDS] = [5000, 30_000];
/** How soon excess of the refund wallet is noticed. Its balance is read every few minutes. */
const [COLD_MILLISECONDS, QUIET_COLD_MILLISECONDS] = [5000, 300_000];
/** How soon a proof of reserves is begun, and continued once the watcher has read up to the wallets. */
const [PROOF_MILLISECONDS, QUIET_PROOF_MILLISECONDS] = [5000, 30_000];
const POOL_MILLISECONDS = 1000;

/** Without EVIDENCE_KEY a re-scan could store nothing, so this process neither checks balances nor watches. */
export function balanceSteps(
  context: ChainDeps & Pick<Context, 'config'>,
  chains: readonly FollowedChain[],
): NamedStep[] {
  if (!context.config.EVIDENCE_KEY) return [];
  return chains.map((chain) => {
    const options = sendingOptions(context.config, context, chain, 'proof');
    const reader = openBalanceReader({ ...options, forCompleteness: true });
    const name = `balances ${chain.environment} ${chain.network}`;
    const [everyMilliseconds, quietMilliseconds] = [BALANCES_MILLISECONDS, QUIET_BALANCES_MILLISECONDS];
    return { name, run: balanceStep(chain, reader), everyMilliseconds, quietMilliseconds };
  });
}

/** Only a process that can reach the signer knows whether it is frozen. */
export function freezeSteps(config: Context['config']): NamedStep[] {
  const signer = signerOf(config);
  return signer
    ? [
        {
          name: 'freeze switch',
          run: freezeStep(signer),
          everyMilliseconds: FREEZE_MILLISECONDS,
          quietMilliseconds: QUIET_FREEZE_MILLISECONDS,
        },
      ]
    : [];
}

/** Only a process with the key can announce an address. */
export function payoutSteps({ EVIDENCE_KEY: key }: Context['config']): NamedStep[] {
  if (!key) return [];
  const everyMilliseconds = PAYOUT_ADDRESSES_MILLISECONDS;
  return [{ name: 'announce payout addresses', run: announceStep(key), everyMilliseconds }];
}

/** Only a process that can reach the signer knows which payouts it has signed. */
export function scheduleSteps({ SIGNER_SOCKET: socket }: Context['config']): NamedStep[] {
  if (!socket) return [];
  const run = scheduleStep(signerAt(socket));
  const [everyMilliseconds, quietMilliseconds] = [SCHEDULES_MILLISECONDS, QUIET_SCHEDULES_MILLISECONDS];
  return [{ name: 'request scheduled payouts', run, everyMilliseconds, quietMilliseconds }];
}

/** Only a process that can reach the signer knows which cold wallets it has pinned. */
export function coldSteps(config: Context['config']): NamedStep[] {
  const { SIGNER_SOCKET: socket } = config;
  if (!socket || config.REFUND_WALLET_LEVELS.length === 0) return [];
  const run = coldStep(config, coldSignerAt(socket));
  const [everyMilliseconds, quietMilliseconds] = [COLD_MILLISECONDS, QUIET_COLD_MILLISECONDS];
  return [{ name: 'request cold transfers', run, everyMilliseconds, quietMilliseconds }];
}

/** Only a process with the key can sign a proof, and only the signer names the refund wallets. */
export function proofSteps(
  context: ChainDeps & Pick<Context, 'config'>,
  chains: readonly FollowedChain[],
): NamedStep[] {
  const { EVIDENCE_KEY: evidenceKey, SIGNER_SOCKET: socket } = context.config;
  if (!evidenceKey || !socket) return [];
  const run = proofStep(context, chains, { evidenceKey, socket });
  const [everyMilliseconds, quietMilliseconds] = [PROOF_MILLISECONDS, QUIET_PROOF_MILLISECONDS];
  // An operator may have asked for one.
  return [{ name: 'prove the reserves', run, everyMilliseconds, quietMilliseconds, isBeside: true }];
}

/** A process without a signer and without public keys, like the web process under `npm start`, leaves the pool to the worker. */
export function addressSteps(
  context: ChainDeps & Pick<Context, 'config'>,
  chains: readonly FollowedChain[],
): NamedStep[] {
  const { config } = context;
  if (!config.SIGNER_SOCKET && !config.WATCH_ONLY_EVM_XPUB) return [];
  const run = fillAddressPool(addressSource(config), openNewForwarders(context, chains));
  return [{ name: 'fill the address pool', run, everyMilliseconds: POOL_MILLISECONDS }];
}
