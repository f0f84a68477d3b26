// What operators learn about the marks of the refund wallet: what it has, what it needs, why nothing goes to the cold wallet now, how
// much to send when it is below its low-water mark, and the last transfers. Reads only.

import { offers } from '@/lib/networks/registry';
import { coldWallets, isSameChain, walletLevels, type Levels } from '@/lib/networks/wallet-levels';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import type { RefundStatus } from '@/prisma/generated/enums';
import { COLD_HOLDS, freeOf, isBelowLow, type ColdHold } from './decide';
import { readFunds, type Funds } from './funds';

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

export type WalletLevel = Levels & {
  /** Null until the wallet was read. */
  readonly funds: Funds | null;
  /** What to send to the refund wallet, up to its target; null unless it is below the low-water mark. */
  readonly missing: { readonly units: bigint; readonly tokens: number } | null;
};

/** The marks of the networks that are followed. */
export async function readWalletLevels({ pool, clock, config }: Deps): Promise<readonly WalletLevel[]> {
  const specs = offers(config).map(({ spec }) => spec);
  const levels = walletLevels(config.REFUND_WALLET_LEVELS).filter(({ spec }) => specs.includes(spec));
  return Promise.all(
    levels.map(async (one) => {
      const funds = await readFunds(pool, one, clock.now());
      return { ...one, funds, missing: missingOf(one, funds) };
    }),
  );
}

/** Rounded up to whole tokens in `tokens`. */
function missingOf({ low, target, spec, currency }: Levels, funds: Funds | null): WalletLevel['missing'] {
  if (!isBelowLow({ low }, funds)) return null;
  const units = target - freeOf(funds);
  const unit = 10n ** BigInt(spec.tokens[currency]?.decimals ?? 0);
  return { units, tokens: Number((units + unit - 1n) / unit) };
}

export type ColdTransfer = {
  readonly id: string;
  readonly status: RefundStatus;
  /** In cents. */
  readonly amount: bigint;
  readonly createdAt: Date;
  /** Why an open one waits. */
  readonly hold: string | null;
  /** The same as a sentence, or why it failed. */
  readonly note: string | null;
  readonly transactionHash: string | null;
};

export type ColdReport = WalletLevel & {
  readonly hold: ColdHold | null;
  readonly coldWallet: string | null;
  /** Base units that the ledger has in cold storage. */
  readonly booked: bigint;
  /** The newest first. */
  readonly transfers: readonly ColdTransfer[];
};

const MAX_SHOWN = 5;

/** The marks of an environment with the last transfers of each. */
export async function readColdReports(deps: Deps, environment: Environment): Promise<readonly ColdReport[]> {
  const levels = (await readWalletLevels(deps)).filter(({ spec }) => spec.environment === environment);
  if (levels.length === 0) return [];
  const wallets = coldWallets(deps.config.COLD_WALLETS);
  const rows = await readTransfers(deps, environment);
  const booked = await readBooked(deps, environment);
  return levels.map((one) => {
    const isOwn = (row: { readonly network: string; readonly currency: string }): boolean =>
      row.network === one.spec.network && row.currency === one.currency;
    return {
      ...one,
      hold: one.funds === null ? 'not_read' : (COLD_HOLDS.find((hold) => hold === one.funds?.hold) ?? null),
      coldWallet: wallets.find(({ spec }) => isSameChain(spec, one.spec))?.address ?? null,
      booked: BigInt(booked.find(isOwn)?.amount ?? 0),
      transfers: rows.filter(isOwn).map(({ amount, ...row }) => ({ ...row, amount: BigInt(amount) })),
    };
  });
}

type Row = Omit<ColdTransfer, 'amount'> & {
  readonly amount: string;
  readonly network: string;
  readonly currency: string;
};

async function readTransfers({ pool }: Deps, environment: Environment): Promise<readonly Row[]> {
  const { rows } = await pool.query<Row>({
    name: 'cold-transfers-shown',
    text: `SELECT id, network, currency, status, amount, created_at AS "createdAt", hold, coalesce(hold_message, failure_reason) AS note,
             transaction_hash AS "transactionHash"
           FROM (SELECT *, row_number() OVER (PARTITION BY network, currency ORDER BY number DESC) AS place FROM cold_transfers
             WHERE environment = $1::"Environment") AS one
           WHERE place <= ${MAX_SHOWN} ORDER BY network, currency, number DESC`,
    values: [environment],
  });
  return rows;
}

async function readBooked(
  { pool }: Deps,
  environment: Environment,
): Promise<readonly { readonly network: string; readonly currency: string; readonly amount: string }[]> {
  const { rows } = await pool.query<{ network: string; currency: string; amount: string }>({
    name: 'cold-booked',
    text: `SELECT network, currency, amount::text AS amount FROM ledger_balances
           WHERE environment = $1::"Environment" AND account = 'cold'`,
    values: [environment],
  });
  return rows;
}
