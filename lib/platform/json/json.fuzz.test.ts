// Compares the JSON reader with an independent oracle (scripts/fuzz/json-oracle.ts). On a million inputs the two must accept
// the same texts and read the same values. JSON_FUZZ_SEED and JSON_FUZZ_INPUTS choose others.

import { randomInt } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { KINDS } from '@/scripts/fuzz/json-inputs';
import { isPlainNumber, judge, NUMBER_MARK } from '@/scripts/fuzz/json-oracle';
import { Random } from '@/scripts/fuzz/random';
import { JsonError, JsonNumber, parseJsonObject } from './json';

const SEED = Number(process.env.JSON_FUZZ_SEED ?? randomInt(2 ** 31));
const INPUTS = Number(process.env.JSON_FUZZ_INPUTS ?? 1_000_000);
const NAMES = Object.keys(KINDS);

type Read = (bytes: Uint8Array) => unknown;
type Tally = { readonly accepted: Record<string, number>; readonly refused: Record<string, number> };

const input = (seed: number, n: number): Buffer => {
  const make = KINDS[NAMES[n % NAMES.length] as string] as (random: Random) => Buffer;
  return make(new Random(seed + n));
};

/** Describes how the reader differs from the oracle; null when they agree. */
function disagreement(read: Read, bytes: Buffer, tally?: { kind: string; counts: Tally }): string | null {
  const verdict = judge(bytes);
  if (tally) {
    const { kind, counts } = tally;
    const [list, name] = verdict.refused === null ? [counts.accepted, kind] : [counts.refused, verdict.refused];
    list[name] = (list[name] ?? 0) + 1;
  }
  let value: unknown;
  try {
    value = read(bytes);
  } catch (error) {
    if (!(error instanceof JsonError)) return `threw ${String(error)}`;
    return verdict.refused === null ? `refused (${error.message}) what is right` : null;
  }
  if (verdict.refused !== null) return `read what must be refused: ${verdict.refused}`;
  return isSame(value, verdict.value) ? null : `read it as ${JSON.stringify(value)}`;
}

/** Whether a read value equals the oracle's, in which numbers are marked text. */
function isSame(ours: unknown, theirs: unknown): boolean {
  if (typeof ours === 'number') return theirs === NUMBER_MARK + String(ours) && isPlainNumber(String(ours));
  if (ours instanceof JsonNumber) return theirs === NUMBER_MARK + ours.text && !isPlainNumber(ours.text);
  if (ours === null || typeof ours !== 'object') return ours === theirs;
  if (theirs === null || typeof theirs !== 'object' || Array.isArray(ours) !== Array.isArray(theirs)) return false;
  const [names, others] = [Object.keys(ours), Object.keys(theirs)];
  const same = (name: string) =>
    isSame((ours as Record<string, unknown>)[name], (theirs as Record<string, unknown>)[name]);
  return names.length === others.length && names.every((name, n) => name === others[n] && same(name));
}

/** The shortest input, found by leaving bytes out, on which the two still disagree. */
function shrunk(read: Read, bytes: Buffer): Buffer {
  for (let width = Math.ceil(bytes.length / 2); width >= 1; width = width === 1 ? 0 : Math.ceil(width / 2)) {
    for (let at = 0; at + width <= bytes.length; at++) {
      const shorter = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + width)]);
      if (disagreement(read, shorter) !== null) return shrunk(read, shorter);
    }
  }
  return bytes;
}

/** Tries inputs until the two disagree. Returns the disagreement and how to reproduce it, or null. */
function search(read: Read, { seed, inputs, counts }: { seed: number; inputs: number; counts?: Tally }): string | null {
  for (let n = 0; n < inputs; n++) {
    const bytes = input(seed, n);
    const tally = counts && { tally: { kind: NAMES[n % NAMES.length] as string, counts } };
    const fault = disagreement(read, bytes, tally?.tally);
    if (fault === null) continue;
    const least = shrunk(read, bytes);
    return `JSON_FUZZ_SEED=${seed}, input ${n}: ${fault}\n${JSON.stringify(least.toString())} ${least.toString('hex')}`;
  }
  return null;
}

test(
  `${INPUTS} inputs are read or refused as the oracle says, and read as what they mean`,
  { timeout: 600_000 },
  () => {
    const counts: Tally = { accepted: {}, refused: {} };
    const kept = Error.stackTraceLimit;
    // Half of the inputs are refused, and the message contains the position, so no stack is needed.
    Error.stackTraceLimit = 0;
    const started = performance.now();
    const fault = search(parseJsonObject, { seed: SEED, inputs: INPUTS, counts });
    Error.stackTraceLimit = kept;
    console.log(`seed ${SEED}, ${Math.round(performance.now() - started)} ms`, JSON.stringify(counts));
    expect(fault).toBeNull();
    // Inputs that are all refused at once, or never by one of the rules, would prove little.
    const rules = ['not UTF-8', 'not JSON', 'byte-order mark', 'not an object', 'too deep', 'NUL', 'lone surrogate'];
    const rare = [
      ...[...rules, 'prototype key', 'duplicate key'].filter((rule) => !((counts.refused[rule] ?? 0) > INPUTS / 2000)),
      ...NAMES.filter((kind) => !((counts.accepted[kind] ?? 0) > INPUTS / 1000)),
    ];
    expect(rare).toEqual([]);
  },
);

describe('the fuzzer detects a reader with one fault:', () => {
  const text = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const known =
    (read: Read): Read =>
    (bytes) => {
      try {
        return read(bytes);
      } catch (error) {
        throw error instanceof JsonError ? error : new JsonError('refused', 0);
      }
    };
  const lax =
    (change: (bytes: Uint8Array) => Uint8Array): Read =>
    (bytes) =>
      parseJsonObject(change(bytes));
  const replaced = (from: RegExp, to: string) =>
    lax((bytes) => Buffer.from(Buffer.from(bytes).toString('latin1').replace(from, to), 'latin1'));

  test.each<[string, Read]>([
    ['reads as JSON.parse does', known((bytes) => JSON.parse(text(bytes)))],
    ['repairs bytes that are no UTF-8', known((bytes) => parseJsonObject(Buffer.from(Buffer.from(bytes).toString())))],
    ['drops a byte-order mark', replaced(/^\xef\xbb\xbf/, '')],
    ['drops what comes after', replaced(/\}[^}]*$/, '}')],
    ['takes a trailing comma', replaced(/,(\s*[}\]])/g, '$1')],
    ['drops the zeros in front', replaced(/:0+(\d)/g, ':$1')],
    ['takes plus signs', replaced(/:\+/g, ':')],
    ['takes NUL', replaced(/\\u0000/g, '0')],
    ['takes lone surrogates', replaced(/\\ud83d(?!\\u)/g, 'x')],
    ['takes the key __proto__', replaced(/"__proto__"/g, '"proto"')],
    [
      'rounds',
      (bytes) =>
        JSON.parse(
          JSON.stringify(parseJsonObject(bytes), (_, one) =>
            one instanceof JsonNumber ? Number(one.text) : (one as unknown),
          ),
        ) as unknown,
    ],
  ])('%s', (_, read) => {
    expect(search(read, { seed: 1, inputs: 60_000 })).not.toBeNull();
  });
});
