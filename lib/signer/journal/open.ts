// The whole journal: the segment that is written, the closed ones, and the book that follows from both. A segment of a few megabytes
// is closed and indexed, and the next one begins with a checkpoint, so a start reads the last segment and the indexes only. A
// journal of one file, as former versions wrote it, is cut into segments at the start.

import fs from 'node:fs';
import path from 'node:path';
import { Archive } from './archive';
import { JournalIndex } from './journal-index';
import { Journal } from './journal';
import type { Entry, Head } from './record';

/** Some 5,000 records, which a start reads in a fraction of a second. */
export const SEGMENT_BYTES = 8 << 20;
/** After a segment could not be closed (a full disk), so much more is written before it is tried again. */
const RETRY_SHARE = 8;

export type JournalState = {
  readonly head: string;
  readonly records: number;
  readonly intents: number;
  readonly attempts: number;
  readonly released: number;
  /** Of all segments and indexes. */
  readonly bytes: number;
  /** Closed ones. */
  readonly segments: number;
  /** Free on its disk. */
  readonly freeBytes: number;
  /** What keeps it from being written or closed now, or null. */
  readonly trouble: string | null;
};

export class OpenJournal {
  readonly book: JournalIndex;
  readonly isNew: boolean;
  readonly #file: string;
  readonly #archive: Archive;
  readonly #journal: Journal;
  readonly #segmentBytes: number;
  #closeAt: number;
  /** Where the records of this file begin that no closed segment has. */
  #from = 0;
  #trouble: string | null = null;

  /** Opens it; what is wrong with it is in `damage`. */
  constructor(file: string, key: Uint8Array, segmentBytes: number = SEGMENT_BYTES) {
    this.#file = file;
    this.#segmentBytes = segmentBytes;
    this.#closeAt = segmentBytes;
    this.#archive = new Archive(file, key);
    this.book = new JournalIndex(this.#archive);
    const { journal, isNew } = Journal.open(file, key, (record, offset) => {
      if (offset - this.#from >= this.#closeAt) this.#cut(offset);
      this.book.take(record, offset);
    });
    this.#journal = journal;
    this.isNew = isNew;
    const isDue = this.#from > 0 || journal.size >= this.#closeAt;
    if (journal.damage === null && isDue) this.#close(journal.head.at);
  }

  get head(): Head {
    return this.#journal.head;
  }

  get damage(): string | null {
    return this.#journal.damage;
  }

  /** Writes the entries, and takes them into the book once they are on the disk. Throws when that is not sure. */
  write(now: number, entries: readonly Entry[]): void {
    for (const { record, offset } of this.#append(now, entries)) this.book.take(record, offset);
    if (this.#journal.size >= this.#closeAt) this.#close(now);
  }

  state(): JournalState {
    const { hash, number } = this.#journal.head;
    const disk = fs.statfsSync(path.dirname(this.#file));
    return {
      head: hash,
      records: number + 1,
      ...this.book.counts,
      bytes: this.#archive.bytes + this.#journal.size,
      segments: this.#archive.segments,
      freeBytes: disk.bavail * disk.bsize,
      trouble: this.#trouble,
    };
  }

  close(): void {
    this.#journal.close();
  }

  #append(now: number, entries: readonly Entry[]): ReturnType<Journal['append']> {
    try {
      const placed = this.#journal.append(now, entries);
      if (this.#journal.size < this.#segmentBytes) this.#trouble = null;
      return placed;
    } catch (error) {
      this.#trouble = (error as Error).message;
      throw error;
    }
  }

  /** Cuts a large file of a former version into segments while it is read, so that memory holds one segment only. */
  #cut(offset: number): void {
    try {
      this.#archive.close({ from: this.#from, to: offset }, this.book.indexContent(this.#from));
      this.book.forget();
      this.#from = offset;
    } catch (error) {
      this.#cannotClose(error, offset - this.#from);
    }
  }

  /**
   * Closes the segment and begins the next one. What fails here is no reason not to answer: the records are written, and the
   * segment grows until it can be closed.
   */
  #close(now: number): void {
    const before = this.#archive.segments;
    try {
      this.#archive.close({ from: this.#from, to: this.#journal.size }, this.book.indexContent(this.#from));
      const closed = { segments: this.#archive.segments, index: this.#archive.lastIndex };
      const record = this.#journal.beginAnew(now, this.book.checkpoint(closed, now));
      this.book.take(record, 0);
      this.#from = 0;
      this.#closeAt = this.#segmentBytes;
    } catch (error) {
      this.#archive.keepOnly(before);
      this.#cannotClose(error, this.#journal.size);
    }
  }

  #cannotClose(error: unknown, size: number): void {
    this.#trouble = `its segment cannot be closed: ${(error as Error).message}`;
    this.#closeAt = size + Math.ceil(this.#segmentBytes / RETRY_SHARE);
  }
}

/** The book of a journal that a running signer may hold; changes nothing. Throws when there is none. */
export function readJournal(
  file: string,
  key: Uint8Array,
): { readonly book: JournalIndex; readonly head: Head; readonly damage: string | null } {
  const book = new JournalIndex(new Archive(file, key));
  return { book, ...Journal.read(file, key, (record, offset) => book.take(record, offset)) };
}
