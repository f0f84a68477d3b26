// Writes a signing request: drafts the transfers from the cold wallet to the refund wallet on the present state of the chain, and stores
// them. It supersedes an unsigned older request of the same wallet. While a signed return is open, the command refuses another request,
// because on TRON both could be paid; only a Safe's nonce excludes one of them.

import type { AccountTerms } from '@/lib/cold-storage/accounts/account';
import { describeItem } from '@/lib/cold-storage/accounts/describe';
import { decimalToText, parseDecimal } from '@/lib/money/amounts';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { randomText } from '@/lib/platform/ids';
import { draftRequest, readColdSafe, type Drafting, type Wanted } from './draft';
import { ReturnRefused } from './refusal';
import { differences, makeRequest, termsOf, type Request } from './request-file';
import type { ReturnChain } from './rows';

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
 * Drafts, stores and returns the request. Throws ReturnRefused, a SendHold or SendRefused with the reason why a transfer would fail now,
 * or a ChainError.
 */
export async function requestReturn(
  { pool, clock }: Deps,
  chain: ReturnChain,
  wanted: Drafting & {
    /** Writes the file. Called before the request is stored, so that an older one is superseded only by one that can be signed. */
    readonly write: (request: Request) => void;
  },
): Promise<Request> {
  const { spec } = chain;
  const { cold, refund } = wanted.wallets;
  const safe = await readColdSafe(chain, cold);
  const place = { sender: cold, safeNonce: safe?.nonce ?? null };
  await refuseWhileSigned(pool, chain, place);
  const id = `cr_${randomText()}`;
  const { items, terms } = await draftRequest(chain, id, { ...wanted, safe });
  const request = makeRequest({ id, items: [...items], spec, created: clock.now(), terms });
  const found = differences(request, { to: refund, now: clock.now() });
  if (found.length > 0) throw new ReturnRefused(`The drafted request would be refused offline: ${found.join('; ')}.`);
  wanted.write(request);
  await store({ pool, clock }, chain, { request, recipient: refund, place });
  return request;
}

/** The lock of the chain's row decides between two commands at once. */
async function store(
  { pool, clock }: Deps,
  chain: ReturnChain,
  given: { readonly request: Request; readonly recipient: string; readonly place: Place },
): Promise<void> {
  const { request, recipient, place } = given;
  const { sender } = place;
  await transaction(pool, async (tx) => {
    await lockChain(tx, chain.chainId);
    await refuseWhileSigned(tx, chain, place);
    // The owners of a Safe may still execute an older one elsewhere. Its nonce decides.
    await tx.query({
      name: 'cold-return-supersede',
      text: `UPDATE cold_returns SET outcome = 'superseded', ended_at = $3
             WHERE chain_id = $1 AND sender = $2 AND signed_at IS NULL AND ended_at IS NULL
               AND account->>'kind' IS DISTINCT FROM 'safe'`,
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

/** The wallet of a request, and the nonce of its SafeTx if it is a Safe. */
type Place = { readonly sender: string; readonly safeNonce: number | null };

/** Only transactions of a Safe with one nonce exclude each other by themselves, so a newer one may stand beside a signed one that is stuck. */
async function refuseWhileSigned(
  db: Pick<Tx, 'query'>,
  { chainId, spec }: ReturnChain,
  { sender, safeNonce }: Place,
): Promise<void> {
  const { rows } = await db.query<{
    id: string;
    request_id: string;
    currency: string;
    amount: string;
    account: AccountTerms | null;
    unsigned: string;
  }>({
    name: 'cold-return-open',
    text: `SELECT id, request_id, currency, amount::text AS amount, account, unsigned FROM cold_returns
           WHERE chain_id = $1 AND sender = $2 AND signed_at IS NOT NULL AND ended_at IS NULL ORDER BY id`,
    values: [chainId, sender],
  });
  const open = rows.find(({ id, account, unsigned }) => {
    if (account?.kind !== 'safe' || safeNonce === null) return true;
    const { validity } = describeItem(spec, { intent: id, unsigned, from: sender }, account);
    return !('nonce' in validity) || validity.nonce !== safeNonce;
  });
  if (!open) return;
  const decimals = spec.tokens[open.currency]?.decimals ?? 0;
  const amount = decimalToText({ units: BigInt(open.amount), digits: decimals });
  throw new ReturnRefused(
    `${open.request_id} over ${amount} ${open.currency} is signed and not final yet. Wait for its end (npm run cold -- status).`,
  );
}
