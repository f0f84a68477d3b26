// The whole journal: the open segment, the closed ones, and the index built from both. A segment of a few megabytes is
// closed and indexed, and the next one begins with a checkpoint. A start therefore reads only the last segment and the
// indexes. A single-file journal of an older version is split into segments at the start.

import fs from 'node:fs';
import path from 'node:path';
import { Archive } from './archive';
import { JournalIndex } from './journal-index';
import { Journal } from './journal';
import type { Entry, Head } from './record';

/** About 5,000 records, which a start reads in a fraction of a second. */
const SEGMENT_BYTES = 8 << 20;
/** After closing a segment failed (full disk), this share of a segment is written before the next try. */
const RETRY_SHARE = 8;

export type JournalState = {
  readonly head: string;
  readonly records: number;
  readonly intents: number;
  readonly attempts: number;
  readonly released: number;
  /** Size of all segments and indexes. */
  readonly bytes: number;
  /** Number of closed segments. */
  readonly segments: number;
  /** Free bytes on its disk. */
  readonly freeBytes: number;
  /** Why it cannot be written or closed now, or null. */
  readonly trouble: string | null;
};

export class OpenJournal {
  readonly index: JournalIndex;
  readonly isNew: boolean;
  readonly #file: string;
  readonly #archive: Archive;
  readonly #journal: Journal;
  readonly #segmentBytes: number;
  #closeAt: number;
  /** Offset in this file of the first record that is in no closed segment. */
  #from = 0;
  #trouble: string | null = null;

  /** Opens the journal. `damage` describes any damage. */
  constructor(file: string, key: Uint8Array, segmentBytes: number = SEGMENT_BYTES) {
    this.#file = file;
    this.#segmentBytes = segmentBytes;
    this.#closeAt = segmentBytes;
    this.#archive = new Archive(file, key);
    this.index = new JournalIndex(this.#archive);
    const { journal, isNew } = Journal.open(file, key, (record, offset) => {
      if (offset - this.#from >= this.#closeAt) this.#cut(offset);
      this.index.take(record, offset);
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

  /** Writes the entries, and applies them to the index once they are on the disk. Throws when that is not certain. */
  write(now: number, entries: readonly Entry[]): void {
    for (const { record, offset } of this.#append(now, entries)) this.index.take(record, offset);
    if (this.#journal.size >= this.#closeAt) this.#close(now);
  }

  state(): JournalState {
    const { hash, number } = this.#journal.head;
    const disk = fs.statfsSync(path.dirname(this.#file));
    return {
      head: hash,
      records: number + 1,
      ...this.index.counts,
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

  /** Splits a large file of an older version into segments while reading it, so that memory holds one segment only. */
  #cut(offset: number): void {
    try {
      this.#archive.close({ from: this.#from, to: offset }, this.index.indexContent(this.#from));
      this.index.forget();
      this.#from = offset;
    } catch (error) {
      this.#cannotClose(error, offset - this.#from);
    }
  }

  /**
   * Closes the segment and begins the next one. A failure here must not fail the call: the records are written, and the
   * segment grows until it can be closed.
   */
  #close(now: number): void {
    const before = this.#archive.segments;
    try {
      this.#archive.close({ from: this.#from, to: this.#journal.size }, this.index.indexContent(this.#from));
      const closed = { segments: this.#archive.segments, index: this.#archive.lastIndex };
      const record = this.#journal.beginAnew(now, this.index.checkpoint(closed, now));
      this.index.take(record, 0);
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

/** The index of a journal that a running signer may have open. Changes nothing. Throws when the journal is missing. */
export function readJournal(
  file: string,
  key: Uint8Array,
): { readonly index: JournalIndex; readonly head: Head; readonly damage: string | null } {
  const index = new JournalIndex(new Archive(file, key));
  return { index, ...Journal.read(file, key, (record, offset) => index.take(record, offset)) };
}
