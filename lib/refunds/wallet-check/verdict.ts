// Combines the reports of several endpoints about the refund wallet's transactions into one verdict. Where several have to agree, a single
// endpoint neither stops signing nor lets a refund through. Then the refunds of the network wait, and the operator reads which
// endpoint is the cause. Pure.

import type { OwnTransactions } from '@/lib/networks/sending/send';
import { fromUnixSeconds } from '@/lib/platform/clock';
import { BEHIND_SECONDS, CLOCK_MARGIN_SECONDS } from './known';

/** `at`: an operator who unfreezes the signer has checked the wallet's transactions up to then. */
export type WalletStop = {
  readonly kind: 'stop';
  readonly reason: string;
  readonly at: Date;
  readonly hashes: readonly string[];
};
/** Why no refund may be sent now. `wait`: it may pass on its own, or when the operator changes the endpoints. */
export type WalletObstacle = WalletStop | { readonly kind: 'wait'; readonly why: string };
/** `through`: the time up to which every transaction is known, in Unix seconds. */
type WalletVerdict = WalletObstacle | { readonly kind: 'clear'; readonly through: number };

export type Reported = {
  readonly votes: readonly OwnTransactions[];
  readonly needed: number;
  /** Unix seconds: the time from which transactions were compared. */
  readonly since: number;
  /** Unix seconds, by the clock of this machine. */
  readonly now: number;
  readonly network: string;
};

/** The most hashes in one log line. */
const MAX_LOGGED = 100;

export function judgeReports({ votes, needed, since, now, network }: Reported): WalletVerdict {
  const future = votes.filter(({ unknown }) => unknown.some(({ time }) => time > now + CLOCK_MARGIN_SECONDS));
  if (future.length > 0) return wait(future, 'dates a transaction of the refund wallet in the future');
  const unknown = votes.filter((vote) => vote.unknown.length > 0);
  if (unknown.length >= needed) return stopFor(unknown, { needed, since, network });
  if (unknown.length > 0) {
    return wait(unknown, 'alone reports a transaction of the refund wallet that this database does not know');
  }
  const [behind, current] = [votes.filter(isBehind), votes.filter((vote) => !isBehind(vote))];
  const [short, whole] = [current.filter(isShort), current.filter((vote) => !isShort(vote))];
  // The smallest value: one endpoint with a later time changes nothing.
  const latest = least(whole.map(({ through }) => through));
  if (whole.length >= needed && latest > now + CLOCK_MARGIN_SECONDS) {
    return wait(whole, 'is ahead of the clock of this machine, which is wrong');
  }
  if (whole.length >= needed) return { kind: 'clear', through: latest };
  if (short.length >= needed) return stopForHistory(short, { needed, since, network });
  const clock = 'is minutes behind the clock of this machine, or that clock is wrong';
  if (short.length === 0) return wait(behind, clock);
  const kept = textOf(least(short.map(({ from }) => from)));
  return wait(short, `keeps transactions since ${kept} only, and they are needed since ${textOf(since)}`);

  function isBehind({ through }: OwnTransactions): boolean {
    return through < now - BEHIND_SECONDS;
  }
  function isShort({ from }: OwnTransactions): boolean {
    return from > since;
  }
}

type Basis = Pick<Reported, 'needed' | 'since' | 'network'>;

function stopFor(reports: readonly OwnTransactions[], { needed, since, network }: Basis): WalletStop {
  const newest = reports.map(({ unknown }) => Math.max(...unknown.map(({ time }) => time))).toSorted((a, b) => b - a);
  // As late as enough endpoints report: an endpoint that dates a transaction later hides none of the following ones.
  const at = fromUnixSeconds(newest[needed - 1] ?? since);
  const hashes = [...new Set(reports.flatMap(({ unknown }) => unknown.flatMap(({ hash }) => hash ?? [])))];
  // The signer accepts at most 200 characters, so the hashes go to the log.
  const what = hashes.length > 0 ? `${hashes.length} transactions that` : 'a transaction, and maybe more, that';
  const reason = `since ${textOf(since)} the refund wallet on ${network} signed ${what} the database does not know`;
  return { kind: 'stop', reason, at, hashes: hashes.slice(0, MAX_LOGGED) };
}

function stopForHistory(short: readonly OwnTransactions[], { since, network }: Basis): WalletStop {
  const kept = textOf(least(short.map(({ from }) => from)));
  const known = `the database knows them until ${textOf(since)}`;
  const reason = `the endpoints keep transactions on ${network} since ${kept}, ${known}: look at the refund wallet`;
  // Not the time from which endpoints keep transactions, because they keep deleting. The operator checks after the freeze.
  return { kind: 'stop', reason, at: fromUnixSeconds(least(short.map(({ through }) => through))), hashes: [] };
}

const wait = (votes: readonly OwnTransactions[], what: string): WalletVerdict => ({
  kind: 'wait',
  why: `${votes.map(({ endpoint }) => endpoint).join(' and ')} ${what}`,
});

const least = (times: readonly number[]): number => Math.min(...times);
const textOf = (time: number): string => fromUnixSeconds(time).toISOString();
