// Recovers a database that was restored from a backup: imports every payment that the signer signed and the database lacks, while the
// signer is frozen. Payments that cannot be imported are listed, and block unfreezing until the operator accepts them.

import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { recoverIntent, type Recovered } from './write';
import {
  journalFault,
  advanceJournalCursor,
  readJournalCursor,
  setJournalCursor,
  unknownToSigner,
  unknownIntents,
  type JournalSigner,
  type UnknownIntent,
} from './signer-check-journal';

type Deps = Pick<Context, 'pool' | 'clock'> & { readonly config: Pick<Config, 'TEST_CHAINS'> };

/** The result of comparing the journal with this database. */
export type Comparison = {
  /** Why the signer is frozen; null when it is not. */
  readonly frozen: string | null;
  /** What is wrong with the journal as a whole; null when it begins as the database remembers. */
  readonly fault: string | null;
  readonly unknown: readonly UnknownIntent[];
  /** Transactions of the database that may still land and that the journal does not know. */
  readonly strangers: number;
};

export type Recovery = {
  readonly comparison: Comparison;
  readonly refunds: readonly { readonly unknown: UnknownIntent; readonly recovered: Recovered }[];
  /** Whether nothing blocks unfreezing any more. */
  readonly isLevel: boolean;
};

/** Read-only. Throws AddressSourceError when the signer does not respond. */
export async function compare({ pool }: Pick<Deps, 'pool'>, signer: JournalSigner): Promise<Comparison> {
  const cursor = await readJournalCursor(pool, await signer.fingerprint());
  const { journal, frozen, reason } = await signer.state();
  const fault = await journalFault(signer, cursor, journal);
  return {
    frozen: frozen ? reason : null,
    fault,
    // No part of a different journal was ever compared.
    unknown: await unknownIntents(pool, signer, fault === null ? (cursor?.records ?? 0) : 0),
    strangers: await unknownToSigner(pool, signer, new Set()),
  };
}

/**
 * Imports what the database lacks. Nothing is signed until a person unfreezes the signer afterwards. With `accept`, payments that cannot be
 * imported count as acknowledged, and so does a different journal, unless a transaction unknown to the journal may still land.
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
    await (isWhole ? advanceJournalCursor : setJournalCursor)(
      deps.pool,
      await signer.fingerprint(),
      journal,
      deps.clock.now(),
    );
  }
  return { comparison, refunds, isLevel };
}
