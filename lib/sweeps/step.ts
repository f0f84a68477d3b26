// The worker's steps that move money from deposit addresses to the treasury, one per network that the signer sweeps. Each follows
// what was sent and begins at most one batch. Any number of workers may run it.

import { FAMILIES } from '@/lib/networks/families/family';
import { sendingOptions, type ChainDeps, type FollowedChain, type SendingOptions } from '@/lib/networks/registry';
import {
  presentTreasuries,
  resolveTreasuries,
  treasuryWallets,
  type ResolvedTreasury,
} from '@/lib/networks/treasury-wallets';
import { ChainError } from '@/lib/networks/chain';
import { followedChain } from '@/lib/refunds/sending/follow/followed-chain';
import type { Context, Step } from '@/lib/platform/context';
import { sourcesOf } from '@/lib/screening/policy';
import { storeStake } from '@/lib/ledger/coin/stakes';
import { SignerClient, type SignerState } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { beginSweeps, signerUnavailable } from './begin';
import type { SweepFamily, Sweeping, SweepRun } from './context';
import { evmSweeps, openEvm } from './evm/family';
import { delegatesOfSettings } from './evm/former-delegates';
import { cancelSweep } from './finish';
import { isFrozen, readOpenSweeps, type Sweep } from './rows';
import { leastDelay, rulesOf } from './rules';
import type { SweepHold } from './reasons';
import { openSolana, solanaSweeps } from './solana/family';
import { blockedTokens, readState, storeHold, storeState } from './state';
import { openTron, tronSweeps } from './tron/family';
import { rentingOf } from './tron/renting';

const [LOCAL_MILLISECONDS, PUBLIC_MILLISECONDS] = [1000, 15_000];
/** While nothing is sent. Money waits for its sweep for hours anyway. */
const QUIET_MILLISECONDS = 300_000;
/** How often the sponsor's coin is read while nothing is sent. */
const COIN_MILLISECONDS = 60_000;

type Opening = ChainDeps & Pick<Context, 'config'>;

/** One step per followed network whose family can be swept; none without a signer. Throws an Error for unusable settings. */
export function sweepSteps(
  context: Opening,
  chains: readonly FollowedChain[],
): {
  readonly name: string;
  readonly run: Step;
  readonly everyMilliseconds: number;
  readonly quietMilliseconds: number;
}[] {
  const { SIGNER_SOCKET: socket } = context.config;
  if (!socket) return [];
  const signer = new SignerClient(socket);
  return chains.flatMap((chain) => {
    const sweeping = openSweeping(context, chain, signer);
    if (!sweeping) return [];
    const { environment, network, spec } = chain;
    const everyMilliseconds = spec.chain === 'local' ? LOCAL_MILLISECONDS : PUBLIC_MILLISECONDS;
    const run: Step = (given) => runSweeps(given, sweeping);
    const name = `sweep ${environment} ${network}`;
    return [{ name, run, everyMilliseconds, quietMilliseconds: QUIET_MILLISECONDS }];
  });
}

function openSweeping(context: Opening, chain: FollowedChain, signer: SignerClient): Sweeping | null {
  const { spec, adapter } = chain;
  const { config } = context;
  const options = sendingOptions(config, context, chain);
  const family = openFamily(chain, options, config);
  const wallet = presentTreasuries(treasuryWallets(config.TREASURY_WALLETS)).find(
    (one) => one.spec.network === spec.network && one.spec.chain === spec.chain,
  );
  return {
    spec,
    genesis: () => adapter.genesis(),
    family,
    signer,
    treasury: wallet ?? null,
    rules: rulesOf(spec),
    delaySeconds: Math.max(config.SWEEP_DELAY_SECONDS, leastDelay(spec)),
  };
}

function openFamily({ spec, adapter }: FollowedChain, options: SendingOptions, config: Opening['config']): SweepFamily {
  if (spec.family === 'evm') return evmSweeps(openEvm(spec, adapter, options, config.SWEEP_AUTHORIZATIONS_DIR));
  if (spec.family === 'tron') {
    const given = { forwarders: config.TRON_FORWARDERS, renting: rentingOf(config, spec, options.clock) };
    return tronSweeps(openTron(spec, adapter, options, given));
  }
  return solanaSweeps(openSolana(adapter, options));
}

/** One bounded run over a network. */
export async function runSweeps(context: Context, sweeping: Sweeping): Promise<{ more: boolean }> {
  const { environment, network, chain } = sweeping.spec;
  const state = await sweeping.signer.state().catch(unreachable);
  const wallets = state?.sweeps?.find(
    (one) => one.environment === environment && one.network === `${network}@${chain}`,
  );
  // Without the signer's answer the wallets are unknown. What was sent is followed once it answers again.
  if (!state) await storeHold(context.pool, { environment, network }, 'signer_unavailable');
  if (!state || !wallets) return { more: false };
  const chainId = await followedChain(context, { environment, network, genesis: sweeping.genesis });
  if (chainId === null) return { more: false };
  const known = await readState(context.pool, { environment, network });
  const named = delegatesOfSettings({ settings: context.config, spec: sweeping.spec, state, wallets });
  const formerDelegates = [...known.delegates, ...named].filter((one) => one !== wallets.delegate);
  const isScreened = sourcesOf(context.config, sweeping.spec, 'sender').length > 0;
  const blocked = await blockedTokens(context.pool, { environment, network });
  const currencies = Object.keys(sweeping.spec.tokens).filter((one) => !blocked.includes(one));
  const fillsRefundWallet = ownTreasury(sweeping, state)?.isRefundWallet ?? false;
  const run: SweepRun = {
    ...{ context, sweeping, chainId, wallets, currencies, isScreened, fillsRefundWallet, formerDelegates },
  };
  const followed = await followAll(run);
  const refusal = holdBefore(run, state, known.isPaused);
  const begun = refusal ?? followed.hold ?? (followed.isBusy ? null : await beginSweeps(run));
  const hold = begun ?? (blocked.length > 0 ? 'treasury_blocked' : null);
  const now = context.clock.now();
  const isDue = known.coinReadAt === null || now.getTime() - known.coinReadAt.getTime() >= COIN_MILLISECONDS;
  const coin = isDue || hold === 'sponsor_low' ? await sweeping.family.coin(wallets.active).catch(noCoin) : null;
  const energy = sweeping.family.energy?.() ?? null;
  if (coin?.stake) await storeStake(context.pool, { chainId, address: wallets.active, stake: coin.stake, readAt: now });
  await storeState(context.pool, { environment, network }, { wallets, coin: coin?.amount ?? null, energy, hold, now });
  return { more: false };
}

/** Why no sweep may begin at all. */
function holdBefore({ sweeping, wallets }: SweepRun, state: SignerState, isPaused: boolean): SweepHold | null {
  if (isPaused) return 'paused';
  if (state.frozen) return 'frozen';
  const own = ownTreasury(sweeping, state);
  return own?.address === FAMILIES[sweeping.spec.family].storedAddress(wallets.treasury) ? null : 'treasury_differs';
}

/** The treasury of the settings; null without one. */
function ownTreasury({ treasury }: Sweeping, { wallets }: SignerState): ResolvedTreasury | null {
  const [own] = treasury ? resolveTreasuries([treasury], wallets) : [];
  return own ?? null;
}

/** `isBusy`: the sponsor has too many sweeps outside a block. An error of one sweep does not stop the others. */
async function followAll(run: SweepRun): Promise<{ readonly isBusy: boolean; readonly hold: SweepHold | null }> {
  const { context, chainId, wallets } = run;
  let hold: SweepHold | null = null;
  for (const sweep of await readOpenSweeps(context.pool, chainId)) hold = (await followOne(run, sweep)) ?? hold;
  const left = await readOpenSweeps(context.pool, chainId);
  const outside = left.filter(({ sender, status }) => sender === wallets.active && status !== 'mined');
  return { hold, isBusy: outside.length >= run.sweeping.family.inFlight };
}

async function followOne(run: SweepRun, sweep: Sweep): Promise<SweepHold | null> {
  const { context, sweeping } = run;
  try {
    // It waited for its signature, for example while the signer was down, and one of its addresses was frozen since.
    if (sweep.status === 'planned' && (await isFrozen(context.pool, sweep, sweeping.spec))) {
      await cancelSweep(context, sweep, 'one of its addresses was frozen before it was signed');
      return null;
    }
    return await sweeping.family.follow(run, sweep);
  } catch (error) {
    if (error instanceof ChainError) return 'chain_unavailable';
    if (error instanceof AddressSourceError) return signerUnavailable(run, error);
    const { network, environment } = sweeping.spec;
    context.log.error({ err: error, network, environment, sweep: sweep.id }, 'a sweep could not be followed');
    return null;
  }
}

function unreachable(error: unknown): null {
  if (error instanceof AddressSourceError) return null;
  throw error;
}

function noCoin(error: unknown): null {
  if (error instanceof ChainError) return null;
  throw error;
}
