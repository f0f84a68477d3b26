// Brings a database that was restored from a backup level with the signer's journal: every payment that the signer made and the
// database forgot is taken in again, while the signer is frozen. What cannot be taken in is named, and stays in the way until
// the operator accepts it.

import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { recoverIntent, type Recovered } from './write';
import {
  journalFault,
  moveMark,
  readMark,
  setMark,
  strangersIn,
  unknownIntents,
  type JournalSigner,
  type UnknownIntent,
} from './signer-check-journal';

type Deps = Pick<Context, 'pool' | 'clock'> & { readonly config: Pick<Config, 'TEST_CHAINS'> };

/** How the journal, this database and each other stand. */
export type Comparison = {
  /** Why the signer is frozen; null when it is not. */
  readonly frozen: string | null;
  /** What is wrong with the journal as a whole; null when it begins as the database remembers it. */
  readonly fault: string | null;
  readonly unknown: readonly UnknownIntent[];
  /** Transactions of the database that may still land and that the journal does not know. */
  readonly strangers: number;
};

export type Recovery = {
  readonly comparison: Comparison;
  readonly refunds: readonly { readonly unknown: UnknownIntent; readonly recovered: Recovered }[];
  /** Whether nothing is in the way of unfreezing any more. */
  readonly isLevel: boolean;
};

/** Changes nothing. Throws AddressSourceError when the signer does not answer. */
export async function compare({ pool }: Pick<Deps, 'pool'>, signer: JournalSigner): Promise<Comparison> {
  const mark = await readMark(pool, await signer.fingerprint());
  const { journal, frozen, reason } = await signer.state();
  const fault = await journalFault(signer, mark, journal);
  return {
    frozen: frozen ? reason : null,
    fault,
    // Of a journal that is another one, no part was ever compared.
    unknown: await unknownIntents(pool, signer, fault === null ? (mark?.records ?? 0) : 0),
    strangers: await strangersIn(pool, signer, new Set()),
  };
}

/**
 * Takes in what the database forgot; nothing is signed meanwhile or afterwards, until a person unfreezes the signer. With
 * `accept` what cannot be taken in, and a journal that is another one, count as seen from then on; never while a transaction
 * that the journal does not know may still land.
 */
export async function recover(deps: Deps, signer: JournalSigner, accept: boolean): Promise<Recovery> {
  const first = await compare(deps, signer);
  if (first.unknown.length === 0 && first.fault === null && first.strangers === 0) {
    return { comparison: first, refunds: [], isLevel: true };
  }
  await signer.freeze('the database is being brought level with the journal');
  const comparison = await compare(deps, signer);
  const refunds = [];
  for (const unknown of comparison.unknown) {
    refunds.push({ unknown, recovered: await recoverIntent(deps, unknown) });
  }
  const isWhole = comparison.fault === null && refunds.every(({ recovered }) => 'done' in recovered);
  const hasFailed = refunds.some(({ recovered }) => 'isFault' in recovered);
  const isLevel = comparison.strangers === 0 && !hasFailed && (isWhole || accept);
  if (isLevel) {
    const { journal } = await signer.state();
    await (isWhole ? moveMark : setMark)(deps.pool, await signer.fingerprint(), journal, deps.clock.now());
  }
  return { comparison, refunds, isLevel };
}
