// The state derived from the journal's records, such as intents with their attempts and amounts signed in the last hour and day. Only `take`
// changes it, with records that are on the disk. The intents of closed segments are read from the archive on request.

import type { Environment } from '@/lib/platform/ids';
import { Allowances } from './allowances';
import type { Archive, RecordMark } from './archive';
import { toCheckpoint, type Checkpoint } from './checkpoint';
import { GivenIndexes } from './given-indexes';
import { applied, type Intent } from '@/lib/signer/intent';
import { allowanceMeterOf, DAY_MILLISECONDS, feeMeterOf, METER_OF, meterOf, Meters, type Meter } from './meters';
import { intentsOf, PAYMENTS_BUDGET } from './record';
import type { Allowance, AllowanceChange, JournalRecord, WalletAddresses } from './record';
import type { IndexContent } from './segment-index';
import { SignedSweeps } from './signed-sweeps';

export type { Attempt, Intent } from '@/lib/signer/intent';

type OpenMark = RecordMark & { readonly offset: number };
export class JournalIndex {
  readonly #archive: Archive;
  /** Complete intents that have records since the last `forget`. */
  readonly #intents = new Map<string, Intent>();
  /** Change in cents of each session's refunds since then. */
  readonly #sessions = new Map<string, bigint>();
  readonly #nonces = new Map<string, number>();
  readonly #spent = new Meters();
  #records: OpenMark[] = [];
  /** Number of the first of `#records`. */
  #first = 0;
  #frozen: string | null = null;
  readonly given = new GivenIndexes(this.#spent);
  #machine: string | null = null;
  #wallets: WalletAddresses | null = null;
  #counts = { intents: 0, attempts: 0, released: 0 };
  readonly #allowances = new Allowances();
  readonly sweeps = new SignedSweeps();

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  /** Why the journal says that the signer is frozen, or null. */
  get frozen(): string | null {
    return this.#frozen;
  }

  /** The highest index of a deposit address ever given; -1 for none. */
  get highestIndex(): number {
    return this.given.highest;
  }

  /** Digest of the machine on which the journal was written; null when unknown. */
  get machine(): string | null {
    return this.#machine;
  }

  /** The refund wallets; null for those that derive from the seed. */
  get wallets(): WalletAddresses | null {
    return this.#wallets;
  }

  get counts(): { intents: number; attempts: number; released: number } {
    return { ...this.#counts };
  }

  get recordCount(): number {
    return this.#first + this.#records.length;
  }

  get nextNonces(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#nonces);
  }

  /** The mark of a record anywhere in the journal; null when no record has this number. */
  mark(number: number): RecordMark | null {
    if (number >= this.#first) return this.#records[number - this.#first] ?? null;
    return this.#archive.markOf(number);
  }

  /** An intent with all its attempts. Throws when its records are in a closed segment that cannot be read. */
  intent(intentId: string): Intent | null {
    const open = this.#intents.get(intentId);
    if (open) return open;
    return this.#archive.recordsOf(intentId).reduce<Intent | null>((intent, record) => applied(intent, record), null);
  }

  /** The nonce of the next new intent on a chain; null when no nonce was used there yet. */
  nextNonce(network: string, chain: string): number | null {
    return this.#nonces.get(`${network}@${chain}`) ?? null;
  }

  /** Cents signed within the hour and the day before a time in milliseconds, for first attempts or for repeated ones. */
  spentBefore(now: number, meter: Meter): { hour: bigint; day: bigint } {
    return this.#spent.before(meterOf(meter), now);
  }

  /** Fees signed within the hour before a time in milliseconds, by budget (record.ts), in the smallest unit of the coin. */
  feesBefore(now: number, budget: string): bigint {
    return this.#spent.before(feeMeterOf(budget), now).hour;
  }

  /** The last change of an allowance by a wallet on a chain such as `ethereum@mainnet`; null for none. */
  lastAllowance(chain: string, wallet: string): Allowance | null {
    return this.#allowances.last(chain, wallet);
  }

  /** How many changes of allowances were signed on a chain within the day before a time in milliseconds. */
  allowancesBefore(now: number, chain: string): bigint {
    return this.#spent.before(allowanceMeterOf(chain), now).day;
  }

  /** Cents of the unreleased intents under one evidence name, without the intent `except`. */
  refundedOf(environment: Environment, session: string, except: string): bigint {
    const name = `${environment} ${session}`;
    const sum = this.#archive.sumOf(name) + (this.#sessions.get(name) ?? 0n);
    const own = this.intent(except);
    return own && !own.isReleased && sessionOf(own) === name ? sum - own.cents : sum;
  }

  take(record: JournalRecord, offset: number): void {
    const { at, entry, hash } = record;
    const intentIds = intentsOf(record);
    const changed = intentIds.map((intentId) => {
      const before = entry.kind === 'opened' ? null : this.intent(intentId);
      return { intentId, before, after: applied(before, record) };
    });
    switch (entry.kind) {
      case 'begun':
        break;
      case 'checkpoint':
        this.#restore(entry, record.number);
        break;
      case 'opened':
        this.#counts.intents++;
        for (const { after } of changed) this.#change(after, BigInt(entry.cents));
        break;
      case 'signed':
      case 'batch':
        for (const one of changed) this.#sign(one.before as Intent, one.after, at);
        break;
      case 'allowed':
        this.#allow(entry, at);
        break;
      case 'released':
        this.#counts.released++;
        for (const { after } of changed) this.#change(after, -after.cents);
        break;
      case 'frozen':
        this.#frozen = entry.reason;
        break;
      case 'unfrozen':
        this.#frozen = null;
        // A restored journal may lack payments that the chain has. The person who unfroze the signer has checked them, so the next
        // payment takes the chain's next nonce. Of two payments with one nonce at most one can land. A take-over keeps them: the copy
        // lacks nothing, but a database that failed over may have lost a signed payment.
        if (!entry.keepsNonces) this.#nonces.clear();
        this.given.unfreeze();
        break;
      case 'addresses':
        this.given.take(entry.highest, at);
        break;
      case 'machine':
        this.#machine = entry.digest;
        break;
      case 'wallets':
        this.#wallets = entry.addresses;
        break;
      case 'fees':
        this.#spent.spend(feeMeterOf(entry.chain), { at, cents: BigInt(entry.wei) });
        if (!entry.chain.startsWith(PAYMENTS_BUDGET)) this.sweeps.add(entry.hash);
    }
    for (const one of changed) this.#intents.set(one.intentId, one.after);
    this.#records.push({ hash, intentIds, offset });
  }

  /** The index content of a segment that holds the records since the last `forget` and begins at `from` in the file. */
  indexContent(from: number): Omit<IndexContent, 'segment' | 'previous'> {
    const places = this.#records.flatMap(({ intentIds, offset }) =>
      intentIds.map((intentId) => ({ intentId, offset: offset - from })),
    );
    return { first: this.#first, records: this.#records.length, places, sums: new Map(this.#sessions) };
  }

  /** Drops the records that the archive holds now. */
  forget(): void {
    this.#first = this.recordCount;
    this.#records = [];
    this.#intents.clear();
    this.#sessions.clear();
  }

  /** The checkpoint for all records so far. `index`: MAC of the index of the last closed segment. */
  checkpoint(closed: { readonly segments: number; readonly index: string }, now: number): Checkpoint {
    return toCheckpoint({
      ...closed,
      frozen: this.#frozen,
      highest: this.given.highest,
      machine: this.#machine,
      ...(this.#wallets ? { wallets: this.#wallets } : {}),
      nonces: this.nextNonces,
      spent: this.#spent.all,
      since: now - DAY_MILLISECONDS,
      counts: this.counts,
      allowances: this.#allowances.all,
    });
  }

  #restore(entry: Checkpoint, number: number): void {
    this.#archive.load(entry);
    this.forget();
    this.#first = number;
    this.#wallets = entry.wallets ?? null;
    this.#frozen = entry.frozen;
    this.given.restore(entry.highest);
    this.#machine = entry.machine;
    this.#counts = { ...entry.counts };
    this.#nonces.clear();
    for (const [chain, nonce] of Object.entries(entry.nonces)) this.#nonces.set(chain, nonce);
    this.#spent.all.clear();
    for (const { meter, at, cents } of entry.spent) this.#spent.spend(meter, { at, cents: BigInt(cents) });
    this.#allowances.restore(entry.allowances ?? []);
  }

  #allow(change: AllowanceChange, at: number): void {
    const { chain, params } = change;
    this.#spent.spend(allowanceMeterOf(chain), { at, cents: 1n });
    // A replacement has the nonce of the transaction before. After an unfreeze, payments may have used higher ones.
    if (this.#allowances.take(change, at)) this.#nonces.set(chain, params.nonce + 1);
  }

  #sign(before: Intent, after: Intent, at: number): void {
    this.#counts.attempts++;
    const [validity, isRepeated] = [after.attempts.at(-1)?.signed.validity, before.attempts.length > 0];
    // A replacement shares its nonce, so only one of the two can land and the amount counts once.
    if (isRepeated && validity?.kind === 'nonce') return;
    const { environment, currency, network, evidence } = after.order;
    const meter = { environment, currency, isRepeated };
    const spent = { at, cents: after.cents };
    this.#spent.spend(meterOf({ ...meter, of: METER_OF[evidence.kind] }), spent);
    if (evidence.kind === 'claim' && !after.isApproved) this.#spent.spend(meterOf({ ...meter, of: 'claims' }), spent);
    if (validity?.kind === 'nonce') this.#nonces.set(`${network}@${after.chain}`, validity.nonce + 1);
  }

  #change(intent: Intent, cents: bigint): void {
    const name = sessionOf(intent);
    this.#sessions.set(name, (this.#sessions.get(name) ?? 0n) + cents);
  }
}

const sessionOf = ({ order: { environment, evidence } }: Intent): string => `${environment} ${evidence.session}`;
