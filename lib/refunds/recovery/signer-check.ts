// Checks before each signature whether the signer's journal agrees with this database and with the chains. If not, one of them was
// restored, replaced or copied, and paid refunds could be paid again. The worker then freezes the signer until a person has resolved the
// cause (scripts/stabletill/refunds.mjs). Checked at the start and again every half a minute, so that a foreign transaction of the refund wallet stops
// signing within a minute on networks with account nonces.

import { ChainError } from '@/lib/networks/chain';
import { stopsSigning, type NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import type { SignerState } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import {
  journalFault,
  advanceJournalCursor,
  readJournalCursor,
  type JournalCursor,
  unknownToSigner,
  unknownIntents,
  type JournalSigner,
} from './signer-check-journal';

/** `unavailable`: the signer did not respond. Only `ok` allows signatures. */
export type Verdict = 'ok' | 'frozen' | 'unavailable';

/** A chain on which refunds are paid. */
export type CheckedChain = { readonly spec: NetworkSpec; readonly sender: Pick<ChainSender, 'minedNonce'> };

const EVERY_MILLISECONDS = 30_000;
const RETRY_MILLISECONDS = 1000;

type Deps = Pick<Context, 'pool' | 'clock' | 'log'>;

/** `isSigning`: a signature is requested if the result is `ok`. */
export type SignerCheck = (deps: Deps, use?: { readonly isSigning: boolean }) => Promise<Verdict>;

/** What the last check found. `cursor`: of the journal in the database, as it was before that or was compared since. */
type Last = { readonly verdict: Verdict; readonly until: number; cursor: JournalCursor | null };

/**
 * The check of one signer for all chains of this process, called before every signature. It repeats when the last result is half a minute old,
 * and every second after a result other than `ok`. Before a signature it also repeats once another worker has compared a journal that is not
 * this signer's: a standby has taken over, and this signer must not sign again. Throws database errors.
 */
export function openSignerCheck(signer: JournalSigner, chains: readonly CheckedChain[]): SignerCheck {
  const known = new Set<string>();
  const counted = new Map<string, number>();
  let last: Last | null = null;
  let running: Promise<Verdict> | null = null;
  const checkAnew = async (deps: Deps): Promise<Verdict> => {
    // Read first: what another worker compares meanwhile is not known to be of this signer.
    const cursor = await cursorOf(deps, signer).catch(unreachable);
    const verdict = await check(deps, { signer, chains, known, counted });
    const pause = verdict === 'ok' ? EVERY_MILLISECONDS : RETRY_MILLISECONDS;
    last = { verdict, until: deps.clock.now().getTime() + pause, cursor };
    return verdict;
  };
  return async (deps, { isSigning } = { isSigning: false }) => {
    if (last && deps.clock.now().getTime() < last.until) {
      if (!isSigning || last.verdict !== 'ok' || !(await isOvertaken(deps, signer, last))) return last.verdict;
    }
    running ??= checkAnew(deps).finally(() => {
      running = null;
    });
    return running;
  };
}

const cursorOf = async ({ pool }: Deps, signer: JournalSigner): Promise<JournalCursor | null> =>
  readJournalCursor(pool, await signer.fingerprint());

function unreachable(error: unknown): null {
  if (error instanceof AddressSourceError) return null;
  throw error;
}

/** Whether the cursor moved to a record that this signer's journal does not have, or may not have. */
async function isOvertaken(deps: Deps, signer: JournalSigner, last: Last): Promise<boolean> {
  try {
    const cursor = await cursorOf(deps, signer);
    if (cursor?.records === last.cursor?.records && cursor?.head === last.cursor?.head) return false;
    const isOther = (await journalFault(signer, cursor, (await signer.state()).journal)) !== null;
    if (!isOther) last.cursor = cursor;
    return isOther;
  } catch (error) {
    if (error instanceof AddressSourceError) return true;
    throw error;
  }
}

type Checked = {
  readonly signer: JournalSigner;
  readonly chains: readonly CheckedChain[];
  readonly known: Set<string>;
  /** How many transactions each wallet had at the last check. Cleared by a freeze, because an operator then examines the wallet. */
  readonly counted: Map<string, number>;
};

async function check(deps: Deps, checked: Checked): Promise<Verdict> {
  const { signer } = checked;
  try {
    if ((await signer.state()).frozen) {
      checked.counted.clear();
      return 'frozen';
    }
    const fault = await findFault(deps, checked);
    if (fault === null) return 'ok';
    await signer.freeze(fault);
    deps.log.error(
      { reason: fault },
      'refunds are stopped: the signer’s journal, the database and the chains do not agree. Run `npm run refunds -- status`',
    );
    return 'frozen';
  } catch (error) {
    if (!(error instanceof AddressSourceError)) throw error;
    if (!error.retryable) deps.log.error({ err: error }, 'the signer’s responses cannot be used: nothing is signed');
    return 'unavailable';
  }
}

/** The first disagreement, as the reason for a freeze; null, with the cursor advanced, when everything agrees. */
async function findFault(
  { pool, clock, log }: Deps,
  { signer, chains, known, counted }: Checked,
): Promise<string | null> {
  const fingerprint = await signer.fingerprint();
  const wallet = await pool.query<{ fingerprint: string }>('SELECT fingerprint FROM wallets WHERE id = 1');
  if (wallet.rows[0] && wallet.rows[0].fingerprint !== fingerprint) return 'the database belongs to another wallet';

  // Read each before what may be ahead of it: the nonces before the journal that counts them, the cursor before the journal.
  const nonces = await minedNonces(chains, await signer.state(), log);
  const cursor = await readJournalCursor(pool, fingerprint);
  const { journal, nextNonces } = await signer.state();
  const replaced = await journalFault(signer, cursor, journal);
  if (replaced !== null) return replaced;

  // The cursor says up to which record this database was found to have all attempts of the journal.
  const unknown = journal.records === cursor?.records ? [] : await unknownIntents(pool, signer, cursor?.records ?? 0);
  if (unknown.length > 0) {
    return `the database is older than the journal: ${unknown.length} refunds unknown to it`;
  }
  const strangers = await unknownToSigner(pool, signer, known);
  if (strangers > 0) return `the journal does not know ${strangers} transactions of the database that may still land`;

  for (const nonce of nonces)
    if (await isUsedElsewhere(pool, nonce, { nextNonces, counted }))
      return `the key of the refund wallet was used elsewhere on ${nonce.spec.network}`;
  await advanceJournalCursor(pool, fingerprint, journal, clock.now());
  return null;
}

type MinedNonce = { readonly spec: NetworkSpec; readonly wallet: string; readonly mined: number };

/**
 * Whether a chain has more transactions of the refund wallet than the signer made there, and than the wallet had at the last check: before its
 * first payment, and after an unfreeze, the signer does not know how many there are. A public test network stops nothing.
 */
async function isUsedElsewhere(
  db: Db,
  { spec, wallet, mined }: MinedNonce,
  { nextNonces, counted }: Pick<SignerState, 'nextNonces'> & Pick<Checked, 'counted'>,
): Promise<boolean> {
  const { environment, network, chain } = spec;
  const name = `${environment} ${network}@${chain} ${wallet}`;
  const known = Math.max(nextNonces[`${network}@${chain}`] ?? -1, counted.get(name) ?? -1);
  const isForeign = known !== -1 && mined > known && mined > (await storedNonces(db, { spec, wallet }));
  if (isForeign && stopsSigning(spec)) return true;
  counted.set(name, Math.max(mined, counted.get(name) ?? -1));
  return false;
}

/** How many account nonces of the wallet are used once everything in this database has landed. After an unfreeze the signer may go back. */
async function storedNonces(db: Db, { spec, wallet }: Pick<MinedNonce, 'spec' | 'wallet'>): Promise<number> {
  const { rows } = await db.query<{ nonces: string }>({
    name: 'signer-check-nonces',
    text: `SELECT coalesce(max(used.nonce) + 1, 0)::text AS nonces FROM chains c CROSS JOIN LATERAL (
             SELECT (validity->>'nonce')::bigint AS nonce FROM refund_attempts
               WHERE chain_id = c.id AND hash IS NOT NULL AND lower(draft->>'from') = lower($3)
             UNION ALL SELECT nonce FROM allowance_transactions WHERE chain_id = c.id AND wallet = lower($3)) AS used
           WHERE c.environment = $1::"Environment" AND c.network = $2 AND c.retired_at IS NULL`,
    values: [spec.environment, spec.network, wallet],
  });
  return Number(rows[0]?.nonces ?? 0);
}

/** Only chains that report nonces. A chain that cannot be reached is checked the next time. */
async function minedNonces(
  chains: readonly CheckedChain[],
  { wallets }: SignerState,
  log: Deps['log'],
): Promise<MinedNonce[]> {
  const found = await Promise.all(
    chains.map(async ({ spec, sender }): Promise<MinedNonce[]> => {
      const wallet = wallets[spec.environment].evm;
      try {
        const mined = await sender.minedNonce?.(wallet);
        return mined === undefined ? [] : [{ spec, wallet, mined }];
      } catch (error) {
        // Any other error concerns one network only, so the other networks continue to pay.
        const level = error instanceof ChainError ? 'debug' : 'error';
        log[level]({ err: error, network: spec.network }, 'the account nonce of the refund wallet cannot be read now');
        return [];
      }
    }),
  );
  return found.flat();
}
