// The closed segments of the journal. Their indexes are in memory; their records stay on the disk and are read when an
// old intent is requested. A closed segment is never changed or deleted. A missing segment affects only its own
// intents: they are known, so they are not signed again, and reading them fails until the file is restored.

import fs from 'node:fs';
import { durably } from '@/lib/signer/files/durable-file';
import { intentsOf, NOTHING, readAlone, readRecord, type Head, type JournalRecord } from './record';
import { SegmentIndex, type IndexContent } from './segment-index';

/** Longer than any record: a checkpoint lists up to a thousand sums, and all others are under two KiB. */
export const MAX_LINE_BYTES = 131_072;
const NO_INDEX = '0'.repeat(64);
const NAME_DIGITS = 6;

/** A record's hash, and the intents it is about, if any. */
export type RecordMark = { readonly hash: string; readonly intentIds: readonly string[] };

export class Archive {
  readonly #file: string;
  readonly #key: Uint8Array;
  #indexes: SegmentIndex[] = [];
  #bytes = 0;
  /** The last marks read. Callers page through a journal, so the next page usually needs them. */
  #marks: { readonly segment: number; readonly marks: readonly RecordMark[] } | null = null;

  constructor(file: string, key: Uint8Array) {
    this.#file = file;
    this.#key = key;
  }

  get segments(): number {
    return this.#indexes.length;
  }

  /** MAC of the last index. */
  get lastIndex(): string {
    return this.#indexes.at(-1)?.mac ?? NO_INDEX;
  }

  /** Size of the closed segments and their indexes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Reads the indexes that a checkpoint names. Throws an Error that describes the damage. */
  load({ segments, index }: { readonly segments: number; readonly index: string }): void {
    if (segments === this.segments && index === this.lastIndex) return;
    this.#indexes = [];
    this.#bytes = 0;
    for (let segment = 0; segment < segments; segment++) {
      const read = this.#readIndex(segment);
      const follows = read?.head.segment === segment && read.head.previous === this.lastIndex;
      if (!read || !follows) throw new Error(`lacks the index of its closed segment ${segment}, or has another one`);
      this.#add(read);
    }
    if (this.lastIndex !== index) throw new Error('does not follow its closed segments');
  }

  /** Stores a range of the journal's file as the next closed segment. It counts once a checkpoint names it. */
  close(
    range: { readonly from: number; readonly to: number },
    content: Omit<IndexContent, 'segment' | 'previous'>,
  ): void {
    const segment = this.segments;
    const bytes = Buffer.alloc(range.to - range.from);
    const fd = fs.openSync(this.#file, 'r');
    try {
      for (let done = 0; done < bytes.length;) {
        const count = fs.readSync(fd, bytes, done, bytes.length - done, range.from + done);
        if (count === 0) throw new Error('the journal is shorter than it was');
        done += count;
      }
    } finally {
      fs.closeSync(fd);
    }
    durably(this.#nameOf(segment), bytes);
    const index = SegmentIndex.write(this.#key, { ...content, segment, previous: this.lastIndex });
    durably(`${this.#nameOf(segment)}.index`, index);
    this.#add(SegmentIndex.read(this.#key, index) as SegmentIndex);
  }

  /** Drops the segments after the first `segments` ones, which no checkpoint names. */
  keepOnly(segments: number): void {
    this.#indexes = this.#indexes.slice(0, segments);
    this.#marks = null;
  }

  /** The records about an intent, oldest first. Throws when their segment is missing or damaged. */
  recordsOf(intentId: string): JournalRecord[] {
    return this.#indexes.flatMap((index) => {
      const offsets = index.offsetsOf(intentId);
      if (offsets.length === 0) return [];
      const fd = this.#openSegment(index.head.segment);
      try {
        const records = offsets.map((offset) => this.#recordAt(fd, offset, index));
        // The MAC proves each record by itself. Its intent and its number prove its place.
        const areInPlace = records.every(
          (one, at) => intentsOf(one).includes(intentId) && one.number > (records[at - 1]?.number ?? -1),
        );
        if (!areInPlace) throw this.#damaged(index.head.segment);
        return records;
      } finally {
        fs.closeSync(fd);
      }
    });
  }

  /** Cents of a session's refunds in all closed segments. */
  sumOf(session: string): bigint {
    return this.#indexes.reduce((sum, index) => sum + index.sumOf(session), 0n);
  }

  /** The mark of a record by its number; null when no closed segment contains it. */
  markOf(number: number): RecordMark | null {
    const index = this.#indexes.find(({ head }) => number >= head.first && number < head.first + head.records);
    if (!index) return null;
    const { segment, first } = index.head;
    if (this.#marks?.segment !== segment) this.#marks = { segment, marks: this.#readMarks(index) };
    return this.#marks.marks[number - first] ?? null;
  }

  #add(index: SegmentIndex): void {
    this.#indexes.push(index);
    const name = this.#nameOf(index.head.segment);
    for (const file of [name, `${name}.index`]) this.#bytes += fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  }

  #nameOf(segment: number): string {
    return `${this.#file}.${String(segment).padStart(NAME_DIGITS, '0')}`;
  }

  #readIndex(segment: number): SegmentIndex | null {
    const file = `${this.#nameOf(segment)}.index`;
    if (!fs.existsSync(file)) return null;
    return SegmentIndex.read(this.#key, fs.readFileSync(file));
  }

  #openSegment(segment: number): number {
    const file = this.#nameOf(segment);
    if (!fs.existsSync(file)) throw new Error(`the closed segment ${file} of the journal is missing: put it back`);
    return fs.openSync(file, 'r');
  }

  #recordAt(fd: number, offset: number, { head: { segment, first, records } }: SegmentIndex): JournalRecord {
    const bytes = Buffer.alloc(MAX_LINE_BYTES);
    const count = fs.readSync(fd, bytes, 0, bytes.length, offset);
    const end = bytes.subarray(0, count).indexOf(0x0a);
    const record = end < 0 ? null : readAlone(this.#key, bytes.toString('utf8', 0, end));
    const isOfSegment = record && record.number >= first && record.number < first + records;
    if (!isOfSegment) throw this.#damaged(segment);
    return record;
  }

  #damaged(segment: number): Error {
    return new Error(`the closed segment ${this.#nameOf(segment)} of the journal is damaged`);
  }

  #readMarks({ head: { segment, first, records } }: SegmentIndex): RecordMark[] {
    const fd = this.#openSegment(segment);
    const lines = fs.readFileSync(fd, 'utf8').split('\n').slice(0, records);
    fs.closeSync(fd);
    let head: Head | null = null;
    return lines.map((line) => {
      // A segment cut out of a journal of an older version does not begin with a checkpoint.
      const record: JournalRecord | null =
        head === null ? readAlone(this.#key, line) : readRecord(this.#key, head, line);
      if (!record || (head === null && record.number !== first)) {
        throw this.#damaged(segment);
      }
      head = { ...NOTHING, number: record.number, at: record.at, hash: record.hash };
      return { hash: record.hash, intentIds: intentsOf(record) };
    });
  }
}
