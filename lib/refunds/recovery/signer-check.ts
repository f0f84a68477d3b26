// Checks before each signature whether the signer's journal agrees with this database and with the chains. If not, one of them was
// restored, replaced or copied, and paid refunds could be paid again. The worker then freezes the signer until a person has resolved the
// cause (scripts/stabletill/refunds.mjs). Checked at the start and again every half a minute, so that a foreign transaction of the refund wallet or
// of a sponsor stops signing within a minute on networks with account nonces.

import type { Context } from '@/lib/platform/context';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { isUsedElsewhere, minedNonces, type CheckedChain } from './account-nonces';
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
  /** How many transactions each account had at the last check. Cleared by a freeze, because an operator then examines the account. */
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
  const nonces = await minedNonces(chains, { state: await signer.state(), counted, log });
  const cursor = await readJournalCursor(pool, fingerprint);
  const state = await signer.state();
  const { journal } = state;
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
    if (await isUsedElsewhere(pool, nonce, { state, counted }))
      return `the key of the ${nonce.account} was used elsewhere on ${nonce.spec.network}`;
  await advanceJournalCursor(pool, fingerprint, journal, clock.now());
  return null;
}
