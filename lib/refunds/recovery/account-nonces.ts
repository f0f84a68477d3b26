// Whether the account nonces of the refund wallet and of the sponsors of sweeps reveal transactions that this installation did not make (EVM
// networks). Nothing else shows there within a minute that coin left such an account, or that it approved something.

import { ChainError } from '@/lib/networks/chain';
import { stopsSigning, type NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import type { SignerState } from '@/lib/signer/client';

/** A chain on which refunds are paid. */
export type CheckedChain = {
  readonly spec: NetworkSpec;
  readonly sender: Pick<ChainSender, 'minedNonce'> & Partial<Pick<ChainSender, 'nextNonce'>>;
};

type Account = { readonly account: 'refund wallet' | 'sponsor'; readonly address: string };
type AccountNonce = Account & { readonly spec: NetworkSpec; readonly mined: number };

/** How many transactions each account had at the last check, by its name. */
type Counted = ReadonlyMap<string, number>;

/** Only chains that report nonces. An account whose nonce cannot be read is checked the next time. */
export async function minedNonces(
  chains: readonly CheckedChain[],
  { state, counted, log }: { readonly state: SignerState; readonly counted: Counted } & Pick<Context, 'log'>,
): Promise<readonly AccountNonce[]> {
  const accounts = chains.flatMap((chain) =>
    chain.sender.minedNonce ? accountsOf(chain.spec, state).map((one) => ({ ...one, ...chain })) : [],
  );
  const found = await Promise.all(
    accounts.map(async ({ spec, sender, account, address }): Promise<AccountNonce[]> => {
      try {
        const isFirst = account === 'sponsor' && !counted.has(nameOf({ spec, address }));
        return [{ spec, account, address, mined: await readNonce(sender, address, isFirst) }];
      } catch (error) {
        // Any other error concerns one network only, so the other networks continue to pay.
        const level = error instanceof ChainError ? 'debug' : 'error';
        log[level]({ err: error, network: spec.network }, `the account nonce of the ${account} cannot be read now`);
        return [];
      }
    }),
  );
  return found.flat();
}

function accountsOf({ environment, network, chain }: NetworkSpec, { wallets, sweeps = [] }: SignerState): Account[] {
  const own = sweeps.filter((one) => one.environment === environment && one.network === `${network}@${chain}`);
  const sponsors = new Set(own.flatMap(({ sponsor, spareSponsor }) => [sponsor, spareSponsor]));
  return [
    { account: 'refund wallet', address: wallets[environment].evm },
    ...[...sponsors].map((address): Account => ({ account: 'sponsor', address })),
  ];
}

/** `isFirst`: with the sweeps outside a block, because a database that was restored since does not know them. */
async function readNonce(
  { minedNonce, nextNonce }: CheckedChain['sender'],
  address: string,
  isFirst: boolean,
): Promise<number> {
  const mined = (await minedNonce?.(address)) ?? 0;
  return isFirst && nextNonce ? Math.max(mined, await nextNonce(address)) : mined;
}

/**
 * Whether a chain has more transactions of the account than this installation made there, and than the account had at the last check. A
 * public test network stops nothing. Records the count.
 */
export async function isUsedElsewhere(
  db: Db,
  nonce: AccountNonce,
  { state, counted }: { readonly state: SignerState; readonly counted: Map<string, number> },
): Promise<boolean> {
  const { spec, mined } = nonce;
  const name = nameOf(nonce);
  const before = counted.get(name) ?? -1;
  const known = knownNonces(nonce, state, before);
  const isForeign = known !== -1 && mined > known && mined > (await storedNonces(db, nonce));
  if (isForeign && stopsSigning(spec)) return true;
  counted.set(name, Math.max(mined, before));
  return false;
}

/**
 * How many transactions need no explanation by the database; -1 if that is not known. Before its first payment, and after an unfreeze, the
 * signer does not know how many the refund wallet has. Of a sponsor it knows what it signed since it started, which a restored database
 * lacks; the count of the first check is trusted.
 */
function knownNonces({ account, address, spec }: AccountNonce, state: SignerState, before: number): number {
  const { environment, network, chain } = spec;
  const name = `${network}@${chain}`;
  if (account === 'refund wallet') return Math.max(state.nextNonces[name] ?? -1, before);
  if (before === -1) return -1;
  const sweeps = state.sweeps?.find((one) => one.environment === environment && one.network === name);
  return Math.max((sweeps?.sponsorNonces?.[address] ?? -1) + 1, before);
}

/** How many account nonces are used once everything in this database has landed. After an unfreeze the signer may go back. */
async function storedNonces(db: Db, { account, address, spec }: AccountNonce): Promise<number> {
  const { rows } = await db.query<{ nonces: string }>({
    ...(account === 'sponsor' ? SPONSOR_NONCES : REFUND_WALLET_NONCES),
    values: [spec.environment, spec.network, address],
  });
  return Number(rows[0]?.nonces ?? 0);
}

const REFUND_WALLET_NONCES = {
  name: 'signer-check-nonces',
  text: `SELECT coalesce(max(used.nonce) + 1, 0)::text AS nonces FROM chains c CROSS JOIN LATERAL (
           SELECT (validity->>'nonce')::bigint AS nonce FROM refund_attempts
             WHERE chain_id = c.id AND hash IS NOT NULL AND lower(draft->>'from') = lower($3)
           UNION ALL SELECT nonce FROM allowance_transactions WHERE chain_id = c.id AND wallet = lower($3)) AS used
         WHERE c.environment = $1::"Environment" AND c.network = $2 AND c.retired_at IS NULL`,
};

/** A sweep is stored with its hash before it is sent. One that was given up may still land. */
const SPONSOR_NONCES = {
  name: 'signer-check-sponsor-nonces',
  text: `SELECT coalesce(max((s.terms->>'nonce')::bigint) + 1, 0)::text AS nonces FROM chains c JOIN sweeps s ON s.chain_id = c.id
         WHERE c.environment = $1::"Environment" AND c.network = $2 AND c.retired_at IS NULL AND s.sender = lower($3)
           AND cardinality(s.hashes) > 0`,
};

const nameOf = ({ spec: { environment, network, chain }, address }: Pick<AccountNonce, 'spec' | 'address'>): string =>
  `${environment} ${network}@${chain} ${address}`;
