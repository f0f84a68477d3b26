// The webhook secrets of a store as its merchant knows them: when each is in use, and what a call must verify with. Times are
// milliseconds since 1970 by the history's clock.

/**
 * A webhook secret of a store. `until`: when deliveries need not verify with it any more; null while it is the present one.
 * `removedAt`: when it ended at once, with its endpoint.
 */
export type Secret = { readonly text: string; readonly from: number; until: number | null; removedAt?: number };

/** The secrets that a call must verify with, and those of which one must verify at least. */
export type ExpectedSecrets = { readonly must: readonly string[]; readonly may: readonly string[] };

/** What a call that arrives now must verify with. A change of this very moment may have come while the call was on its way. */
export function expectedSecrets(secrets: readonly Secret[], now: number): ExpectedSecrets {
  const usable = secrets.filter(({ until }) => until === null || until > now);
  const ending = secrets.filter(({ removedAt }) => removedAt === now);
  return {
    must: usable.filter(({ from }) => from !== now).map(({ text }) => text),
    may: [...usable, ...ending].map(({ text }) => text),
  };
}

/** Of a secret that is in use at no time. */
const ENDED = Number.NEGATIVE_INFINITY;

/** From now on nothing is signed with these secrets. */
export function removeSecrets(secrets: readonly Secret[], now: number): void {
  for (const secret of secrets) {
    if (secret.until === null || secret.until > now) secret.removedAt = now;
    // Also when the clock goes back.
    secret.until = ENDED;
  }
}

/** Puts the secrets of a backup back. Secrets that the restored database lacks sign no more from now on. */
export function restoreSecrets(secrets: Secret[], kept: readonly Secret[], now: number): void {
  removeSecrets(secrets, now);
  // Those that had ended for ever are in the list already. It would double with each restore.
  secrets.push(...kept.filter(({ until }) => until !== ENDED).map((one) => ({ ...one, from: now })));
}
