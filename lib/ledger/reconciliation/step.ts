// The worker's step that compares the ledger with one chain: the refund wallet in every run, deposit addresses in
// rotation, the wallet's coin for fees, and what the treasury wallet and the cold wallet hold, which the console shows. One worker at a time holds the lease. Missing
// coins freeze all signing (INV-11).

import { stopsSigning } from '@/lib/networks/networks';
import { openBalanceReader } from '@/lib/networks/families/clients';
import type { BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import { ChainError } from '@/lib/networks/chain';
import type { FollowedChain, SendingOptions } from '@/lib/networks/registry';
import { resolveTreasuries, treasuryWallets } from '@/lib/networks/treasury-wallets';
import type { Context, Step } from '@/lib/platform/context';
import { storeStake } from '@/lib/ledger/coin/stakes';
import { SignerClient } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { findChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { checkAddresses, type AddressCheckState } from './addresses';
import { readColdWallet } from './cold-wallet';
import { postExplained } from './discrepancies';
import { releaseLease, storeReading, takeLease, type Lease } from './rows';
import { readTreasury } from './treasury';
import { reconcileWallet } from './wallet';

/** The first applies where requests are free (local chains), the second elsewhere. */
const LOCAL_SECONDS = 30;
const USUAL_SECONDS = 300;
/** Suspected discrepancies are checked again soon. */
const RETRY_SECONDS = 15;

export type ReconcileParts = {
  readonly reader: BalanceReader;
  /** Null without a signer. There is no refund wallet then. */
  readonly signer: Pick<SignerClient, 'state' | 'freeze'> | null;
};

/** The step of one chain. It keeps no state between runs. */
export function reconcileStep(chain: FollowedChain, options: SendingOptions, signerSocket: string | undefined): Step {
  const signer = signerSocket === undefined ? null : new SignerClient(signerSocket);
  return reconcileWith(chain, { reader: openBalanceReader(options), signer });
}

/** The same with given parts. */
export function reconcileWith(chain: FollowedChain, parts: ReconcileParts): Step {
  return async (context) => {
    const row = await findChainRow(context.pool, chain.environment, chain.network);
    const lease = row && (await takeLease(context.pool, row.id, context.clock.now()));
    if (!lease) return { more: false };
    const isSameChain = async (): Promise<boolean> => (await chain.adapter.genesis()) === row.genesis;
    return { more: false, soon: !(await runComparison(context, { chain, lease, parts, isSameChain })) };
  };
}

type Running = {
  readonly chain: FollowedChain;
  readonly lease: Lease;
  readonly parts: ReconcileParts;
  readonly isSameChain: () => Promise<boolean>;
};

/** Returns whether nothing is left to explain. */
async function runComparison(context: Context, running: Running): Promise<boolean> {
  const { chain, lease } = running;
  let checkedThrough = lease.checkedThrough;
  let { state } = lease;
  let isSettled = true;
  // A failure of one comparison must not prevent the other.
  const wallet = await settled(async () => {
    isSettled = await compareWallet(context, running);
  });
  const addresses = await settled(async () => {
    checkedThrough = await compareAddresses(context, running, (next) => (state = next));
  });
  const treasury = await settled(() => readTreasury(context, { ...running, ...running.parts }));
  const cold = await settled(() => readColdWallet(context, { ...running, reader: running.parts.reader }));
  if (wallet.status === 'rejected') throw wallet.reason;
  if (addresses.status === 'rejected') throw addresses.reason;
  if (treasury.status === 'rejected') throw treasury.reason;
  if (cold.status === 'rejected') throw cold.reason;
  const trouble = wallet.value ?? addresses.value ?? treasury.value ?? cold.value;
  const seconds = chain.spec.chain === 'local' ? LOCAL_SECONDS : USUAL_SECONDS;
  const now = context.clock.now();
  const nextAt = new Date(now.getTime() + 1000 * (isSettled ? seconds : RETRY_SECONDS));
  const before = await releaseLease(context.pool, lease, { now, nextAt, trouble, checkedThrough, state });
  if (before === trouble) return isSettled;
  const about = { environment: chain.environment, network: chain.network };
  if (trouble === null) context.log.info(about, 'the ledger can be compared with the chain again');
  else context.log.warn({ ...about, trouble }, 'the ledger cannot be compared with the chain');
  return isSettled;
}

/** Returns whether nothing is left to explain. */
async function compareWallet(context: Context, { chain, lease, parts, isSameChain }: Running): Promise<boolean> {
  const { reader, signer } = parts;
  if (!signer) return true;
  const { environment, spec } = chain;
  const { wallets } = await signer.state();
  const wallet = wallets[environment][spec.family];
  if (!(await isSameChain())) return true;
  await postExplained(context, { chainId: lease.chainId, address: wallet });
  const isTreasury = resolveTreasuries(treasuryWallets(context.config.TREASURY_WALLETS), wallets).some(
    (one) => one.isRefundWallet && one.spec.network === spec.network && one.spec.chain === spec.chain,
  );
  const { settled, shortOf } = await reconcileWallet(context, {
    chain,
    lease,
    reader,
    wallet,
    isTreasury,
    isSameChain,
  });
  // Freeze each time: an operator who unfreezes the signer without explaining the discrepancy finds it frozen again.
  if (stopsSigning(spec)) for (const reason of shortOf) await signer.freeze(reason);
  const { amount, stake } = await reader.feeCoin(wallet);
  const held = { amount, through: { number: 0 } };
  const judged = { unexplained: 0n, block: 0, refilled: 0n };
  const now = context.clock.now();
  if (stake) await storeStake(context.pool, { chainId: lease.chainId, address: wallet, stake, readAt: now });
  await storeReading(context.pool, { chainId: lease.chainId, address: wallet, asset: 'fee', judged, held, now });
  return settled;
}

async function compareAddresses(
  context: Context,
  { chain, lease, parts, isSameChain }: Running,
  keep: (state: AddressCheckState) => void,
): Promise<number> {
  const { chainId, checkedThrough, state } = lease;
  if (!(await isSameChain())) return checkedThrough;
  const request = { chain, chainId, reader: parts.reader, checkedThrough, isSameChain };
  return checkAddresses(context, request, { state, keep });
}

const settled = async (work: () => Promise<void>): Promise<PromiseSettledResult<string | null>> =>
  (await Promise.allSettled([troubleOf(work)]))[0];

/** Why the work could not be done, or null. Messages of both error types contain no endpoint address and no key. */
async function troubleOf(work: () => Promise<void>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof ChainError || error instanceof AddressSourceError) return error.message;
    throw error;
  }
}
