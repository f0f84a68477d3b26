// The signer's journal: an append-only file that is on the disk before an answer is given. It is the memory that a restored
// database cannot roll back. Written synchronously, so that one call is over before the next one looks; another process that
// writes to the file, or a file that was moved or deleted, is noticed at the next write, and nothing is answered then.

import fs from 'node:fs';
import path from 'node:path';
import { NOTHING, readRecord, writeRecord, type Entry, type Head, type JournalRecord } from './journal-record';

/** Longer than any record. */
const MOST_LINE_BYTES = 16_384;
/** Some 300,000 refunds; every attempt is held in memory too. */
const MOST_BYTES = 1_000_000_000;
const READ_BYTES = 1 << 20;

export type Opened = {
  readonly journal: Journal;
  /** Whether there was no journal, or nothing in it. */
  readonly isNew: boolean;
};

export class Journal {
  readonly #file: string;
  readonly #key: Uint8Array;
  readonly #fd: number;
  #head: Head = NOTHING;
  #size = 0;
  #damage: string | null = null;

  private constructor(file: string, key: Uint8Array, fd: number) {
    this.#file = file;
    this.#key = key;
    this.#fd = fd;
  }

  /**
   * Opens the file, making it when there is none, and hands every record to `take` in order. A last line that was never
   * finished is cut off: its answer was never given. Any other damage ends the reading and is kept in `damage`.
   */
  static open(file: string, key: Uint8Array, take: (record: JournalRecord) => void): Opened {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const fd = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_APPEND, 0o600);
    const journal = new Journal(file, key, fd);
    if (journal.#read(take) > 0) {
      fs.ftruncateSync(fd, journal.#size);
      fs.fsyncSync(fd);
    }
    if (journal.#size === 0) syncDirectory(path.dirname(file));
    return { journal, isNew: journal.#size === 0 && journal.#damage === null };
  }

  /** Reads a journal that a running signer may hold, without cutting or making anything. Throws when there is none. */
  static read(
    file: string,
    key: Uint8Array,
    take: (record: JournalRecord) => void,
  ): { readonly head: Head; readonly damage: string | null } {
    const fd = fs.openSync(file, 'r');
    try {
      const journal = new Journal(file, key, fd);
      journal.#read(take);
      return { head: journal.#head, damage: journal.#damage };
    } finally {
      fs.closeSync(fd);
    }
  }

  get head(): Head {
    return this.#head;
  }

  /** Why nothing more may be written, or null. */
  get damage(): string | null {
    return this.#damage;
  }

  /** Appends the entries and returns their records once all of them are on the disk. Throws when that is not sure. */
  append(now: number, entries: readonly Entry[]): readonly JournalRecord[] {
    if (this.#damage !== null) throw new Error(`The journal of the signer ${this.#damage}.`);
    let head = this.#head;
    const made = entries.map((content) => {
      const [record, line] = writeRecord(this.#key, head, now, content);
      head = record;
      return { record, line };
    });
    const bytes = Buffer.from(made.map(({ line }) => line).join(''));
    // Until the write has succeeded in full, it is not known what the file holds.
    this.#damage = 'could not be written; start the signer again';
    this.#needUntouched(this.#size);
    for (let done = 0; done < bytes.length;) done += fs.writeSync(this.#fd, bytes, done);
    fs.fsyncSync(this.#fd);
    this.#needUntouched(this.#size + bytes.length);
    this.#size += bytes.length;
    this.#head = { number: head.number, at: head.at, hash: head.hash };
    this.#damage = null;
    return made.map(({ record }) => record);
  }

  close(): void {
    fs.closeSync(this.#fd);
    this.#damage = 'is closed';
  }

  #needUntouched(size: number): void {
    const [held, named] = [fs.fstatSync(this.#fd), fs.statSync(this.#file, { throwIfNoEntry: false })];
    if (held.size === size && named?.ino === held.ino && named.dev === held.dev) return;
    this.#damage = 'was changed by someone else: there may be one signer only';
    throw new Error(`The journal of the signer ${this.#damage}.`);
  }

  /** Returns the bytes of a last line that was never finished. */
  #read(take: (record: JournalRecord) => void): number {
    const { size } = fs.fstatSync(this.#fd);
    if (size > MOST_BYTES) {
      this.#damage = 'is too large to be read';
      return 0;
    }
    const chunk = Buffer.alloc(READ_BYTES);
    let held = Buffer.alloc(0);
    for (let at = 0; at < size;) {
      const count = fs.readSync(this.#fd, chunk, 0, READ_BYTES, at);
      if (count === 0) break;
      at += count;
      held = Buffer.concat([held, chunk.subarray(0, count)]);
      for (let end = held.indexOf(0x0a); end >= 0; end = held.indexOf(0x0a)) {
        if (!this.#takeLine(held.toString('utf8', 0, end), take)) return 0;
        this.#size += end + 1;
        held = held.subarray(end + 1);
      }
      if (held.length > MOST_LINE_BYTES) {
        this.#damage = `is damaged at record ${this.#head.number + 1}`;
        return 0;
      }
    }
    return held.length;
  }

  #takeLine(line: string, take: (record: JournalRecord) => void): boolean {
    const record = readRecord(this.#key, this.#head, line);
    if (!record) {
      this.#damage = `is damaged at record ${this.#head.number + 1}, or belongs to another wallet`;
      return false;
    }
    this.#head = { number: record.number, at: record.at, hash: record.hash };
    take(record);
    return true;
  }
}

/** The name of a new file is on the disk only once its directory is. */
function syncDirectory(directory: string): void {
  const fd = fs.openSync(directory, 'r');
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}
