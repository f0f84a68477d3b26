// Writes a signing request: drafts the transfers from the cold wallet to the refund wallet on the present state of the chain, and stores
// them. It supersedes an unsigned older request of the same wallet. While a signed return is open, the command refuses another request,
// because on TRON both could be paid.

import type { AccountTerms } from '@/lib/cold-storage/accounts/account';
import { describeItem } from '@/lib/cold-storage/accounts/describe';
import { decimalToText, parseDecimal } from '@/lib/money/amounts';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { Draft, PaymentOrder } from '@/lib/networks/sending/send';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { randomText } from '@/lib/platform/ids';
import { ReturnRefused } from './refused';
import { differences, makeRequest, MAX_ITEMS, termsOf, type Request } from './request-file';
import type { ReturnChain } from './rows';
import { readTerms } from './terms';

export type Wanted = { readonly currency: string; readonly amount: bigint };

export type ReturnWallets = { readonly cold: string; readonly refund: string };

type Deps = Pick<Context, 'pool' | 'clock'>;

/** An amount in whole tokens as base units. Throws ReturnRefused. */
export function wantedOf(spec: NetworkSpec, currency: string, text: string): Wanted {
  const token = Object.hasOwn(spec.tokens, currency) ? spec.tokens[currency] : undefined;
  if (!token) throw new ReturnRefused(`${spec.network}@${spec.chain} has no ${currency}.`);
  const read = parseDecimal(text);
  const excess = read ? read.digits - token.decimals : 0;
  if (!read || read.units === 0n || (excess > 0 && read.units % 10n ** BigInt(excess) !== 0n))
    throw new ReturnRefused(`"${text}" is not an amount of ${currency} on ${spec.network}, such as 1500 or 0.25.`);
  // Exact: what is cut off is zeros.
  const amount = excess > 0 ? read.units / 10n ** BigInt(excess) : read.units * 10n ** BigInt(-excess);
  return { currency, amount };
}

/**
 * Drafts, stores and returns the request. `nonceAccounts`: on Solana one durable nonce account for each transfer. Throws ReturnRefused,
 * a SendHold or SendRefused with the reason why a transfer would fail now, or a ChainError.
 */
export async function requestReturn(
  { pool, clock }: Deps,
  chain: ReturnChain,
  wanted: {
    readonly wallets: ReturnWallets;
    readonly transfers: readonly Wanted[];
    readonly nonceAccounts: readonly string[];
    /** The permission of a TRON account that the operator has named. */
    readonly permission: number | null;
    /** Writes the file. Called before the request is stored, so that an older one is superseded only by one that can be signed. */
    readonly write: (request: Request) => void;
  },
): Promise<Request> {
  const { spec } = chain;
  const { wallets, transfers, nonceAccounts, permission } = wanted;
  checkWanted(spec, wanted);
  await refuseWhileSigned(pool, chain, wallets.cold);
  const terms = await readTerms(chain, wallets.cold, permission);
  const id = `cr_${randomText()}`;
  const first = spec.family === 'evm' ? await chain.sender.nextNonce(wallets.cold) : 0;
  const drafts: Draft[] = [];
  for (const [index, transfer] of transfers.entries()) {
    const before = transfers.slice(0, index);
    const tokens = before.reduce((sum, one) => sum + (one.currency === transfer.currency ? one.amount : 0n), 0n);
    drafts.push(
      await chain.sender.draft(orderOf(spec, transfer, wallets.refund, `${id}_${index + 1}`), wallets.cold, {
        ...(spec.family === 'evm' ? { nonce: first + index } : {}),
        unmined: { payments: index, tokens },
        lasting: { nonceAccount: nonceAccounts[index] ?? null, permission: permissionOf(terms) },
      }),
    );
  }
  const items = drafts.map(({ intentId, from, unsigned }) =>
    describeItem(spec, { intent: intentId, from, unsigned }, terms),
  );
  const request = makeRequest({ id, items, spec, created: clock.now(), terms });
  const found = differences(request, { to: wallets.refund, now: clock.now() });
  if (found.length > 0) throw new ReturnRefused(`The drafted request would be refused offline: ${found.join('; ')}.`);
  wanted.write(request);
  await store({ pool, clock }, chain, { request, recipient: wallets.refund });
  return request;
}

function checkWanted(
  spec: NetworkSpec,
  { transfers, nonceAccounts }: { readonly transfers: readonly Wanted[]; readonly nonceAccounts: readonly string[] },
): void {
  if (transfers.length === 0 || transfers.length > MAX_ITEMS)
    throw new ReturnRefused(`A request has 1 to ${MAX_ITEMS} transfers.`);
  const isSolana = spec.family === 'solana';
  if (isSolana && nonceAccounts.length !== transfers.length)
    throw new ReturnRefused(
      'On Solana name one durable nonce account for each transfer (--nonce ACCOUNT). Its authority must be the cold wallet.',
    );
  if (!isSolana && nonceAccounts.length > 0) throw new ReturnRefused('Only Solana has nonce accounts.');
}

/** The most signatures that a transfer under a permission may have, for its fee. */
const permissionOf = (terms: AccountTerms | null) =>
  terms?.kind === 'tron-permission' ? { id: terms.id, signatures: terms.keys.length } : undefined;

function orderOf(spec: NetworkSpec, { currency, amount }: Wanted, to: string, intentId: string): PaymentOrder {
  const contract = spec.tokens[currency]?.contract;
  if (contract === undefined) throw new ReturnRefused(`${spec.network}@${spec.chain} has no ${currency}.`);
  return { intentId, currency, contract, to, amount };
}

/** The lock of the chain's row decides between two commands at once. */
async function store(
  { pool, clock }: Deps,
  chain: ReturnChain,
  { request, recipient }: { readonly request: Request; readonly recipient: string },
): Promise<void> {
  const [sender = ''] = request.items.map(({ from }) => from);
  await transaction(pool, async (tx) => {
    await lockChain(tx, chain.chainId);
    await refuseWhileSigned(tx, chain, sender);
    await tx.query({
      name: 'cold-return-supersede',
      text: `UPDATE cold_returns SET outcome = 'superseded', ended_at = $3
             WHERE chain_id = $1 AND sender = $2 AND signed_at IS NULL AND ended_at IS NULL`,
      values: [chain.chainId, sender, clock.now()],
    });
    await tx.query({
      name: 'cold-return-store',
      text: `INSERT INTO cold_returns (id, request_id, position, request_sha256, environment, network, chain_id, currency, amount, sender,
               recipient, account, unsigned, created_at, expires_at)
             SELECT $1 || '_' || place, $1, place, $2, $3::"Environment", $4, $5, currency, amount, $6, $7, $13::jsonb, unsigned, $8, $9
             FROM unnest($10::text[], $11::numeric[], $12::text[]) WITH ORDINALITY AS item (currency, amount, unsigned, place)`,
      values: [
        request.id,
        request.sha256,
        chain.environment,
        chain.spec.network,
        chain.chainId,
        sender,
        recipient,
        request.created,
        request.expires,
        request.items.map(({ currency }) => currency),
        request.items.map(({ amount }) => amount),
        request.items.map(({ unsigned }) => unsigned),
        termsOf(request) && JSON.stringify(termsOf(request)),
      ],
    });
  });
}

/** Serialises what changes the returns of a chain. */
export async function lockChain(tx: Tx, chainId: number): Promise<void> {
  await tx.query({
    name: 'cold-return-lock',
    text: 'SELECT id FROM chains WHERE id = $1 FOR UPDATE',
    values: [chainId],
  });
}

async function refuseWhileSigned(db: Pick<Tx, 'query'>, { chainId, spec }: ReturnChain, sender: string): Promise<void> {
  const { rows } = await db.query<{ request_id: string; currency: string; amount: string }>({
    name: 'cold-return-open',
    text: `SELECT request_id, currency, amount::text AS amount FROM cold_returns
           WHERE chain_id = $1 AND sender = $2 AND signed_at IS NOT NULL AND ended_at IS NULL ORDER BY id LIMIT 1`,
    values: [chainId, sender],
  });
  const [open] = rows;
  if (!open) return;
  const decimals = spec.tokens[open.currency]?.decimals ?? 0;
  const amount = decimalToText({ units: BigInt(open.amount), digits: decimals });
  throw new ReturnRefused(
    `${open.request_id} over ${amount} ${open.currency} is signed and not final yet. Wait for its end (npm run cold -- status).`,
  );
}
