// The segment of the signer's journal that is being written: an append-only file that is on the disk before an answer is given. It is
// the memory that a restored database cannot roll back. Everything is synchronous, so that one call ends before the next begins.
// Another process that writes to the file, or a file that was moved or deleted, is noticed at the next write.

import fs from 'node:fs';
import path from 'node:path';
import { MOST_LINE_BYTES } from './archive';
import { syncDirectory } from '@/lib/signer/files/durable-file';
import { NOTHING, readRecord, writeRecord, type Entry, type Head, type JournalRecord } from './record';

const READ_BYTES = 1 << 20;

/** Takes a record, which begins at `offset` of the segment. What it throws is the journal's damage. */
export type Take = (record: JournalRecord, offset: number) => void;

export type Placed = { readonly record: JournalRecord; readonly offset: number };

export type Opened = {
  readonly journal: Journal;
  /** Whether there was no journal, or nothing in it. */
  readonly isNew: boolean;
};

export class Journal {
  readonly #file: string;
  readonly #key: Uint8Array;
  #fd: number;
  #head: Head = NOTHING;
  #size = 0;
  #damage: string | null = null;
  /** Bytes of a write that failed and that may be in the file behind the last record; null when the last write succeeded. */
  #torn: number | null = null;

  private constructor(file: string, key: Uint8Array, fd: number) {
    this.#file = file;
    this.#key = key;
    this.#fd = fd;
  }

  /**
   * Opens the file, making it when there is none, and hands every record to `take` in order. A last line that was never
   * finished is cut off: its answer was never given. Any other damage ends the reading and is kept in `damage`.
   */
  static open(file: string, key: Uint8Array, take: Take): Opened {
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
  static read(file: string, key: Uint8Array, take: Take): { readonly head: Head; readonly damage: string | null } {
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

  /** Bytes of this segment. */
  get size(): number {
    return this.#size;
  }

  /** Why nothing more may be written until somebody has looked at it, or null. */
  get damage(): string | null {
    return this.#damage;
  }

  /** Whether the last write failed, as on a full disk. The next one tries again. */
  get isTorn(): boolean {
    return this.#torn !== null;
  }

  /** Appends the entries and returns their records once all of them are on the disk. Throws when that is not sure. */
  append(now: number, entries: readonly Entry[]): readonly Placed[] {
    this.#needWhole();
    let [head, offset] = [this.#head, this.#size];
    const made = entries.map((content) => {
      const [record, line] = writeRecord(this.#key, head, now, content);
      const placed = { record, offset, line };
      [head, offset] = [record, offset + Buffer.byteLength(line)];
      return placed;
    });
    this.#needUntouched(this.#size);
    this.#torn = offset - this.#size;
    writeAll(this.#fd, made.map(({ line }) => line).join(''));
    this.#needUntouched(offset);
    this.#torn = null;
    this.#size = offset;
    this.#head = { number: head.number, at: head.at, hash: head.hash };
    return made;
  }

  /**
   * Begins the file anew with one entry, which must stand for everything before it; the records before it must have been kept
   * elsewhere. A crash leaves the old file or the new one.
   */
  beginAnew(now: number, entry: Entry): JournalRecord {
    this.#needWhole();
    this.#needUntouched(this.#size);
    const [record, line] = writeRecord(this.#key, this.#head, now, entry);
    const next = `${this.#file}.next`;
    fs.rmSync(next, { force: true });
    const { O_RDWR, O_CREAT, O_EXCL, O_APPEND } = fs.constants;
    const fd = fs.openSync(next, O_RDWR | O_CREAT | O_EXCL | O_APPEND, 0o600);
    try {
      writeAll(fd, line);
      fs.renameSync(next, this.#file);
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
    const old = this.#fd;
    this.#fd = fd;
    this.#size = Buffer.byteLength(line);
    this.#head = { number: record.number, at: record.at, hash: record.hash };
    fs.closeSync(old);
    // Until the directory is on the disk, a power cut could bring the old file back, without what is written from here on.
    this.#damage = 'could not be written; start the signer again';
    syncDirectory(path.dirname(this.#file));
    this.#damage = null;
    return record;
  }

  close(): void {
    fs.closeSync(this.#fd);
    this.#damage = 'is closed';
  }

  /** Throws while the journal is damaged. What a failed write left behind the last record is cut off: nobody got its answer. */
  #needWhole(): void {
    if (this.#damage !== null) throw new Error(`The journal of the signer ${this.#damage}.`);
    if (this.#torn === null) return;
    const { size } = fs.fstatSync(this.#fd);
    if (size < this.#size || size > this.#size + this.#torn) this.#needUntouched(this.#size);
    fs.ftruncateSync(this.#fd, this.#size);
    fs.fsyncSync(this.#fd);
    this.#torn = null;
  }

  #needUntouched(size: number): void {
    const [held, named] = [fs.fstatSync(this.#fd), fs.statSync(this.#file, { throwIfNoEntry: false })];
    if (held.size === size && named?.ino === held.ino && named.dev === held.dev) return;
    this.#damage = 'was changed by someone else: there may be one signer only';
    throw new Error(`The journal of the signer ${this.#damage}.`);
  }

  /** Returns the bytes of a last line that was never finished. */
  #read(take: Take): number {
    const { size } = fs.fstatSync(this.#fd);
    const chunk = Buffer.alloc(READ_BYTES);
    let held = Buffer.alloc(0);
    for (let at = 0; at < size;) {
      const count = fs.readSync(this.#fd, chunk, 0, READ_BYTES, at);
      if (count === 0) break;
      at += count;
      held = Buffer.concat([held, chunk.subarray(0, count)]);
      let begin = 0;
      for (let end = held.indexOf(0x0a); end >= 0; end = held.indexOf(0x0a, begin)) {
        if (!this.#takeLine(held.toString('utf8', begin, end), take)) return 0;
        this.#size += end + 1 - begin;
        begin = end + 1;
      }
      held = held.subarray(begin);
      if (held.length > MOST_LINE_BYTES) {
        this.#damage = `is damaged at record ${this.#head.number + 1}`;
        return 0;
      }
    }
    return held.length;
  }

  #takeLine(line: string, take: Take): boolean {
    const record = readRecord(this.#key, this.#head, line);
    if (!record) {
      this.#damage = `is damaged at record ${this.#head.number + 1}, or belongs to another wallet`;
      return false;
    }
    try {
      take(record, this.#size);
    } catch (error) {
      this.#damage = (error as Error).message;
      return false;
    }
    this.#head = { number: record.number, at: record.at, hash: record.hash };
    return true;
  }
}

function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) done += fs.writeSync(fd, bytes, done);
  fs.fsyncSync(fd);
}
