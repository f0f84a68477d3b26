// Opens what `npm run cold` needs by the worker's settings: the followed networks with their endpoints, the cold wallets and the signer.
// Bundled for scripts/stabletill/cold.mjs.

import { setTimeout as sleep } from 'node:timers/promises';
import { FAMILIES } from '@/lib/networks/families/family';
import { openChains, type FollowedChain } from '@/lib/networks/registry';
import { coldWallets, isSameChain, walletLevels } from '@/lib/networks/wallet-levels';
import { systemClock } from '@/lib/platform/clock';
import { readConfig, type Config } from '@/lib/platform/config/config';
import { openPool } from '@/lib/platform/database/db';
import type { Context } from '@/lib/platform/context';
import { openLog } from '@/lib/platform/log';
import { SignerClient, type SignerState } from '@/lib/signer/client';
import { runCold, type ColdDeps } from './command';
import type { ReturnWallets } from './draft';
import { ReturnRefused } from './refusal';
import { openReturns } from './step';

const PAUSE_MILLISECONDS = 3000;

type Machine = Pick<ColdDeps, 'print' | 'readFile' | 'writeNew' | 'ask'> & {
  readonly environment: Record<string, string | undefined>;
};

/** Runs one command and returns the exit code. Throws an Error for unusable settings. */
export async function runColdCommand(words: readonly string[], { environment, ...machine }: Machine): Promise<number> {
  const config = readConfig(environment);
  const pool = openPool(config.DATABASE_URL, 2);
  const context = { pool, clock: systemClock, log: openLog('worker', 'silent'), config };
  try {
    const networks = coldNetworks(context);
    return await runCold(words, { ...context, ...machine, networks, pause: () => sleep(PAUSE_MILLISECONDS) });
  } finally {
    await pool.end();
  }
}

/** The followed networks. A command opens their endpoints and the signer when it needs them. */
export function coldNetworks(context: Pick<Context, 'pool' | 'clock' | 'log' | 'config'>): ColdDeps['networks'] {
  const { config } = context;
  const levels = walletLevels(config.REFUND_WALLET_LEVELS);
  return openChains(config, context).map((chain) => {
    const open = openReturns(context, chain);
    return {
      environment: chain.environment,
      network: chain.network,
      open: () => open(context),
      wallets: () => walletsOf(config, chain),
      levels: levels.filter((one) => isSameChain(one.spec, chain.spec)),
    };
  });
}

async function walletsOf(config: Config, chain: FollowedChain): Promise<ReturnWallets> {
  if (!config.SIGNER_SOCKET) throw new ReturnRefused('SIGNER_SOCKET is not set: the signer names the refund wallet.');
  return walletsBy(config.COLD_WALLETS, chain, await new SignerClient(config.SIGNER_SOCKET).state());
}

/** The cold wallet that the settings and the signer agree on, and the signer's refund wallet. Throws ReturnRefused. */
export function walletsBy(
  entries: Config['COLD_WALLETS'],
  { environment, spec }: Pick<FollowedChain, 'environment' | 'spec'>,
  { wallets, coldWallets: pinned = {} }: Pick<SignerState, 'wallets' | 'coldWallets'>,
): ReturnWallets {
  const name = `${spec.network}@${spec.chain}`;
  const { storedAddress } = FAMILIES[spec.family];
  const cold = coldWallets(entries).find((one) => isSameChain(one.spec, spec));
  if (!cold) throw new ReturnRefused(`COLD_WALLETS names no cold wallet of ${name}.`);
  const signers = pinned[name];
  if (signers === undefined || storedAddress(signers) !== cold.address)
    throw new ReturnRefused(`The signer has pinned another cold wallet of ${name} than COLD_WALLETS, or none.`);
  return { cold: cold.address, refund: storedAddress(wallets[environment][spec.family]) };
}
