// What follows from the journal's records: the intents with their attempts, the nonces given out, what was signed in the last
// hour and day, and whether the signer is frozen. It changes by `take` only, with records that are on the disk.

import type { Draft } from '@/lib/chains/send';
import type { Environment } from '@/lib/ids';
import type { Entry, JournalRecord } from './journal-record';
import type { RefundOrder, Signed } from './orders';

const HOUR_MILLISECONDS = 3_600_000;
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS;

export type Attempt = {
  readonly at: number;
  /** SHA-256 of what is signed, in hex: what tells one payload of an intent from another. */
  readonly digest: string;
  readonly draft: Draft;
  readonly signed: Signed;
};

export type Intent = {
  readonly order: RefundOrder;
  /** Which chain of its network (`local`), as the settings had it. */
  readonly chain: string;
  readonly cents: bigint;
  readonly attempts: readonly Attempt[];
  readonly isReleased: boolean;
};

type Spent = { readonly at: number; readonly cents: bigint };
/** What a record is: its hash, and the intent that it is about, if it is about one. */
export type RecordMark = { readonly hash: string; readonly intentId: string | null };

type OpenIntent = { -readonly [Key in keyof Intent]: Intent[Key] } & { attempts: Attempt[] };

export class Book {
  readonly #intents = new Map<string, OpenIntent>();
  readonly #sessions = new Map<string, Set<OpenIntent>>();
  readonly #nonces = new Map<string, number>();
  readonly #spent = new Map<string, Spent[]>();
  readonly #records: RecordMark[] = [];
  #frozen: string | null = null;
  #highestIndex = -1;
  #machine: string | null = null;
  #attempts = 0;
  #released = 0;

  /** Why the journal has the signer frozen, or null. */
  get frozen(): string | null {
    return this.#frozen;
  }

  /** The highest index of a deposit address that was ever given, -1 for none. */
  get highestIndex(): number {
    return this.#highestIndex;
  }

  /** Digest of the machine that the journal was written on; null when none is known. */
  get machine(): string | null {
    return this.#machine;
  }

  get counts(): { intents: number; attempts: number; released: number } {
    return { intents: this.#intents.size, attempts: this.#attempts, released: this.#released };
  }

  /** In the journal's order. */
  get records(): readonly RecordMark[] {
    return this.#records;
  }

  /** By `network@chain`. */
  get nextNonces(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#nonces);
  }

  intent(intentId: string): Intent | null {
    return this.#intents.get(intentId) ?? null;
  }

  /** The nonce of the next new intent on a chain; null while none was ever used there. */
  nextNonce(network: string, chain: string): number | null {
    return this.#nonces.get(`${network}@${chain}`) ?? null;
  }

  /** Cents signed within the hour and the day before a time in milliseconds. */
  spentBefore(now: number, environment: Environment, currency: string): { hour: bigint; day: bigint } {
    let [hour, day] = [0n, 0n];
    const spent = this.#spent.get(`${environment} ${currency}`) ?? [];
    for (const { at, cents } of spent) {
      if (at > now - DAY_MILLISECONDS) day += cents;
      if (at > now - HOUR_MILLISECONDS) hour += cents;
    }
    return { hour, day };
  }

  /** Cents of a session's intents that were not released, without those of `except`. */
  refundedOf(environment: Environment, session: string, except: string): bigint {
    let sum = 0n;
    for (const { order, cents, isReleased } of this.#sessions.get(`${environment} ${session}`) ?? []) {
      if (!isReleased && order.intentId !== except) sum += cents;
    }
    return sum;
  }

  take({ at, entry, hash }: JournalRecord): void {
    this.#records.push({ hash, intentId: intentOf(entry) });
    switch (entry.kind) {
      case 'begun':
        return;
      case 'opened':
        return this.#open(entry.order, entry.chain, BigInt(entry.cents));
      case 'signed':
        return this.#sign(entry.intentId, { at, digest: entry.digest, draft: entry.draft, signed: entry.signed });
      case 'released':
        this.#opened(entry.outcome.intentId).isReleased = true;
        this.#released++;
        return;
      case 'frozen':
        this.#frozen = entry.reason;
        return;
      case 'unfrozen':
        this.#frozen = null;
        return;
      case 'addresses':
        this.#highestIndex = Math.max(this.#highestIndex, entry.highest);
        return;
      case 'machine':
        this.#machine = entry.digest;
    }
  }

  #open(order: RefundOrder, chain: string, cents: bigint): void {
    const intent: OpenIntent = { order, chain, cents, attempts: [], isReleased: false };
    this.#intents.set(order.intentId, intent);
    const session = `${order.environment} ${order.evidence.session}`;
    const others = this.#sessions.get(session);
    if (others) others.add(intent);
    else this.#sessions.set(session, new Set([intent]));
  }

  #sign(intentId: string, attempt: Attempt): void {
    const intent = this.#opened(intentId);
    const { validity } = attempt.signed;
    const isReplacement = validity.kind === 'nonce' && intent.attempts.length > 0;
    intent.attempts.push(attempt);
    this.#attempts++;
    // A replacement shares its nonce: only one of the two can land. Any other attempt counts, whatever lapsed before it.
    if (isReplacement) return;
    this.#spend(intent, attempt.at);
    if (validity.kind === 'nonce') {
      this.#nonces.set(`${intent.order.network}@${intent.chain}`, validity.nonce + 1);
    }
  }

  #spend({ order, cents }: Intent, at: number): void {
    const key = `${order.environment} ${order.currency}`;
    const recent = (this.#spent.get(key) ?? []).filter((one) => one.at > at - DAY_MILLISECONDS);
    this.#spent.set(key, [...recent, { at, cents }]);
  }

  #opened(intentId: string): OpenIntent {
    const intent = this.#intents.get(intentId);
    if (!intent) throw new Error('a record of the journal names an intent that was never opened');
    return intent;
  }
}

function intentOf(entry: Entry): string | null {
  switch (entry.kind) {
    case 'opened':
      return entry.order.intentId;
    case 'signed':
      return entry.intentId;
    case 'released':
      return entry.outcome.intentId;
    default:
      return null;
  }
}
