import fs from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  openScene,
  orderOn,
  partsOf,
  solanaDraft,
  temporaryDirectory,
  type Scene,
} from '@/testing/signer/signer-scene';
import { RefundSigner } from '@/lib/signer/refund-signer';

let directory: string;
let scene: Scene;
beforeAll(() => {
  directory = temporaryDirectory();
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));
beforeEach(() => {
  scene = openScene(directory);
});

const order = (at: number) => orderOn('solana', { intentId: `re_${at}` });
const sign = (at: number) => scene.signer.sign({ order: order(at), draft: solanaDraft(order(at)) });
const text = (): string => fs.readFileSync(scene.journalFile, 'utf8');
const isFrozen = expect.objectContaining({ code: 'frozen' });

test('a journal cut at any byte yields the same payload per intent or a frozen signer, never another payload', () => {
  const signed = [sign(0), sign(1)];
  const whole = fs.readFileSync(scene.journalFile);
  const ends = [...whole.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []));
  // Every edge of a line and bytes within each.
  const cuts = ends.flatMap((end) => [end - 700, end - 100, end - 2, end - 1, end, end + 1]).filter((at) => at > 0);
  for (const cut of cuts.filter((at) => at <= whole.length)) {
    fs.writeFileSync(scene.journalFile, whole.subarray(0, cut));
    scene.restart();
    const { journal, frozen } = scene.signer.state();
    const kept = ends.filter((end) => end <= cut).length;
    // Without its first line it counts as a lost journal.
    expect(frozen).toBe(kept === 0);
    expect(journal.records).toBe(kept === 0 ? 2 : kept);
    if (frozen) continue;
    expect([sign(0), sign(1)]).toEqual(signed);
    expect(scene.restart().state()).toMatchObject({ frozen: false, journal: { intents: 2, attempts: 2 } });
  }
  expect(cuts.length).toBeGreaterThan(20);
});

describe('a journal that was tampered with freezes the signer, which does not change the file', () => {
  const withLines = (change: (lines: string[]) => string[]) => () =>
    `${change(text().trimEnd().split('\n')).join('\n')}\n`;
  test.each<[string, () => string | Buffer]>([
    ['a character of the first record', () => text().replace('begun', 'begum')],
    ['an amount', () => text().replace('"cents":"1234"', '"cents":"0001"')],
    ['signed bytes', () => text().replace(/"bytes":"A/, '"bytes":"B')],
    ['a hash', () => text().replace(/"hash":"./, (start) => `${start.slice(0, -1)}${start.endsWith('0') ? '1' : '0'}`)],
    ['white space', () => text().replace(',"record"', ', "record"')],
    ['a line taken out', withLines((lines) => lines.toSpliced(2, 1))],
    ['the first line taken out', withLines((lines) => lines.slice(1))],
    ['two lines exchanged', withLines(([a, b, c, ...rest]) => [a, c, b, ...rest] as string[])],
    ['a line twice', withLines((lines) => [...lines, lines.at(-1) as string])],
    ['an empty line', withLines((lines) => [...lines, ''])],
    ['a line of something else', withLines((lines) => [...lines, '{"kind":"unfrozen"}'])],
    ['bytes that are no text', () => Buffer.concat([Buffer.from(text()), Buffer.of(0xff, 0xfe, 0x0a)])],
    ['a last line without end', () => text() + 'x'.repeat(140_000)],
  ])('%s', (_what, change) => {
    sign(0);
    sign(1);
    const tampered = change();
    expect(tampered.toString()).not.toBe(text());
    fs.writeFileSync(scene.journalFile, tampered);
    scene.restart();
    expect(scene.signer.state()).toMatchObject({ frozen: true, reason: expect.stringMatching(/damaged at record/) });
    for (const at of [0, 1, 2]) expect(() => sign(at)).toThrow(isFrozen);
    expect(scene.signer.freeze('again')).toEqual({ frozen: true });
    expect(fs.readFileSync(scene.journalFile).equals(Buffer.from(tampered))).toBe(true);
  });

  test('a journal of another wallet', () => {
    sign(0);
    const signer = new RefundSigner({ ...partsOf(scene.journalFile), journalKey: Buffer.alloc(32, 1) });
    expect(signer.state()).toMatchObject({ frozen: true, reason: expect.stringMatching(/another wallet/) });
  });
});

test('a missing journal freezes the signer unless the wallet is new', () => {
  sign(0);
  fs.rmSync(scene.journalFile);
  expect(() => sign(1)).toThrow(/changed by another process/);
  scene.restart();
  expect(scene.signer.state()).toMatchObject({ frozen: true, reason: 'the journal was missing at start' });
  expect(() => sign(0)).toThrow(isFrozen);
  expect(() => (scene.restart(), sign(0))).toThrow(isFrozen);
  expect(openScene(directory).signer.state().frozen).toBe(false);
});

test('when two signers share a journal, the one that finds the other’s record stops signing', () => {
  const first = scene.signer;
  const second = scene.restart();
  const one = first.sign({ order: order(0), draft: solanaDraft(order(0)) });
  const draft = solanaDraft(order(0), 1);
  expect(() => second.sign({ order: order(0), draft })).toThrow(/changed by another process/);
  expect(() => second.sign({ order: order(1), draft: solanaDraft(order(1)) })).toThrow(isFrozen);
  expect(first.sign({ order: order(0), draft: solanaDraft(order(0)) })).toEqual(one);
});

test('a signer that cannot write its journal signs nothing until it has read the journal again', () => {
  fs.chmodSync(scene.journalFile, 0o600);
  const moved = `${scene.journalFile}.moved`;
  fs.renameSync(scene.journalFile, moved);
  expect(() => sign(0)).toThrow(/changed by another process/);
  fs.renameSync(moved, scene.journalFile);
  expect(() => sign(0)).toThrow(isFrozen);
  scene.restart();
  expect(sign(0).hash).toBeTypeOf('string');
});

test('only its owner can read the journal, and it contains no key', () => {
  sign(0);
  expect(fs.statSync(scene.journalFile).mode & 0o077).toBe(0);
  for (const secret of ['07'.repeat(32), Buffer.alloc(32, 3).toString('hex'), Buffer.alloc(32, 7).toString('base64')]) {
    expect(text()).not.toContain(secret);
  }
});
