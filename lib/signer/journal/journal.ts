// The open segment of the signer's journal: an append-only file, synced to disk before the signer answers. A restored
// database cannot roll it back. Everything is synchronous, so one call finishes before the next begins. The next write
// detects another writing process, or a file that was moved or deleted.

import fs from 'node:fs';
import path from 'node:path';
import { MAX_LINE_BYTES } from './archive';
import { syncDirectory } from '@/lib/signer/files/durable-file';
import { NOTHING, readRecord, writeRecord, type Entry, type Head, type JournalRecord } from './record';

const READ_BYTES = 1 << 20;

/** Receives a record that begins at `offset` of the segment. An error it throws is recorded as the journal's damage. */
export type Take = (record: JournalRecord, offset: number) => void;

export type Placed = { readonly record: JournalRecord; readonly offset: number };

export type Opened = {
  readonly journal: Journal;
  /** Whether the journal was missing or empty. */
  readonly isNew: boolean;
};

export class Journal {
  readonly #file: string;
  readonly #key: Uint8Array;
  #fd: number;
  #head: Head = NOTHING;
  #size = 0;
  #damage: string | null = null;
  /** Bytes of a failed write that may be in the file after the last record; null when the last write succeeded. */
  #torn: number | null = null;

  private constructor(file: string, key: Uint8Array, fd: number) {
    this.#file = file;
    this.#key = key;
    this.#fd = fd;
  }

  /**
   * Opens or creates the file and passes every record to `take` in order. Truncates an unfinished last line, whose
   * answer was never sent. Any other damage ends the reading and is kept in `damage`.
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

  /**
   * Reads a journal that a running signer may have open, without truncating or creating anything. Throws when it is
   * missing.
   */
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

  /** Why nothing may be written until a person has inspected the journal, or null. */
  get damage(): string | null {
    return this.#damage;
  }

  /** Whether the last write failed, for example on a full disk. The next one tries again. */
  get isTorn(): boolean {
    return this.#torn !== null;
  }

  /** Appends the entries and returns their records once all are on the disk. Throws when that is not certain. */
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
   * Replaces the file by a new one with one entry, which must stand for all earlier records. The caller has stored
   * those elsewhere. A crash leaves the old file or the new one.
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
    // Until the directory is synced, a power cut could bring back the old file without the records written from here
    // on.
    this.#damage = 'could not be written; start the signer again';
    syncDirectory(path.dirname(this.#file));
    this.#damage = null;
    return record;
  }

  close(): void {
    fs.closeSync(this.#fd);
    this.#damage = 'is closed';
  }

  /**
   * Throws while the journal is damaged. Truncates what a failed write left after the last record; its answer was never
   * sent.
   */
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
    const [opened, named] = [fs.fstatSync(this.#fd), fs.statSync(this.#file, { throwIfNoEntry: false })];
    if (opened.size === size && named?.ino === opened.ino && named.dev === opened.dev) return;
    this.#damage = 'was changed by another process: only one signer may run';
    throw new Error(`The journal of the signer ${this.#damage}.`);
  }

  /** Returns the bytes of an unfinished last line. */
  #read(take: Take): number {
    const { size } = fs.fstatSync(this.#fd);
    const chunk = Buffer.alloc(READ_BYTES);
    let pending = Buffer.alloc(0);
    for (let at = 0; at < size;) {
      const count = fs.readSync(this.#fd, chunk, 0, READ_BYTES, at);
      if (count === 0) break;
      at += count;
      pending = Buffer.concat([pending, chunk.subarray(0, count)]);
      let begin = 0;
      for (let end = pending.indexOf(0x0a); end >= 0; end = pending.indexOf(0x0a, begin)) {
        if (!this.#takeLine(pending.toString('utf8', begin, end), take)) return 0;
        this.#size += end + 1 - begin;
        begin = end + 1;
      }
      pending = pending.subarray(begin);
      if (pending.length > MAX_LINE_BYTES) {
        this.#damage = `is damaged at record ${this.#head.number + 1}`;
        return 0;
      }
    }
    return pending.length;
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
