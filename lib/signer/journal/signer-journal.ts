// The signer's journal with its freeze state: what every kind of signature needs. It decides whether anything may be
// signed, and it records each signature before it is given out. Every method is synchronous.

import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@/lib/platform/clock';
import { macOf } from '@/lib/platform/crypto';
import { FreezeFiles } from '@/lib/signer/freeze';
import type { JournalIndex } from './journal-index';
import { OpenJournal, type JournalState } from './open';
import { TEXT_LIMIT, type Entry, type WalletAddresses } from './record';
import { isMoved, machineDigest, MOVED, unfreezeEntries, withMoved, withoutMoved } from '@/lib/signer/machine';
import { Refusal } from '@/lib/signer/refusal';

const OTHER_WALLETS =
  'the settings name other refund wallets than before; see that no payment of the former ones is open, then unfreeze';

const SKIPS_TOO_MANY =
  'the request skips too many indexes of deposit addresses for one day; see docs/operate/signer.md, Skipped deposit addresses';

/** The journal's key. Only a holder of the seed can derive it. */
export const journalKeyOf = (seed: Uint8Array): Buffer => macOf(seed, ['stabletill journal key 1']);

export type SignerJournalParts = {
  readonly clock: Clock;
  readonly journalFile: string;
  readonly journalKey: Uint8Array;
  readonly fingerprint: string;
  /** Whether the keystore was created just now (`init`). A missing journal is not a lost one then. */
  readonly isNewWallet: boolean;
  /** The id of this machine, such as /etc/machine-id; null where there is none. */
  readonly machineId?: string | null;
  /** Size at which a journal segment is closed; for tests. */
  readonly segmentBytes?: number;
};

export class SignerJournal {
  readonly index: JournalIndex;
  readonly #clock: Clock;
  readonly #journal: OpenJournal;
  readonly #files: FreezeFiles;
  readonly #machine: string | null;
  /** Why the signer is frozen while the journal could not record it yet. */
  #unwritten: string | null = null;

  /** Reads the journal. Starts frozen when it is damaged, or missing for a wallet that is not new. */
  constructor(parts: SignerJournalParts) {
    const { clock, journalFile, journalKey, machineId = null } = parts;
    this.#clock = clock;
    this.#files = new FreezeFiles(journalFile, journalKey);
    this.#journal = new OpenJournal(journalFile, journalKey, parts.segmentBytes);
    this.index = this.#journal.index;
    this.#machine = machineId === null ? null : machineDigest(journalKey, machineId);
    if (this.#journal.isNew) {
      const begun: Entry = { kind: 'begun', fingerprint: parts.fingerprint };
      this.write(parts.isNewWallet ? [begun] : [begun, { kind: 'frozen', reason: 'the journal was missing at start' }]);
    }
    if (this.#journal.damage !== null || this.#machine === null) return;
    if (this.index.machine === null) this.write([{ kind: 'machine', digest: this.#machine }]);
    if (this.isMoved && !this.index.frozen?.includes(MOVED))
      this.write([{ kind: 'frozen', reason: withMoved(this.index.frozen) }]);
  }

  /**
   * Records the refund wallets. Once a wallet has signed, the signer freezes when they change: those of the former wallets may still be
   * on their way, and the account nonces of the new ones begin anew. Unfreezing forgets the former nonces.
   */
  noteWallets({ now, ofSeed }: { readonly now: WalletAddresses; readonly ofSeed: WalletAddresses }): void {
    if (this.#journal.damage !== null || isDeepStrictEqual(this.index.wallets ?? ofSeed, now)) return;
    const { frozen } = this.index;
    // A change of an allowance uses an account nonce too, without an attempt.
    const isUnused = this.index.counts.attempts === 0 && Object.keys(this.index.nextNonces).length === 0;
    const isQuiet = isUnused || frozen?.includes(OTHER_WALLETS) === true;
    // The operator who unfreezes must see both reasons.
    const reason = frozen === null ? OTHER_WALLETS : `${OTHER_WALLETS}; ${frozen}`.slice(0, TEXT_LIMIT);
    this.write([{ kind: 'wallets', addresses: now }, ...(isQuiet ? [] : [{ kind: 'frozen', reason } as const])]);
  }

  /** The time of a record that is written now, in milliseconds: never before the last one. */
  nextTime(): number {
    return Math.max(this.#clock.now().getTime(), this.#journal.head.at);
  }

  /** Throws a Refusal while the signer is frozen. */
  needUnfrozen(): void {
    const reason = this.frozen();
    if (reason !== null) throw new Refusal('frozen', `the signer is frozen: ${reason}`);
  }

  /** Why nothing is signed now, or null. Reads the freeze switch and consumes a ticket. */
  frozen(): string | null {
    if (this.#journal.damage !== null) return `the journal ${this.#journal.damage}`;
    if (this.#unwritten !== null) return this.#unwritten;
    if (this.#files.isSwitched()) {
      const reason = 'the freeze switch is on';
      if (this.index.frozen === null) this.write([{ kind: 'frozen', reason }]);
      return reason;
    }
    const { frozen } = this.index;
    const ticket = frozen === null ? null : this.#files.ticketFor(this.#journal.head);
    if (frozen !== null && ticket !== null) {
      const left = ticket === 'take-over' ? withoutMoved(frozen) : null;
      this.write([
        { kind: 'unfrozen', ...(ticket === 'take-over' ? { keepsNonces: true as const } : {}) },
        ...unfreezeEntries(this.index, this.#machine),
        ...(left === null ? [] : [{ kind: 'frozen', reason: left } as const]),
      ]);
      this.#files.removeTicket();
    }
    return this.index.frozen;
  }

  /** Whether the journal is that of another machine, until a person confirms that this one has the only copy. */
  get isMoved(): boolean {
    return isMoved(this.index, this.#machine);
  }

  /** Stops all signing until a person unfreezes the signer at a terminal. */
  freeze(reason: string): void {
    if (this.frozen() !== null && this.#unwritten === null) return;
    // The freeze applies even when the journal cannot be written. The caller then gets an error and retries.
    this.#unwritten = reason;
    this.write([{ kind: 'frozen', reason }]);
    this.#unwritten = null;
  }

  /**
   * Records that these addresses are given. Throws a Refusal: `used` when one was given before; `limit` when the request skips
   * too many; `frozen` when the journal cannot be written, or until a person confirms that this machine has the only copy.
   */
  giveIndexes({ from, count }: { readonly from: number; readonly count: number }): void {
    // Consume a ticket first: it is bound to the journal's head, which this call changes.
    this.frozen();
    if (this.#journal.damage !== null) throw new Refusal('frozen', `the journal ${this.#journal.damage}`);
    if (this.isMoved) throw new Refusal('frozen', MOVED);
    if (from <= this.index.highestIndex) {
      throw new Refusal('used', `deposit addresses up to index ${this.index.highestIndex} were given before`);
    }
    const last = from + count - 1;
    if (!this.index.given.mayGive({ from, last }, this.nextTime())) throw new Refusal('limit', SKIPS_TOO_MANY);
    this.write([{ kind: 'addresses', highest: last }]);
  }

  /** Writes the entries, and applies them to the index once they are on the disk. Throws when that is not certain. */
  write(entries: readonly Entry[]): void {
    this.#journal.write(this.#clock.now().getTime(), entries);
  }

  state(): JournalState {
    return this.#journal.state();
  }

  close(): void {
    this.#journal.close();
  }
}
