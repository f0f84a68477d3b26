// The worker's step that requests cold transfers: one at a time for each token of a network, and none while the signer's journal
// and the database disagree. A transfer that is not signed yet is canceled when refunds and payouts need its money by now, or the
// signer will never sign it. Several are open only after a recovery from the signer's journal.

import { centsToBaseUnits } from '@/lib/money/amounts';
import { FAMILIES } from '@/lib/networks/families/family';
import { networkSpec } from '@/lib/networks/networks';
import { coldWallets, isSameChain, walletLevels, type ColdWallet, type Levels } from '@/lib/networks/wallet-levels';
import type { Context, Step } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { openSignerCheck, type Verdict } from '@/lib/refunds/recovery/signer-check';
import { isPaused } from '@/lib/refunds/sending/draft/pause';
import { isRefused } from '@/lib/refunds/sending/sign/withdraw';
import { markCanceled } from '@/lib/refunds/states';
import { SignerClient, type SignerState } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { excessOf, isStillExcess, type ColdHold } from './decide';
import { readFunds, type Funds } from './funds';

export type ColdSigner = {
  readonly state: () => Promise<SignerState>;
  /** Whether the journal agrees with the database (lib/refunds/recovery/signer-check). */
  readonly check: (context: Context) => Promise<Verdict>;
  /** Whether it has signed a transfer. Throws AddressSourceError. */
  readonly hasSigned: (id: string) => Promise<boolean>;
};

export function coldSignerAt(socket: string): ColdSigner {
  const client = new SignerClient(socket);
  return {
    state: () => client.state(),
    check: (context) => openSignerCheck(client, [])(context),
    hasSigned: async (id) => (await client.attempts(id)).length > 0,
  };
}

/** The step. Throws an Error for unusable settings. It needs no lease: the database allows one transfer that is not signed. */
export function coldStep({ COLD_WALLETS, REFUND_WALLET_LEVELS }: Context['config'], signer: ColdSigner): Step {
  const [wallets, levels] = [coldWallets(COLD_WALLETS), walletLevels(REFUND_WALLET_LEVELS)];
  return async (context) => {
    const state = await signer.state().catch(unreachable);
    const failures: unknown[] = [];
    for (const one of levels.filter(({ spec }) => isFollowed(context, spec))) {
      // What stops one token does not stop the others.
      await decide(context, one, { signer, state, wallets }).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
    return { more: false };
  };
}

function unreachable(error: unknown): null {
  if (error instanceof AddressSourceError) return null;
  throw error;
}

const isFollowed = ({ config }: Context, spec: Levels['spec']): boolean =>
  networkSpec(spec.environment, spec.network, config.TEST_CHAINS) === spec;

type Parts = {
  readonly signer: ColdSigner;
  /** Null while the signer does not answer. */
  readonly state: SignerState | null;
  readonly wallets: readonly ColdWallet[];
};

async function decide(context: Context, levels: Levels, parts: Parts): Promise<void> {
  const { pool, clock } = context;
  const last = await readLast(context, levels);
  const funds = await readFunds(pool, levels, clock.now(), last?.id);
  const hold = last?.isOpen
    ? await cancelIfUseless(context, levels, { parts, funds, last })
    : await requestIfAbove(context, levels, { parts, funds, last });
  if (funds && funds.hold !== hold) await keepHold(context, levels, { funds, hold });
}

type Deciding = { readonly parts: Parts; readonly funds: Funds | null; readonly last: Last | null };

async function cancelIfUseless(
  context: Context,
  levels: Levels,
  { parts, funds, last }: Deciding & { readonly last: Last },
): Promise<ColdHold | null> {
  const amount = centsToBaseUnits(last.amount, levels.spec.tokens[levels.currency]?.decimals ?? 0);
  if (!last.isCancelable || (isStillExcess(levels, funds, amount) && !isNeverSigned(levels, parts, last))) return null;
  // A restored database may not know that the signer has signed it.
  if ((await parts.signer.check(context)) !== 'ok') return null;
  // A request that a suspended worker sent late may have been signed after the refusal that is stored.
  const isSigned = await parts.signer.hasSigned(last.id).catch(unreachable);
  if (isSigned === false) await cancel(context, last.id);
  return null;
}

/** Whether the signer would refuse it for ever by its present settings; a smaller one, or one to the other wallet, can follow. */
function isNeverSigned(levels: Levels, parts: Parts, { amount }: Last): boolean {
  const hold = obstacle(levels, parts);
  // A signer that is frozen or away signs it afterwards.
  if (hold === 'frozen') return false;
  return hold !== null || amount > mostCents(parts);
}

/** By the signer's limits. */
const mostCents = ({ state }: Parts): bigint => BigInt(state?.limits.cold?.perRefund ?? 0);

async function requestIfAbove(
  context: Context,
  levels: Levels,
  { parts, funds, last }: Deciding,
): Promise<ColdHold | null> {
  const hold = obstacle(levels, parts) ?? (last?.hasJustFailed ? 'failed' : null);
  if (hold) return hold;
  if (await isPaused(context.pool, { ...levels.spec, table: 'cold_transfers' })) return 'paused';
  const excess = excessOf(levels, funds, mostCents(parts));
  if ('hold' in excess) return excess.hold;
  if ((await parts.signer.check(context)) !== 'ok') return 'frozen';
  await request(context, levels, { cents: excess.cents, number: (last?.number ?? 0) + 1 });
  return null;
}

function obstacle({ spec }: Levels, { state, wallets }: Parts): ColdHold | null {
  const wallet = wallets.find((one) => isSameChain(one.spec, spec));
  if (!wallet) return 'no_cold_wallet';
  if (!state || state.frozen) return 'frozen';
  const pinned = state.coldWallets?.[`${spec.network}@${spec.chain}`];
  const isSame = pinned !== undefined && FAMILIES[spec.family].storedAddress(pinned) === wallet.address;
  return isSame ? null : 'signer_differs';
}

/** SQL about a transfer `t`, as of $2: the signer has refused every request for it, and no younger transfer is open. */
const IS_REFUSED = `${isRefused('t.id', '$2')} AND NOT EXISTS (SELECT FROM cold_transfers o WHERE o.environment = t.environment
  AND o.network = t.network AND o.currency = t.currency AND o.status IN ('pending', 'processing') AND o.signature_requested_at IS NULL)`;

/** After a failed transfer, in minutes: it cost a fee, and the next one would too. */
const [LOCAL_PAUSE, PUBLIC_PAUSE] = [1, 360];

type Last = {
  readonly id: string;
  readonly number: number;
  readonly amount: bigint;
  readonly isOpen: boolean;
  readonly isCancelable: boolean;
  readonly hasJustFailed: boolean;
};

/** An open transfer, first of all one that can be canceled; the newest one if none is open. */
async function readLast({ pool, clock }: Context, { spec, currency }: Levels): Promise<Last | null> {
  const { rows } = await pool.query<Omit<Last, 'amount'> & { readonly amount: string }>({
    name: 'cold-last',
    text: `SELECT id, number, amount, status IN ('pending', 'processing') AS "isOpen",
             status IN ('pending', 'processing') AND (signature_requested_at IS NULL OR ${IS_REFUSED}) AS "isCancelable",
             status = 'failed' AND processed_at > $2::timestamptz - $5::int * interval '1 minute' AS "hasJustFailed"
           FROM cold_transfers t WHERE environment = $1::"Environment" AND network = $3 AND currency = $4
           ORDER BY "isCancelable" DESC, "isOpen" DESC, number DESC LIMIT 1`,
    values: [
      spec.environment,
      clock.now(),
      spec.network,
      currency,
      spec.chain === 'local' ? LOCAL_PAUSE : PUBLIC_PAUSE,
    ],
  });
  const [row] = rows;
  return row ? { ...row, amount: BigInt(row.amount) } : null;
}

/** A second worker that requests the same number is a no-op. */
async function request(
  { pool, clock, log }: Context,
  { spec, currency }: Levels,
  { cents, number }: { readonly cents: bigint; readonly number: number },
): Promise<void> {
  const { environment, network } = spec;
  const id = coldTransferId({ environment, network, currency, number });
  const { rowCount } = await pool.query({
    name: 'cold-request',
    text: `INSERT INTO cold_transfers (id, environment, network, currency, number, amount, created_at, next_at)
           VALUES ($1, $2::"Environment", $3, $4, $5, $6, $7, $7) ON CONFLICT DO NOTHING`,
    values: [id, environment, network, currency, number, cents, clock.now()],
  });
  if (rowCount === 1)
    log.info({ coldTransferId: id, cents: String(cents) }, 'excess of the refund wallet goes to the cold wallet');
}

/** The signer's intent. A restored database makes the same one again, so the signer knows that it has signed it. */
const coldTransferId = (of: {
  readonly environment: string;
  readonly network: string;
  readonly currency: string;
  readonly number: number;
}): string => `ct_${of.environment}_${of.network}_${of.currency}_${of.number}`;

async function cancel({ pool, clock, log }: Context, id: string): Promise<void> {
  const now = clock.now();
  const isCanceled = await transaction(pool, async (tx) => {
    // Under the lock a worker cannot request a signature. The next statement sees every request that was stored before.
    await tx.query({ name: 'cold-lock', text: 'SELECT FROM cold_transfers WHERE id = $1 FOR UPDATE', values: [id] });
    await tx.query({
      name: 'cold-not-signed',
      text: `UPDATE cold_transfers t SET signature_requested_at = NULL
             WHERE id = $1 AND status = 'processing' AND signature_requested_at IS NOT NULL AND ${IS_REFUSED}`,
      values: [id, now],
    });
    return markCanceled(tx, { table: 'cold_transfers', id }, now);
  });
  if (isCanceled)
    log.info({ coldTransferId: id }, 'a cold transfer was canceled: its money is needed, or the settings have changed');
}

async function keepHold(
  { pool }: Context,
  { currency }: Levels,
  { funds, hold }: { readonly funds: Funds; readonly hold: ColdHold | null },
): Promise<void> {
  await pool.query({
    name: 'cold-hold',
    text: 'UPDATE wallet_balances SET cold_hold = $3 WHERE chain_id = $1 AND asset = $2',
    values: [funds.chainId, currency, hold],
  });
}
