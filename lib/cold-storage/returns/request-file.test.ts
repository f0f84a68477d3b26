// A signing request says exactly what its bytes do, or it is refused: every field and every byte is changed here once.

import { beforeAll, describe, expect, it } from 'vitest';
import type { NetworkFamily } from '@/lib/networks/chain';
import { BadDraft } from '@/lib/networks/sending/send';
import { CREATED, requestCase, rewritten, type RequestCase } from '@/testing/cold-storage/request-files';
import { BadRequest, differences, parseRequest, requestText, type Request } from './request-file';
import { describeItem } from '@/lib/cold-storage/accounts/describe';
import type { Item } from '@/lib/cold-storage/accounts/item';

const FAMILIES: readonly NetworkFamily[] = ['evm', 'tron', 'solana'];
const now = new Date(CREATED.getTime() + 3_600_000);

/** Why the offline program refuses a file; null if it would sign it. */
function refusal(bytes: Uint8Array, to: string, at = now): string | null {
  try {
    return differences(parseRequest(bytes), { to, now: at })[0] ?? null;
  } catch (error) {
    if (error instanceof BadRequest) return error.message;
    throw error;
  }
}

const second = (time: string, by: number): string =>
  new Date(Date.parse(time) + by * 1000).toISOString().replace('.000Z', 'Z');

/** Another value of the same kind. The creation is a second later, the expiry a second earlier. */
function changed(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (value === null) return 1;
  if (/^\d{4}-.*Z$/.test(String(value)))
    return second(String(value), String(value) === second(CREATED.toISOString(), 0) ? 1 : -1);
  const text = String(value);
  const last = text.at(-1);
  return text.slice(0, -1) + (last === '1' ? '2' : '1');
}

describe.each(FAMILIES)('%s', (family) => {
  let given: RequestCase;
  beforeAll(async () => void (given = await requestCase(family)));
  const withItem = (change: Partial<Record<keyof Item, unknown>>): object => {
    const [first, ...others] = given.request.items;
    return { ...given.request, items: [{ ...first, ...change }, ...others] };
  };

  it('is accepted as it was written', () => {
    const bytes = Buffer.from(requestText(given.request));
    expect(parseRequest(bytes)).toEqual(given.request);
    expect(refusal(bytes, given.to)).toBeNull();
  });

  it('a change of any byte of the file is refused', () => {
    const bytes = Buffer.from(requestText(given.request));
    const accepted: number[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const other = Buffer.from(bytes);
      other[at] = bytes[at] === 0x31 ? 0x32 : 0x31;
      if (refusal(other, given.to) === null) accepted.push(at);
    }
    expect(accepted).toEqual([]);
    expect(refusal(bytes.subarray(0, -1), given.to)).not.toBeNull();
    expect(refusal(Buffer.concat([bytes, Buffer.from(' ')]), given.to)).not.toBeNull();
  });

  it('a change of any field is refused, also under its own sha256', () => {
    const fields = Object.keys(given.request).filter(
      (name) => name !== 'items' && name !== 'totals',
    ) as (keyof Request)[];
    const accepted = fields.filter((name) => {
      const change = { ...given.request, [name]: changed(given.request[name]) };
      return refusal(rewritten(change), given.to) === null;
    });
    // The sha256 is made again. Nothing in the bytes says when a request was made: `send` compares the times with the stored request.
    expect(accepted.toSorted()).toEqual(['created', 'expires', 'sha256']);
    const totals = { ...given.request.totals, USDT: '1' };
    expect(refusal(rewritten({ ...given.request, totals }), given.to)).toMatch(/^totals/);
  });

  it('a change of any field of a transfer is refused, and the refusal names the field', () => {
    const [first] = given.request.items as [Item];
    for (const name of Object.keys(first) as (keyof Item)[]) {
      const change = name === 'validity' ? withValidity(first) : changed(first[name]);
      const why = refusal(rewritten(withItem({ [name]: change })), given.to);
      expect([name, why]).toEqual([name, expect.any(String)]);
      const isOfShape = name === 'intent' || name === 'unsigned';
      if (!isOfShape) expect(why).toMatch(new RegExp(`${name}|wallets`));
    }
  });

  it('a change of any byte of a transaction shows in its description, unless it changes no money', () => {
    const [first] = given.request.items as [Item];
    const encoding = family === 'solana' ? 'base64' : 'hex';
    const bytes = Buffer.from(first.unsigned.replace(/^0x/, ''), encoding);
    const silent: number[] = [];
    for (let at = 0; at < bytes.length; at++) {
      for (const flip of [1, 0x80]) {
        const other = Buffer.from(bytes);
        other[at]! ^= flip;
        const text = other.toString(encoding);
        const unsigned = family === 'evm' ? `0x${text}` : text;
        if (refusal(rewritten(withItem({ unsigned })), given.to) === null) silent.push(at);
      }
    }
    // EVM: the tip, which is within the price. TRON: the reference block, the timestamp, and less than a second of the expiration. Solana: the low part of the price, below a lamport.
    expect(new Set(silent).size).toBeLessThanOrEqual(SILENT[family]);
    for (const at of silent) expect(MOVES[family](bytes, at)).toBe(false);
  });

  it('is refused if a transfer may cost more than the network’s fee cap, and accepted just below it', async () => {
    const [cheap, dear] = await Promise.all(FEES[family].map((fees) => requestCase(family, fees)));
    expect(refusal(Buffer.from(requestText(cheap!.request)), cheap!.to)).toBeNull();
    expect(refusal(Buffer.from(requestText(dear!.request)), dear!.to)).toMatch(
      /^item 1: feeCap: the transfer may cost/,
    );
  });

  it.each([
    [
      'another destination',
      (one: RequestCase) => refusal(Buffer.from(requestText(one.request)), one.from),
      /^item 1: to: it pays/,
    ],
    [
      'an expired request',
      (one: RequestCase) =>
        refusal(Buffer.from(requestText(one.request)), one.to, new Date(CREATED.getTime() + 86_400_000)),
      /expired/,
    ],
    [
      'a request of the future',
      (one: RequestCase) =>
        refusal(Buffer.from(requestText(one.request)), one.to, new Date(CREATED.getTime() - 400_000)),
      /future/,
    ],
    [
      'a repeated transfer',
      (one: RequestCase) =>
        refusal(rewritten({ ...one.request, items: [one.request.items[0], one.request.items[0]] }), one.to),
      /intent|same/,
    ],
    [
      'a transfer that was left out of the totals',
      (one: RequestCase) => refusal(rewritten({ ...one.request, items: [one.request.items[0]] }), one.to),
      /^totals/,
    ],
    [
      'a request for another chain of the network',
      (one: RequestCase) => refusal(rewritten({ ...one.request, chain: 'testnet' }), one.to),
      /chainId|genesis/,
    ],
    [
      'a field that this version does not have',
      (one: RequestCase) => refusal(rewritten({ ...one.request, more: 1 }), one.to),
      /more/,
    ],
    [
      'a file of another version',
      (one: RequestCase) => refusal(rewritten({ ...one.request, version: 'stabletill-signing-request/3' }), one.to),
      /version/,
    ],
  ])('refuses %s', (_, why, expected) => {
    expect(why(given)).toMatch(expected);
  });

  it('refuses a transfer of a token that is not in the table', async () => {
    const [first] = given.request.items as [Item];
    const unknown = { ...given.spec, tokens: { USDC: given.spec.tokens.USDC! } };
    expect(() => describeItem(unknown, first, null)).toThrow(BadDraft);
    expect(() => describeItem(unknown, first, null)).toThrow(/no token of/);
  });
});

/** Multiples of a usual fee, on either side of the cap: 0.02 ETH, about 50 TRX, 0.005 SOL. */
const FEES: Readonly<Record<NetworkFamily, readonly [bigint, bigint]>> = {
  evm: [8n, 9n],
  tron: [1n, 2n],
  solana: [83_000n, 84_000n],
};

const withValidity = ({ validity }: Item): unknown =>
  Object.fromEntries(
    Object.entries(validity).map(([name, value], index) => [name, index === 0 ? changed(value) : value]),
  );

/** The most bytes of a transaction that may take another value unnoticed. */
const SILENT: Readonly<Record<NetworkFamily, number>> = { evm: 4, tron: 17, solana: 2 };

/** Whether a byte is part of what moves money: the addresses, the amount, the token, the call. */
const MOVES: Readonly<Record<NetworkFamily, (bytes: Buffer, at: number) => boolean>> = {
  // The call with its recipient and amount is the end, but for the empty access list; the token is before it.
  evm: (bytes, at) => at >= bytes.length - 1 - 68 - 3 - 21,
  tron: (bytes, at) => at >= bytes.indexOf('type.googleapis.com') && at < bytes.length - 20,
  // All keys, the nonce, and the instructions but the price.
  solana: (bytes, at) => at < bytes.length / 2,
};
