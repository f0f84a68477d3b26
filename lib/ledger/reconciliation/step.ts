// The worker's step that compares the ledger with one chain: the refund wallet at every turn, deposit addresses in a
// rolling round, and the wallet's coin for fees, which the console shows. One worker at a time has the turn. Missing
// coins freeze all signing (INV-11).

import { stopsSigning } from '@/lib/networks/networks';
import { openBalanceReader } from '@/lib/networks/families/clients';
import type { BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import { ChainError } from '@/lib/networks/chain';
import type { FollowedChain, SendingOptions } from '@/lib/networks/registry';
import type { Context, Step } from '@/lib/platform/context';
import { SignerClient } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { findChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { checkAddresses, type AddressMemory } from './addresses';
import { postExplained } from './discrepancies';
import { endTurn, keepReading, takeTurn, type Turn } from './rows';
import { reconcileWallet } from './wallet';

/** The first applies where requests are free (local chains), the second elsewhere. */
const LOCAL_SECONDS = 30;
const USUAL_SECONDS = 300;
/** Suspected discrepancies are checked again soon. */
const AGAIN_SECONDS = 15;

export type ReconcileParts = {
  readonly reader: BalanceReader;
  /** Null without a signer. There is no refund wallet then. */
  readonly signer: Pick<SignerClient, 'state' | 'freeze'> | null;
};

/** The step of one chain. It keeps no state between turns. */
export function reconcileStep(chain: FollowedChain, options: SendingOptions, signerSocket: string | undefined): Step {
  const signer = signerSocket === undefined ? null : new SignerClient(signerSocket);
  return reconcileWith(chain, { reader: openBalanceReader(options), signer });
}

/** The same with given parts. */
export function reconcileWith(chain: FollowedChain, parts: ReconcileParts): Step {
  return async (context) => {
    const row = await findChainRow(context.pool, chain.environment, chain.network);
    const turn = row && (await takeTurn(context.pool, row.id, context.clock.now()));
    if (!turn) return { more: false };
    const isSameChain = async (): Promise<boolean> => (await chain.adapter.genesis()) === row.genesis;
    await runTurn(context, { chain, turn, parts, isSameChain });
    return { more: false };
  };
}

type Running = {
  readonly chain: FollowedChain;
  readonly turn: Turn;
  readonly parts: ReconcileParts;
  readonly isSameChain: () => Promise<boolean>;
};

async function runTurn(context: Context, running: Running): Promise<void> {
  const { chain, turn } = running;
  let checkedThrough = turn.checkedThrough;
  let { memory } = turn;
  let isSettled = true;
  // A failure of one comparison must not prevent the other.
  const wallet = await settled(async () => {
    isSettled = await compareWallet(context, running);
  });
  const addresses = await settled(async () => {
    checkedThrough = await compareAddresses(context, running, (next) => (memory = next));
  });
  if (wallet.status === 'rejected') throw wallet.reason;
  if (addresses.status === 'rejected') throw addresses.reason;
  const trouble = wallet.value ?? addresses.value;
  const seconds = chain.spec.chain === 'local' ? LOCAL_SECONDS : USUAL_SECONDS;
  const now = context.clock.now();
  const nextAt = new Date(now.getTime() + 1000 * (isSettled ? seconds : AGAIN_SECONDS));
  const before = await endTurn(context.pool, turn, { now, nextAt, trouble, checkedThrough, memory });
  if (before === trouble) return;
  const about = { environment: chain.environment, network: chain.network };
  if (trouble === null) context.log.info(about, 'the ledger can be compared with the chain again');
  else context.log.warn({ ...about, trouble }, 'the ledger cannot be compared with the chain');
}

/** Returns whether nothing is left to explain. */
async function compareWallet(context: Context, { chain, turn, parts, isSameChain }: Running): Promise<boolean> {
  const { reader, signer } = parts;
  if (!signer) return true;
  const { environment, spec } = chain;
  const wallet = (await signer.state()).wallets[environment][spec.family];
  if (!(await isSameChain())) return true;
  await postExplained(context, { chainId: turn.chainId, address: wallet });
  const { settled, shortOf } = await reconcileWallet(context, { chain, turn, reader, wallet, isSameChain });
  // Freeze each time: an operator who unfreezes the signer without explaining the discrepancy finds it frozen again.
  if (stopsSigning(spec)) for (const reason of shortOf) await signer.freeze(reason);
  const amount = await reader.feeCoin(wallet);
  const held = { amount, through: { number: 0 } };
  const asset = { chainId: turn.chainId, address: wallet, asset: 'fee', unexplained: 0n };
  await keepReading(context.pool, { ...asset, held, now: context.clock.now() });
  return settled;
}

async function compareAddresses(
  context: Context,
  { chain, turn, parts, isSameChain }: Running,
  keep: (memory: AddressMemory) => void,
): Promise<number> {
  const { chainId, checkedThrough, memory } = turn;
  if (!(await isSameChain())) return checkedThrough;
  const request = { chain, chainId, reader: parts.reader, checkedThrough, isSameChain };
  return checkAddresses(context, request, { memory, keep });
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
