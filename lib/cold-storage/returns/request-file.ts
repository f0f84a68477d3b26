// The file stabletill-signing-request: transfers of the cold wallet to the refund wallet that wait for signatures. Version 1 is of a plain
// account; version 2 names the terms of an account with several keys, so that an older program refuses it. The text is canonical, so that a
// change of any byte shows. What it says about a transaction counts only if the transaction's own bytes say the same. Pure.

import { z } from 'zod';
import { accountShape, openAccount, type AccountTerms } from '@/lib/cold-storage/accounts/account';
import { describeItem } from '@/lib/cold-storage/accounts/describe';
import { itemShape, type Item } from '@/lib/cold-storage/accounts/item';
import { keptForDataFee, NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import { BadDraft } from '@/lib/networks/sending/send';
import { sha256 } from '@/lib/platform/crypto';
import { JsonError, parseJsonObject, type JsonValue } from '@/lib/platform/json/json';
import { canonicalJson } from '@/lib/platform/json/json-text';

const VERSIONS = { plain: 'stabletill-signing-request/1', several: 'stabletill-signing-request/2' } as const;
const PURPOSE = 'from the cold wallet to the refund wallet' as const;
/** More would be hard to check by eye. */
export const MAX_ITEMS = 8;
/** A request that is older should be written again on the present state of the chain. TRON transfers expire earlier. */
const LONGEST_SECONDS = 86_400;
const MAX_BYTES = 64 * 1024;

const second = z.iso.datetime({ precision: 0 });
const requestShape = z.strictObject({
  version: z.enum([VERSIONS.plain, VERSIONS.several]),
  id: z.string().regex(/^cr_[0-9A-Za-z]{22}$/),
  /** UTC, whole seconds. */
  created: second,
  expires: second,
  network: z.string().min(1).max(40),
  chain: z.enum(['mainnet', 'testnet', 'local']),
  /** As the row of the network has them. */
  chainId: z.number().int().positive().nullable(),
  genesis: z.string().max(100).nullable(),
  purpose: z.literal(PURPOSE),
  /** The cold wallet, if more than one key signs for it. */
  account: accountShape.exactOptional(),
  items: z.array(itemShape).min(1).max(MAX_ITEMS),
  /** Base units of all items, by currency. */
  totals: z.record(z.string().regex(/^[A-Z]{2,10}$/), z.string().max(80)),
  /** Of the canonical text without this field. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Request = z.output<typeof requestShape>;

/** The file does not have this version, or was changed. The message says what differs. */
export class BadRequest extends Error {
  constructor(message: string) {
    super(printable(message));
    this.name = 'BadRequest';
  }
}

/** Text of a file for a terminal: escapes in it could hide a refusal, or make it look like an approval. */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  );

export type RequestParts = Pick<Request, 'id' | 'items'> & {
  readonly spec: NetworkSpec;
  readonly created: Date;
  /** Null: the cold wallet is a plain account. */
  readonly terms: AccountTerms | null;
};

/** The request for these items. It expires after a day, or before the first of its transactions does. */
export function makeRequest({ id, items, spec, created, terms }: RequestParts): Request {
  const from = Math.floor(created.getTime() / 1000);
  const ends = items.flatMap(({ validity }) => ('until' in validity ? [validity.until] : []));
  const fields = {
    ...{ version: versionOf(terms), purpose: PURPOSE, id, items, totals: totalsOf(items) },
    ...(terms ? { account: terms } : {}),
    created: timeText(from),
    expires: timeText(Math.min(from + LONGEST_SECONDS, ...ends)),
    ...{ network: spec.network, chain: spec.chain, chainId: spec.chainId, genesis: spec.genesis },
  };
  return { ...fields, sha256: digestOf(fields) };
}

const versionOf = (terms: AccountTerms | null) => (terms ? VERSIONS.several : VERSIONS.plain);

/** The terms of the cold wallet; null for a plain account. */
export const termsOf = ({ account }: Pick<Request, 'account'>): AccountTerms | null => account ?? null;

export const requestText = (request: Request): string => `${canonicalJson(request)}\n`;

/** The request that a file contains. Throws BadRequest for text that is not exactly a canonical request of this version. */
export function parseRequest(bytes: Uint8Array): Request {
  const request = parseFile(bytes, requestShape, 'a signing request of this version');
  const { sha256: named, ...fields } = request;
  const actual = digestOf(fields);
  if (named !== actual) throw new BadRequest(`sha256: the file says ${named}, its content has ${actual}`);
  const expected = versionOf(termsOf(request));
  if (request.version !== expected) throw new BadRequest(`version: its account needs ${expected}`);
  return request;
}

/** Reads a canonical file of one shape. Throws BadRequest. */
export function parseFile<T>(bytes: Uint8Array, shape: z.ZodType<T>, what: string): T {
  if (bytes.length > MAX_BYTES) throw new BadRequest(`the file is longer than ${what}`);
  let value: JsonValue;
  try {
    value = parseJsonObject(bytes);
  } catch (error) {
    if (error instanceof JsonError) throw new BadRequest(`the file is not ${what}: ${error.message}`);
    throw error;
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new BadRequest(`the file is not ${what}: ${issue?.path.join('.') || 'its fields'}: ${issue?.message}`);
  }
  if (`${canonicalJson(value)}\n` !== Buffer.from(bytes).toString('utf8'))
    throw new BadRequest(
      'the file is not written as Stabletill writes it: a space, an order of fields or its end was changed',
    );
  return parsed.data;
}

/** The row of the request's network. Throws BadRequest for a network or a chain id that this program does not know. */
export function specOf({ network, chain, chainId, genesis }: Request): NetworkSpec {
  const spec = NETWORKS.find((row) => row.network === network && row.chain === chain);
  if (!spec) throw new BadRequest(`network: this program knows no ${network}@${chain}`);
  if (spec.chainId !== chainId)
    throw new BadRequest(`chainId: the file says ${chainId}, ${network}@${chain} is ${spec.chainId}`);
  if (spec.genesis !== genesis)
    throw new BadRequest(`genesis: the file says ${genesis}, ${network}@${chain} begins with ${spec.genesis}`);
  return spec;
}

/** How far clocks may differ. */
const TOLERANCE_SECONDS = 300;

export type Expected = {
  /** The only address that may be paid, as the network writes it (EVM in lower case). */
  readonly to: string;
  readonly now: Date;
};

/** Everything in which the request differs from its bytes or from what is expected, one sentence each. None: it may be signed. */
export function differences(request: Request, { to, now }: Expected): readonly string[] {
  const spec = specOf(request);
  const items = request.items.flatMap((item, index) =>
    [
      ...itemDifferences(spec, item, termsOf(request)),
      ...(item.to === to ? [] : [`to: it pays ${item.to}, and not ${to}`]),
      ...(item.intent === `${request.id}_${index + 1}` ? [] : ['intent: it is of another request']),
      ...('until' in item.validity && item.validity.until < unix(request.expires)
        ? ['validity: the transaction expires before the request does']
        : []),
    ].map((what) => `item ${index + 1}: ${what}`),
  );
  const others = [
    ...accountDifferences(spec, request),
    ...repeated(request.items),
    ...totalDifferences(request),
    ...timeDifferences(request, now),
  ];
  return [...items, ...others].map(printable);
}

function accountDifferences(spec: NetworkSpec, { items, account }: Request): readonly string[] {
  if (!account) return [];
  try {
    return openAccount(spec, items[0]?.from ?? '', account).differences(items);
  } catch (error) {
    if (error instanceof BadDraft) return [error.message];
    throw error;
  }
}

function itemDifferences(spec: NetworkSpec, item: Item, terms: AccountTerms | null): string[] {
  let read: Item;
  try {
    read = describeItem(spec, item, terms);
  } catch (error) {
    if (error instanceof BadDraft) return [error.message];
    throw error;
  }
  // The signer's limit for refunds. A fee has no other one: the wallet's coin pays it.
  const mostFee = spec.feeCap - keptForDataFee(spec);
  return [
    ...(Object.keys(read) as (keyof Item)[]).flatMap((field) => {
      const [said, found] = [item[field], read[field]].map((value) => canonicalJson(value as JsonValue));
      return said === found ? [] : [`${field}: the file says ${said}, the bytes say ${found}`];
    }),
    ...(BigInt(read.feeCap) > mostFee
      ? [`feeCap: the transfer may cost ${read.feeCap}, and at most ${mostFee} is paid`]
      : []),
  ];
}

const once = (what: string, keys: readonly string[]): string[] =>
  new Set(keys).size === keys.length ? [] : [`two items have the same ${what}`];

function repeated(items: readonly Item[]): string[] {
  const valid = items.map(({ validity }) => validity);
  return [
    ...once(
      'intent',
      items.map(({ intent }) => intent),
    ),
    ...once(
      'bytes',
      items.map(({ unsigned }) => unsigned),
    ),
    ...once(
      'nonce',
      valid.flatMap((one) => ('nonce' in one ? [String(one.nonce)] : [])),
    ),
    ...once(
      'nonce account',
      valid.flatMap((one) => ('nonceAccount' in one ? [one.nonceAccount] : [])),
    ),
    ...(new Set(items.map(({ from }) => from)).size === 1 ? [] : ['the items are paid by several wallets']),
  ];
}

function totalDifferences({ items, totals }: Request): string[] {
  const [said, found] = [totals, totalsOf(items)].map(canonicalJson);
  return said === found ? [] : [`totals: the file says ${said}, the items make ${found}`];
}

function timeDifferences({ created, expires }: Request, now: Date): string[] {
  const [from, until, at] = [unix(created), unix(expires), now.getTime() / 1000];
  return [
    ...(from > at + TOLERANCE_SECONDS ? [`created: ${created} is in the future; compare the clocks`] : []),
    ...(until <= at ? [`expires: it expired at ${expires}`] : []),
    ...(until <= from || until > from + LONGEST_SECONDS ? ['expires: it is not within a day of its creation'] : []),
  ];
}

export function totalsOf(items: readonly Item[]): Record<string, string> {
  const sums = new Map<string, bigint>();
  for (const { currency, amount } of items) sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount));
  return Object.fromEntries([...sums].map(([currency, sum]) => [currency, String(sum)]));
}

const digestOf = (fields: Omit<Request, 'sha256'>): string => sha256(canonicalJson(fields)).toString('hex');
const unix = (time: string): number => Date.parse(time) / 1000;
const timeText = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
