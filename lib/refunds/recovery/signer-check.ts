// Checks before each signature whether the signer's journal agrees with this database and with the chains. If not, one of them was
// restored, replaced or copied, and paid refunds could be paid again. The worker then freezes the signer until a person has resolved the
// cause (scripts/refunds.mts). Checked at the start and again every half a minute, so that a foreign transaction of the refund wallet stops
// signing within a minute on networks with account nonces.

import { ChainError } from '@/lib/networks/chain';
import { stopsSigning, type NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import type { Context } from '@/lib/platform/context';
import type { SignerState } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import {
  journalFault,
  advanceJournalCursor,
  readJournalCursor,
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

/**
 * The check of one signer for all chains of this process, called before every signature. It repeats when the last result is half a minute old,
 * and every second after a result other than `ok`. Throws database errors.
 */
export function openSignerCheck(
  signer: JournalSigner,
  chains: readonly CheckedChain[],
): (deps: Deps) => Promise<Verdict> {
  const known = new Set<string>();
  let last: { readonly verdict: Verdict; readonly until: number } | null = null;
  let running: Promise<Verdict> | null = null;
  return (deps) => {
    if (last && deps.clock.now().getTime() < last.until) return Promise.resolve(last.verdict);
    running ??= check(deps, { signer, chains, known })
      .then((verdict) => {
        const pause = verdict === 'ok' ? EVERY_MILLISECONDS : RETRY_MILLISECONDS;
        last = { verdict, until: deps.clock.now().getTime() + pause };
        return verdict;
      })
      .finally(() => {
        running = null;
      });
    return running;
  };
}

type Checked = {
  readonly signer: JournalSigner;
  readonly chains: readonly CheckedChain[];
  readonly known: Set<string>;
};

async function check(deps: Deps, checked: Checked): Promise<Verdict> {
  const { signer } = checked;
  try {
    if ((await signer.state()).frozen) return 'frozen';
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
async function findFault({ pool, clock, log }: Deps, { signer, chains, known }: Checked): Promise<string | null> {
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

  const used = nonces.find(({ spec, mined }) => stopsSigning(spec) && isUsedElsewhere(spec, mined, nextNonces));
  if (used) return `the key of the refund wallet was used elsewhere on ${used.spec.network}`;
  await advanceJournalCursor(pool, fingerprint, journal, clock.now());
  return null;
}

/**
 * Whether a chain has seen more transactions of the refund wallet than the signer made there. False where the signer has made none yet:
 * earlier transactions are not the signer's.
 */
function isUsedElsewhere(
  { network, chain }: Pick<NetworkSpec, 'network' | 'chain'>,
  mined: number,
  nextNonces: SignerState['nextNonces'],
): boolean {
  const next = nextNonces[`${network}@${chain}`];
  return next !== undefined && mined > next;
}

/** Only chains that report nonces. A chain that cannot be reached is checked the next time. */
async function minedNonces(
  chains: readonly CheckedChain[],
  { wallets }: SignerState,
  log: Deps['log'],
): Promise<{ spec: NetworkSpec; mined: number }[]> {
  const found = [];
  for (const { spec, sender } of chains) {
    try {
      const mined = await sender.minedNonce?.(wallets[spec.environment].evm);
      if (mined !== undefined) found.push({ spec, mined });
    } catch (error) {
      // Any other error concerns one network only, so the other networks continue to pay.
      const level = error instanceof ChainError ? 'debug' : 'error';
      log[level]({ err: error, network: spec.network }, 'the account nonce of the refund wallet cannot be read now');
    }
  }
  return found;
}
