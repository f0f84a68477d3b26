// The journal in segments: a start reads the last one, no signature is forgotten, and a crash at any byte of closing a
// segment loses nothing.

import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  evmDraft,
  orderOn,
  outcomeOf,
  partsOf,
  policy,
  seed,
  solanaDraft,
  START,
  temporaryDirectory,
} from '@/testing/signer/signer-scene';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { readJournal } from './open';
import { RefundSigner } from '@/lib/signer/refund-signer';

let root: string;
let directory: string;
let signer: RefundSigner;
let count = 0;
const time = { now: START };
/** A few payments each. */
const SEGMENT = 12_000;
const file = () => path.join(directory, 'journal');
const open = (segmentBytes = SEGMENT, perHour = 10_000_000n) =>
  (signer = new RefundSigner({
    ...partsOf(file(), time),
    accounts: refundAccounts(seed),
    policy: policy({ perHour }),
    isNewWallet: count++ >= 0 && !fs.existsSync(file()),
    segmentBytes,
  }));
beforeAll(() => void (root = temporaryDirectory()));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(root, 'segments-'));
  time.now = START;
  open();
});

const order = (at: number) => orderOn('solana', { intentId: `re_${at}`, session: `cs_${at % 3}` });
const sign = (at: number) => signer.sign({ order: order(at), draft: solanaDraft(order(at)) });
const closed = () => fs.readdirSync(directory).filter((name) => /^journal\.\d{6}$/.test(name));
const journal = () => signer.state().journal;

test('remembers every payment of closed segments and the totals of their sessions', () => {
  const signed = Array.from({ length: 20 }, (_, at) => sign(at));
  expect(closed().length).toBeGreaterThan(3);
  const before = signer.state();
  for (const again of [signer, open()]) {
    expect(again.state()).toMatchObject({ journal: { ...before.journal, freeBytes: expect.any(Number) } });
    for (const [at, one] of signed.entries()) {
      expect(sign(at)).toEqual(one);
      expect(again.attempts(`re_${at}`).attempts).toMatchObject([one]);
      const other = orderOn('solana', { intentId: `re_${at}`, session: `cs_${at % 3}`, cents: 1n });
      expect(() => again.sign({ order: other, draft: solanaDraft(other) })).toThrow(/has another order/);
      expect(() => again.sign({ order: order(at), draft: solanaDraft(order(at), 1) })).toThrow(/may still land/);
    }
    // Seven payments of 12.34 were made of this session.
    const more = orderOn('solana', { intentId: 're_more', session: 'cs_0', mostCents: 8n * 1234n - 1n });
    expect(() => again.sign({ order: more, draft: solanaDraft(more) })).toThrow(/more than it paid/);
  }
  expect(journal()).toMatchObject({ intents: 20, attempts: 20, segments: closed().length, trouble: null });
});

test('a payment of a closed segment can be replaced, lapse, be signed again and be released', () => {
  const evm = orderOn('ethereum', { intentId: 're_evm' });
  const first = signer.sign({ order: evm, draft: evmDraft(evm) });
  const former = sign(0);
  for (let at = 1; at < 12; at++) sign(at);
  open();
  const fees = { maxFeePerGas: 4_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n };
  const second = signer.sign({ order: evm, draft: evmDraft(evm, fees) });
  time.now += 200_000;
  const lapsed = outcomeOf(order(0), former, { outcome: 'lapsed', finalized: 5000 });
  const repeated = signer.sign({ order: order(0), draft: solanaDraft(order(0), 1), lapsed });
  for (let at = 12; at < 24; at++) sign(at);
  open();
  expect(signer.attempts('re_evm').attempts).toMatchObject([first, second]);
  expect(signer.attempts('re_0').attempts).toMatchObject([former, repeated]);
  signer.release(outcomeOf(evm, first, { outcome: 'reverted', finalized: 1 }));
  for (let at = 24; at < 36; at++) sign(at);
  open();
  expect(() => signer.sign({ order: evm, draft: evmDraft(evm) })).toThrow(
    expect.objectContaining({ code: 'released' }),
  );
  expect(signer.state()).toMatchObject({ journal: { released: 1 }, nextNonces: { 'ethereum@local': 1 } });
});

test('limits, a freeze and the highest address survive the closing of their segments', () => {
  open(SEGMENT, 30n * 1234n);
  signer.giveIndexes({ from: 0, count: 50 });
  for (let at = 0; at < 30; at++) sign(at);
  expect(closed().length).toBeGreaterThan(5);
  open(SEGMENT, 30n * 1234n);
  expect(() => sign(30)).toThrow(/limit per hour/);
  expect(() => signer.giveIndexes({ from: 49, count: 1 })).toThrow(expect.objectContaining({ code: 'used' }));
  // Amounts spent within ten minutes are merged at the time of the latest, so they never count for less than an hour.
  time.now += 3_600_000;
  sign(30);
  signer.freeze('a test');
  open();
  expect(signer.state()).toMatchObject({ frozen: true, reason: 'a test' });
  expect(readJournal(file(), partsOf('').journalKey)).toMatchObject({ damage: null, index: { frozen: 'a test' } });
});

test('paging reads the whole journal across all segments', () => {
  for (let at = 0; at < 20; at++) sign(at);
  const seen = new Set<string>();
  const hashes = new Set<string | null>();
  for (let [after, records] = [0, 1]; after < records;) {
    const page = signer.journal({ after, limit: 3 });
    for (const one of page.intents) seen.add(one.order.intentId);
    hashes.add(page.previous);
    [after, records] = [page.next, page.records];
  }
  expect(seen.size).toBe(20);
  expect(hashes.size).toBeGreaterThan(6);
  const { head, records } = journal();
  expect(signer.journal({ after: records, limit: 1 }).previous).toBe(head);
});

test('swapped records of a closed segment are reported as damage, and their intents are not signed again', () => {
  for (let at = 0; at < 10; at++) {
    const one = orderOn('ethereum', { intentId: `re_${at}` });
    signer.sign({ order: one, draft: evmDraft(one, { nonce: at }) });
  }
  const segment = path.join(directory, closed()[0] ?? '');
  const lines = fs.readFileSync(segment, 'utf8').split('\n');
  const placesOf = (at: number) => lines.flatMap((line, place) => (line.includes(`"re_${at}"`) ? [place] : []));
  const [mine, others] = [placesOf(1), placesOf(2)];
  const swapped = lines.with(mine[0]!, lines[others[0]!]!).with(mine[1]!, lines[others[1]!]!);
  expect(swapped.join('\n').length).toBe(lines.join('\n').length);
  fs.writeFileSync(segment, swapped.join('\n'));
  open();
  const again = orderOn('ethereum', { intentId: 're_1' });
  expect(() => signer.sign({ order: again, draft: evmDraft(again, { nonce: 10 }) })).toThrow(
    /closed segment .* damaged/,
  );
});

test('a start reads only the open segment and the indexes, and a missing closed segment affects only its own payments', () => {
  for (let at = 0; at < 20; at++) sign(at);
  const [first = '', second = ''] = closed();
  fs.renameSync(path.join(directory, first), path.join(directory, 'away'));
  fs.writeFileSync(path.join(directory, second), 'no record at all');
  open();
  expect(signer.state()).toMatchObject({ frozen: false, journal: { intents: 20 } });
  sign(20);
  expect(() => sign(0)).toThrow(/closed segment .*000000 of the journal is missing: put it back/);
  fs.renameSync(path.join(directory, 'away'), path.join(directory, first));
  sign(0);
});

describe('a changed index freezes the signer', () => {
  test.each<[string, (index: string) => void]>([
    ['is gone', (index) => fs.rmSync(index)],
    ['has another byte', (index) => fs.writeFileSync(index, flipped(fs.readFileSync(index)))],
    ['is shorter', (index) => fs.truncateSync(index, 20)],
    ['is that of another segment', (index) => fs.copyFileSync(path.join(directory, 'journal.000001.index'), index)],
  ])('%s', (_what, change) => {
    for (let at = 0; at < 20; at++) sign(at);
    change(path.join(directory, 'journal.000000.index'));
    open();
    expect(signer.state()).toMatchObject({ frozen: true, reason: expect.stringContaining('closed segment 0') });
    expect(() => sign(30)).toThrow(expect.objectContaining({ code: 'frozen' }));
  });
  const flipped = (bytes: Buffer) => {
    bytes[bytes.length - 40] = (bytes[bytes.length - 40] as number) ^ 1;
    return bytes;
  };
});

test('a crash at any byte of closing a segment leaves the old journal or the new one', () => {
  let at = 0;
  while (closed().length < 2) sign(at++);
  // The files before and after a segment is closed.
  const files = () =>
    new Map(fs.readdirSync(directory).map((name) => [name, fs.readFileSync(path.join(directory, name))]));
  let before = files();
  for (; closed().length < 3; at++) {
    before = files();
    sign(at);
  }
  const after = files();
  const open_ = fs.readFileSync(path.join(directory, closed().at(-1) as string));
  const [segment, index] = ['journal.000002', 'journal.000002.index'];
  const put = (state: ReadonlyMap<string, Buffer>) => {
    fs.rmSync(directory, { recursive: true });
    fs.mkdirSync(directory);
    for (const [name, bytes] of state) fs.writeFileSync(path.join(directory, name), bytes);
  };
  const cuts = (bytes: Buffer) => [0, 1, Math.floor(bytes.length / 2), bytes.length - 1, bytes.length];
  const full = new Map([...before, ['journal', open_]]);
  const states: Map<string, Buffer>[] = [];
  const grow = (state: Map<string, Buffer>, name: string, bytes: Buffer) => {
    for (const cut of cuts(bytes)) states.push(new Map([...state, [name, bytes.subarray(0, cut)]]));
  };
  grow(full, `${segment}.draft`, after.get(segment) as Buffer);
  const copied = new Map([...full, [segment, after.get(segment) as Buffer]]);
  grow(copied, `${index}.draft`, after.get(index) as Buffer);
  const indexed = new Map([...copied, [index, after.get(index) as Buffer]]);
  grow(indexed, 'journal.next', after.get('journal') as Buffer);
  states.push(after);
  for (const state of states) {
    put(state);
    open();
    expect(signer.state()).toMatchObject({ frozen: false, journal: { intents: at, attempts: at, trouble: null } });
    for (let one = 0; one < at; one++) sign(one);
    expect(journal().attempts).toBe(at);
    sign(at);
    open();
    expect(journal().attempts).toBe(at + 1);
  }
  expect(states.length).toBe(16);
});

test('a journal in one large file is split into segments at the start', () => {
  directory = fs.mkdtempSync(path.join(root, 'one-file-'));
  open(1 << 30);
  const signed = Array.from({ length: 40 }, (_, at) => sign(at));
  expect(closed()).toEqual([]);
  const { head } = journal();
  open();
  expect(closed().length).toBeGreaterThan(5);
  expect(fs.statSync(file()).size).toBeLessThan(SEGMENT);
  expect(signed.every((one, at) => sign(at).hash === one.hash)).toBe(true);
  const { records } = journal();
  expect(signer.journal({ after: records - 1, limit: 1 }).previous).toBe(head);
  expect(open().state()).toMatchObject({ frozen: false, journal: { intents: 40, attempts: 40, records } });
});

describe('a full disk', () => {
  const full = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const { writeSync } = fs;

  test('signs nothing, loses nothing, and signs again as soon as there is space', () => {
    sign(0);
    const disk = vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, bytes: Buffer) => {
      writeSync(fd, bytes, 0, 100);
      throw full();
    }) as unknown as typeof fs.writeSync);
    try {
      for (const at of [1, 1, 2]) expect(() => sign(at)).toThrow(/ENOSPC/);
      expect(signer.state()).toMatchObject({
        frozen: false,
        journal: { attempts: 1, trouble: expect.stringContaining('ENOSPC') },
      });
      expect(() => signer.freeze('a test')).toThrow(/ENOSPC/);
      expect(() => sign(0)).toThrow(expect.objectContaining({ code: 'frozen' }));
    } finally {
      disk.mockRestore();
    }
    expect(signer.freeze('a test')).toEqual({ frozen: true });
    expect(open().state()).toMatchObject({ frozen: true, journal: { attempts: 1, trouble: null } });
  });

  test('with room for a payment but not for closing a segment does not stop payments', () => {
    const rename = vi.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw full();
    });
    try {
      for (let at = 0; at < 20; at++) sign(at);
      expect(closed()).toEqual([]);
      expect(journal()).toMatchObject({ segments: 0, trouble: expect.stringContaining('cannot be closed') });
    } finally {
      rename.mockRestore();
    }
    for (let at = 20; at < 24; at++) sign(at);
    expect(journal()).toMatchObject({ segments: 1, attempts: 24, trouble: null });
    open();
    for (let at = 0; at < 24; at++) sign(at);
    expect(journal().attempts).toBe(24);
  });
});
