// The worker's step for tokens that left deposit addresses. A transfer to a treasury wallet is booked as a sweep, or as a refill
// where that is the refund wallet, and the fee that the token itself takes from it as the operator's loss. Any other one is
// unexplained: it becomes a discrepancy and freezes signing, because the wallet's keys may be stolen. Once an operator has
// explained the discrepancy, the transfer is booked as a withdrawal of the operator.

import { networkSpec, stopsSigning } from '@/lib/networks/networks';
import { REFUND_WALLET_NAME } from '@/lib/networks/refund-wallet-name';
import {
  resolveTreasuries,
  treasuryWallets,
  type ResolvedTreasury,
  type TreasuryWallet,
} from '@/lib/networks/treasury-wallets';
import { bookOutflows, type Outflow } from '@/lib/ledger/post-outflow';
import type { OutflowKind } from '@/lib/ledger/postings';
import { minorUnitsToText } from '@/lib/money/amounts';
import type { Config } from '@/lib/platform/config/config';
import type { Context, Step } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { inHalves } from '@/lib/platform/database/isolate';
import type { SignerClient } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { reportDiscrepancy } from './report-discrepancy';

/** Transfers read in one run: those that can be booked first, then those that are not reported. */
const MAX_AT_ONCE = 500;

/** A token keeps at most this part of a transfer as its fee (USDT: fewer than twenty basis points). */
export const FEE_SHARE = 500;

/** `kind`: what it is booked as; null while it is unexplained. */
type Unbooked = Outflow & {
  readonly kind: OutflowKind | null;
  readonly isReported: boolean;
  readonly chainId: number;
  readonly decimals: number;
  /** The deposit address. */
  readonly payer: string;
  readonly recipient: string;
  readonly transactionHash: string;
};

/** The step. Throws an Error for unusable TREASURY_WALLETS. `signer`: null without one; nothing can be frozen then. */
export function outflowStep(
  { TREASURY_WALLETS, TEST_CHAINS }: Pick<Config, 'TREASURY_WALLETS' | 'TEST_CHAINS'>,
  signer: Pick<SignerClient, 'freeze' | 'state'> | null,
): Step {
  const named = treasuryWallets(TREASURY_WALLETS);
  return async (context) => {
    if (!(await hasUnbooked(context))) return { more: false };
    const known = await resolve(named, signer);
    const unbooked = await readUnbooked(context, known);
    const failures: unknown[] = [
      ...known.failures,
      ...(await book(context, 'sweep', unbooked)),
      ...(await book(context, 'refill', unbooked)),
      ...(await book(context, 'withdrawal', unbooked)),
      ...(await book(context, 'token_fee', unbooked)),
      ...(await report(context, unbooked)),
    ];
    const stopping = unbooked.find(({ kind, environment, network }) => {
      const spec = networkSpec(environment, network, TEST_CHAINS);
      return kind === null && spec !== null && stopsSigning(spec);
    });
    // Freeze in each run: an operator who unfreezes the signer without explaining the discrepancy finds it frozen again.
    if (stopping) await signer?.freeze(reasonOf(stopping));
    if (failures.length > 0) throw failures[0];
    // Unexplained transfers wait for an operator, so they are no reason to run again.
    return { more: unbooked.length === MAX_AT_ONCE && unbooked.some(({ kind }) => kind !== null) };
  };
}

type Known = {
  readonly wallets: readonly ResolvedTreasury[];
  /**
   * Only the signer says which treasury is its refund wallet, and a refill that is booked as a sweep would be wrong for ever.
   * `none`: this process has no signer, so it leaves what went to the refund wallet to another one. `silent`: the signer does not
   * answer, so nothing is booked as a sweep. Thefts are reported in any case.
   */
  readonly by: 'signer' | 'none' | 'silent';
  readonly failures: readonly unknown[];
};

async function resolve(
  named: readonly TreasuryWallet[],
  signer: Pick<SignerClient, 'freeze' | 'state'> | null,
): Promise<Known> {
  const wallets = named.map((one) => ({ ...one, isRefundWallet: false }));
  if (named.length === 0) return { wallets, by: 'signer', failures: [] };
  if (!signer) return { wallets, by: 'none', failures: [] };
  try {
    return { wallets: resolveTreasuries(named, (await signer.state()).wallets), by: 'signer', failures: [] };
  } catch (error) {
    if (!(error instanceof AddressSourceError)) throw error;
    return { wallets, by: 'silent', failures: [error] };
  }
}

async function hasUnbooked({ pool }: Context): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'outflows-any',
    text: 'SELECT FROM outgoing_transfers WHERE booked_at IS NULL LIMIT 1',
    values: [],
  });
  return rowCount === 1;
}

async function readUnbooked({ pool }: Context, { wallets, by }: Known): Promise<readonly Unbooked[]> {
  const { rows } = await pool.query<Omit<Unbooked, 'amount'> & { readonly amount: string }>({
    name: 'outflows-unbooked',
    text: `WITH wallet AS (SELECT DISTINCT * FROM unnest($1::"Environment"[], $2::text[], $3::text[], $4::boolean[])
             AS w (environment, network, address, is_refund_wallet))
           SELECT o.id, c.environment, o.network, o.currency, o.amount::text AS amount, o.chain_id AS "chainId", o.decimals, o.payer,
             o.recipient, o.transaction_hash AS "transactionHash", o.reported_at IS NOT NULL AS "isReported",
             CASE WHEN wallet.is_refund_wallet THEN 'refill' WHEN wallet.address IS NOT NULL THEN 'sweep'
               WHEN EXISTS (SELECT FROM discrepancies d WHERE d.chain_id = o.chain_id AND d.address = o.payer
                 AND d.currency = o.currency AND d.explained_at >= o.reported_at) THEN 'withdrawal'
               WHEN EXISTS (SELECT FROM outgoing_transfers s JOIN wallet w ON w.address = s.recipient AND w.network = s.network
                 WHERE w.environment = c.environment AND s.chain_id = o.chain_id AND s.transaction_hash = o.transaction_hash
                   AND s.payer = o.payer AND s.contract = o.contract AND o.amount * ${FEE_SHARE} <= s.amount + o.amount)
                 THEN 'token_fee' END AS kind
           FROM outgoing_transfers o JOIN chains c ON c.id = o.chain_id AND c.retired_at IS NULL
             LEFT JOIN wallet ON wallet.environment = c.environment AND wallet.network = c.network AND wallet.address = o.recipient
           WHERE o.booked_at IS NULL AND ($5 = 'signer' OR NOT EXISTS (SELECT FROM outgoing_transfers s
             WHERE s.chain_id = o.chain_id AND s.transaction_hash = o.transaction_hash AND s.payer = o.payer
               AND (EXISTS (SELECT FROM wallet_balances own WHERE own.chain_id = s.chain_id AND own.address = s.recipient)
                 OR EXISTS (SELECT FROM wallet w WHERE w.environment = c.environment AND w.network = s.network
                   AND ($5 = 'silent' AND w.address = s.recipient OR w.address = '${REFUND_WALLET_NAME}'
                     AND NOT EXISTS (SELECT FROM wallet_balances any_of WHERE any_of.chain_id = s.chain_id))))))
           ORDER BY kind NULLS LAST, o.reported_at NULLS FIRST, o.id LIMIT ${MAX_AT_ONCE}`,
    values: [
      wallets.map(({ spec }) => spec.environment),
      wallets.map(({ spec }) => spec.network),
      wallets.map(({ address }) => address),
      wallets.map(({ isRefundWallet }) => isRefundWallet),
      by,
    ],
  });
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}

/** Books the transfers of a kind. Returns the errors of those that could not be booked. */
async function book({ pool, clock }: Context, kind: OutflowKind, unbooked: readonly Unbooked[]): Promise<unknown[]> {
  const outflows = unbooked.filter((one) => one.kind === kind);
  const { failed } = await inHalves(outflows, (some) =>
    transaction(pool, (tx) => bookOutflows(tx, kind, { outflows: some, now: clock.now() })),
  );
  return failed.map(({ error }) => error);
}

/** Reports the unexplained transfers that are new. Returns the errors of those that could not be reported. */
async function report({ pool, clock, log }: Context, unbooked: readonly Unbooked[]): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const one of unbooked.filter(({ kind, isReported }) => kind === null && !isReported)) {
    try {
      await transaction(pool, (tx) => reportOne(tx, one, clock.now()));
      const { environment, network, currency, payer: address, recipient, transactionHash } = one;
      log.error(
        { environment, network, currency, address, recipient, transactionHash, amount: String(one.amount) },
        'tokens left a deposit address for an address that is no treasury wallet',
      );
    } catch (error) {
      failures.push(error);
    }
  }
  return failures;
}

async function reportOne(tx: Tx, one: Unbooked, now: Date): Promise<void> {
  const { id, chainId, environment, network, currency, payer: address } = one;
  const { rows } = await tx.query<{ expected: string; found: string }>({
    name: 'outflow-reported',
    text: `WITH reported AS (UPDATE outgoing_transfers SET reported_at = $2 WHERE id = $1 AND booked_at IS NULL AND reported_at IS NULL
               RETURNING session_id, chain_id, payer, currency),
             arrived AS (SELECT coalesce(sum(t.amount), 0) AS amount FROM reported r
               JOIN transfers t ON t.session_id = r.session_id AND t.chain_id = r.chain_id AND t.recipient = r.payer
                 AND t.currency = r.currency),
             sent AS (SELECT coalesce(sum(o.amount), 0) AS amount, coalesce(sum(o.amount) FILTER (WHERE o.booked_at IS NOT NULL), 0) AS booked
               FROM reported r JOIN outgoing_transfers o USING (chain_id, payer, currency))
           SELECT (arrived.amount - sent.booked)::text AS expected, (arrived.amount - sent.amount)::text AS found
           FROM arrived, sent`,
    values: [id, now],
  });
  const [sums] = rows;
  if (!sums) return;
  const [expected, found] = [BigInt(sums.expected), BigInt(sums.found)];
  const place = { chainId, address, currency, environment, network };
  await reportDiscrepancy(tx, { ...place, expected, found, now, note: noteOf(one) });
}

const noteOf = ({ amount, decimals, currency, recipient, transactionHash }: Unbooked): string =>
  `${shortAmount(amount, decimals)} ${currency} left for ${recipient} by transaction ${transactionHash}. ` +
  'If that wallet is yours, add it to TREASURY_WALLETS and restart the worker. Otherwise the key may be stolen.';

/** At least two digits after the point. */
const shortAmount = (amount: bigint, decimals: number): string =>
  minorUnitsToText(amount, decimals).replace(/(\.\d\d\d*?)0+$/, '$1');

const reasonOf = ({ network, environment }: Unbooked): string =>
  `tokens left a deposit address on ${network} (${environment}) for an address that is no treasury wallet`;
