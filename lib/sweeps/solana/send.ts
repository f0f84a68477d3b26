// Signs and broadcasts a planned sweep. The signed bytes are stored before they are sent. After a crash in between, the next run signs
// the same request again, which gives the same bytes.

import { ChainError } from '@/lib/networks/chain';
import { SendHold } from '@/lib/networks/sending/send';
import { crashpoint } from '@/lib/platform/crash-point';
import { batchMessage, isMessageOf, openingMessage } from '@/lib/networks/families/solana/sweeping/sweep-transaction';
import { tokenOf } from '@/lib/networks/networks';
import { Refusal, type SignedSweep, type SolanaSweepOrder } from '@/lib/signer/client';
import { cancelSweep } from '@/lib/sweeps/finish';
import { skipAddresses } from '@/lib/sweeps/postpone';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { insertSweep, storeVariant, type NewSweep, type Sweep } from '@/lib/sweeps/rows';
import type { SweepHold } from '@/lib/sweeps/reasons';
import type { SolanaRun } from './run';
import { solanaTermsOf, storedTerms, type SolanaTerms } from './terms';

/** Seconds until the addresses of a transaction that was not signed are tried again alone. */
const ALONE_PAUSE = 60;
const HOLDS: Partial<Record<string, SweepHold>> = { frozen: 'frozen', limit: 'budget' };

export type Planned = Omit<NewSweep, 'spec' | 'chainId' | 'now' | 'terms' | 'request'> &
  SolanaTerms & { readonly request: SolanaSweepOrder };

/** Stores a sweep, signs it and sends it. Returns why it could not go, or null. */
export async function startSweep(run: SolanaRun, sweep: Planned): Promise<SweepHold | null> {
  const { context, sweeping, chainId } = run;
  const { sender, request, currency, items } = sweep;
  const given = { sender, request, currency, items, terms: storedTerms(sweep), chainId, now: context.clock.now() };
  const inserted = await insertSweep(context.pool, { ...given, spec: sweeping.spec });
  // Another worker was first. Its sweep goes on without us.
  if (!inserted) return null;
  crashpoint('after-sweep-planned', sweeping.spec.network);
  return signAndSend(run, inserted);
}

/** Signs a planned sweep and sends it. */
export async function signAndSend(run: SolanaRun, sweep: Sweep): Promise<SweepHold | null> {
  const { context, sweeping } = run;
  const { environment, network } = sweeping.spec;
  const { blockhash, unitLimit, unitPrice } = solanaTermsOf(sweep);
  const terms = { blockhash, unitLimit, unitPrice: unitPrice.toString() };
  try {
    const signed = await sweeping.signer.sweep({ environment, network, ...terms, transaction: orderOf(sweep) });
    if (signed.from !== sweep.sender) {
      // Another sponsor signs since the plan.
      await cancelSweep(context, sweep, 'the signer has another sponsor now');
      return null;
    }
    const items = await itemsOf(run, sweep);
    if (!isExpected(run, sweep, { items, signed })) return await giveUp(run, sweep, 'the signer signed another sweep');
    const variant = { bytes: signed.bytes, hash: signed.hash, terms: sweep.terms };
    const stored = await storeVariant(context.pool, sweep, variant, context.clock.now());
    crashpoint('after-sweep-signed', network);
    return stored ? await broadcastSweep(run, stored) : null;
  } catch (error) {
    if (isUnknownToFormerSigner(error, sweep)) return giveUp(run, sweep, FORMER_SIGNER);
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'not_allowed') return giveUp(run, sweep, error.message);
    await cancelSweep(context, sweep, error.message);
    context.log.warn({ network, environment, code: error.code }, `the signer does not sign a sweep: ${error.message}`);
    return HOLDS[error.code] ?? 'signer_refuses';
  }
}

const FORMER_SIGNER = 'the signer of a former version sweeps no other token accounts of an address: update it';

/** It does not understand the order. Without this the sweep would be asked for again in each run, and no other one would begin. */
function isUnknownToFormerSigner(error: unknown, sweep: Sweep): boolean {
  const order = orderOf(sweep);
  const namesAccount = order.kind === 'batch' && order.deposits.some(({ account }) => account !== undefined);
  return namesAccount && error instanceof AddressSourceError && error.fault === 'refused';
}

// What Solana plans, it stores.
const orderOf = ({ request }: Sweep): SolanaSweepOrder => request as SolanaSweepOrder;

type Item = { readonly address: string; readonly index: number; readonly currency: string };

async function itemsOf({ context }: SolanaRun, { id }: Sweep): Promise<readonly Item[]> {
  const { rows } = await context.pool.query<Item>({
    name: 'sweep-solana-items',
    text: 'SELECT address, address_index AS index, currency FROM sweep_items WHERE sweep_id = $1',
    values: [id],
  });
  return rows;
}

/** Whether the signer's wallet has the deposit addresses that were planned, and sweeps them as planned. */
function isExpected(
  run: SolanaRun,
  sweep: Sweep,
  { items, signed }: { readonly items: readonly Item[]; readonly signed: SignedSweep },
): boolean {
  const { treasury, active: sponsor } = run.wallets;
  const order = orderOf(sweep);
  const token = tokenOf(run.solana.spec, order.contract)?.token;
  if (!token) return false;
  const fields = { ...solanaTermsOf(sweep), sponsor, treasury, mint: token.contract, decimals: token.decimals };
  if (order.kind === 'deploy') return isMessageOf(signed.bytes, openingMessage(fields));
  const owners = new Map(items.map(({ index, address }) => [index, address]));
  const deposits = order.deposits.map(({ index, amount, account }) => ({
    owner: owners.get(index) ?? '',
    amount: BigInt(amount),
    account,
  }));
  return isMessageOf(signed.bytes, batchMessage({ ...fields, deposits, close: order.close }));
}

/** Another wallet's addresses cannot be swept; one of them would hold back the others. */
async function giveUp(run: SolanaRun, sweep: Sweep, message: string): Promise<SweepHold | null> {
  const { context, sweeping } = run;
  const { environment, network } = sweeping.spec;
  const items = await itemsOf(run, sweep);
  await cancelSweep(context, sweep, message);
  await skipAddresses(run, items, 'not_authorized', items.length > 1 ? ALONE_PAUSE : null);
  context.log.error({ network, environment, addresses: items.map(({ address }) => address) }, message);
  return items.length === 0 ? 'signer_refuses' : null;
}

/** Sends the transaction to every endpoint. Sending it again is safe. */
export async function broadcastSweep({ solana }: SolanaRun, sweep: Sweep): Promise<SweepHold | null> {
  if (sweep.bytes === null) return null;
  try {
    await solana.sender.broadcast(sweep.bytes);
    crashpoint('after-sweep-broadcast', solana.spec.network);
    return null;
  } catch (error) {
    if (error instanceof SendHold) return 'sponsor_low';
    if (error instanceof ChainError) return 'chain_unavailable';
    throw error;
  }
}
