// A Safe as the cold wallet, without a chain: what its owners are shown and sign is what the bytes do and what ethers computes, and a SafeTx
// that does more than one transfer to the refund wallet is refused by the name of its field.

import { AbiCoder, Interface, Signature, Transaction, TypedDataEncoder, verifyTypedData, Wallet } from 'ethers';
import { beforeAll, describe, expect, it } from 'vitest';
import { differences, parseRequest, requestText } from '@/lib/cold-storage/returns/request-file';
import { BadDraft } from '@/lib/networks/sending/send';
import { CREATED, rewritten, safeCase, type SafeCase } from '@/testing/cold-storage/request-files';
import { openAccount } from './account';
import { describeItem } from './describe';
import type { ColdAccount, Item } from './item';
import { builderText } from './safe-builder';
import type { SafeTerms } from './safe';

const NONE = `0x${'0'.repeat(40)}`;
const FIELDS = [
  ...['address to', 'uint256 value', 'bytes data', 'uint8 operation', 'uint256 safeTxGas', 'uint256 baseGas'],
  ...['uint256 gasPrice', 'address gasToken', 'address refundReceiver', 'uint256 nonce'],
].map((text) => ({ type: text.split(' ')[0]!, name: text.split(' ')[1]! }));
const EXEC = new Interface([
  'function execTransaction(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice,address gasToken,address refundReceiver,bytes signatures)',
]);
const token = new Interface([
  'function transfer(address to, uint256 value)',
  'function approve(address to, uint256 value)',
]);
const now = new Date(CREATED.getTime() + 3_600_000);

let given: SafeCase;
let account: ColdAccount;
let item: Item;
beforeAll(async () => {
  given = await safeCase();
  [item] = given.request.items as [Item];
  account = openAccount(given.spec, given.from, given.request.account!);
});

type SafeTx = Record<string, unknown>;
const safeTx = (): SafeTx => {
  const { contract, to, amount } = item;
  const data = token.encodeFunctionData('transfer', [to, BigInt(amount)]);
  const call = { to: contract, value: 0n, data, operation: 0, nonce: 4n };
  return { ...call, safeTxGas: 0n, baseGas: 0n, gasPrice: 0n, gasToken: NONE, refundReceiver: NONE };
};
const encoded = (tx: SafeTx): string =>
  AbiCoder.defaultAbiCoder().encode(
    FIELDS.map(({ type }) => type),
    FIELDS.map(({ name }) => tx[name]),
  );
const refusal = (change: object): string | undefined => {
  const request = parseRequest(rewritten({ ...given.request, ...change }));
  return differences(request, { to: given.to, now })[0];
};
const withItem = (change: Partial<Record<keyof Item, unknown>>) => refusal({ items: [{ ...item, ...change }] });

it('is accepted as it was written, and its safeTxHash is that of EIP-712 by ethers', () => {
  expect(parseRequest(Buffer.from(requestText(given.request)))).toEqual(given.request);
  expect(refusal({})).toBeUndefined();
  expect(item.unsigned).toBe(encoded(safeTx()));
  const domain = { chainId: given.spec.chainId!, verifyingContract: given.from };
  const hash = TypedDataEncoder.hash(domain, { SafeTx: FIELDS }, safeTx());
  expect(`0x${Buffer.from(account.payload(item)).toString('hex')}`).toBe(hash);
  expect(account.shown(item)).toContainEqual(['hash', `safeTxHash ${hash}`]);
  // Of another Safe, and on another chain, it is another hash.
  const other = (spec: typeof given.spec, safe: string) =>
    Buffer.from(openAccount(spec, safe, given.request.account!).payload(item)).toString('hex');
  expect(`0x${other(given.spec, given.to)}`).not.toBe(hash);
  expect(`0x${other({ ...given.spec, chainId: 137 }, given.from)}`).not.toBe(hash);
});

it.each([
  ['a delegatecall', { operation: 1 }, /operation: it is a delegatecall/],
  ['coin', { value: 1n }, /value: it sends 1 wei/],
  ['a safeTxGas', { safeTxGas: 1n }, /safeTxGas/],
  ['a baseGas', { baseGas: 1n }, /baseGas/],
  ['a gasPrice', { gasPrice: 1n }, /gasPrice/],
  ['a gasToken', { gasToken: `0x${'1'.repeat(40)}` }, /gasToken/],
  ['a refundReceiver', { refundReceiver: `0x${'1'.repeat(40)}` }, /refundReceiver/],
  [
    'an approval',
    { data: token.encodeFunctionData('approve', [`0x${'1'.repeat(40)}`, 1n]) },
    /data: it is no token transfer/,
  ],
  ['no call', { data: '0x' }, /no SafeTx|data/],
  ['another target than a token', { to: `0x${'1'.repeat(40)}` }, /which is no token of ethereum/],
  ['a nonce beyond every number of JSON', { nonce: 2n ** 60n }, /nonce/],
])('refuses a SafeTx with %s', (_, change, expected) => {
  const tx = { ...safeTx(), ...change };
  expect(withItem({ unsigned: encoded(tx) })).toMatch(expected);
});

it('refuses a transfer to another address, and a call with more behind it', () => {
  const data = token.encodeFunctionData('transfer', [given.from, BigInt(item.amount)]);
  expect(withItem({ unsigned: encoded({ ...safeTx(), data }), to: given.from })).toMatch(/^item 1: to: it pays/);
  for (const unsigned of [`${item.unsigned}${'0'.repeat(64)}`, item.unsigned.replace(/0{8}$/, '00000001')])
    expect(withItem({ unsigned })).toMatch(/more than one token transfer/);
});

it('names each field of the transfer that was changed', () => {
  const changes: Partial<Record<keyof Item, unknown>> = {
    ...{ to: given.from, currency: 'USDC', contract: given.spec.tokens.USDC!.contract, decimals: 7, amount: '1' },
    ...{ feeCap: '1', validity: { nonce: 5 } },
  };
  for (const [name, value] of Object.entries(changes))
    expect([name, withItem({ [name]: value })]).toEqual([name, expect.stringContaining(`${name}: the file says`)]);
});

it('a changed byte of the SafeTx never goes unnoticed', () => {
  const bytes = Buffer.from(item.unsigned.slice(2), 'hex');
  const silent = Array.from(bytes.keys()).filter((at) => {
    const other = Buffer.from(bytes);
    other[at]! ^= 1;
    return withItem({ unsigned: `0x${other.toString('hex')}` }) === undefined;
  });
  expect(silent).toEqual([]);
});

describe('the terms of the account', () => {
  const terms = (): SafeTerms => given.request.account as SafeTerms;
  const withTerms = (change: object) => refusal({ account: { ...terms(), ...change } });

  it.each([
    ['a version that is not known', { version: '1.5.0' }],
    ['no owners', { owners: [] }],
    ['a threshold of none', { threshold: 0 }],
    ['another kind', { kind: 'vault' }],
    ['a field more', { more: 1 }],
  ])('with %s are no request of this version', (_, change) => {
    expect(() => withTerms(change)).toThrow(/account/);
  });

  it('are refused if fewer owners are named than must sign, or one is named twice', () => {
    const [first] = terms().owners;
    expect(withTerms({ owners: [first] })).toMatch(/^account: fewer owners/);
    expect(withTerms({ owners: [first, first, terms().owners[1]] })).toMatch(/^account: an owner is named twice/);
  });

  it('belong to a request of version 2 only, with one transfer', () => {
    expect(() => refusal({ version: 'stabletill-signing-request/1' })).toThrow(/version/);
    const { account: _, ...plain } = given.request;
    expect(() => parseRequest(rewritten(plain))).toThrow(/version/);
    const second = { ...item, intent: item.intent.replace(/1$/, '2') };
    expect(refusal({ items: [item, second] })).toMatch(/^account|items: a request to a Safe has one transfer/);
  });

  it('of an executor whose fee is above the cap are refused, and just below accepted', async () => {
    const [below, above] = [await safeCase({ fees: 3n }), await safeCase({ fees: 4n })];
    const why = ({ request, to }: SafeCase) => differences(request, { to, now })[0];
    expect(why(below)).toBeUndefined();
    expect(why(above)).toMatch(/^item 1: feeCap: the transfer may cost/);
  });

  it('do not exist on a network that is no EVM network', () => {
    const tron = { ...given.spec, family: 'tron', chainId: null } as unknown as typeof given.spec;
    expect(() => describeItem(tron, item, terms())).toThrow(BadDraft);
  });
});

it('the executor’s transaction carries the signatures of the threshold in the order of their owners, as ethers reads it', () => {
  const { completion, payload } = account;
  if (completion.kind !== 'executor') throw new Error('the case has an executor');
  const sign = (key: string, digest: Uint8Array): Uint8Array => {
    const { r, s, yParity } = new Wallet(key).signingKey.sign(digest);
    return Uint8Array.of(...Buffer.from(r.slice(2) + s.slice(2), 'hex'), yParity);
  };
  const { executor, stranger: _, ...owners } = given.keys;
  const signed = new Map(
    Object.values(owners).map((key) => [new Wallet(key).address.toLowerCase(), sign(key, payload(item))]),
  );
  const outer = completion.payload(item, signed);
  const { bytes, hash } = completion.finish(item, signed, sign(executor, outer));
  const sent = Transaction.from(bytes);
  expect(sent).toMatchObject({ hash, nonce: 9, gasLimit: 210_000n, chainId: BigInt(given.spec.chainId!), value: 0n });
  expect([sent.from, sent.to].map((one) => one!.toLowerCase())).toEqual([
    new Wallet(executor).address.toLowerCase(),
    given.from,
  ]);
  const [, , , operation, ...rest] = EXEC.decodeFunctionData('execTransaction', sent.data);
  expect([operation, ...rest.slice(0, 5)]).toEqual([0n, 0n, 0n, 0n, NONE, NONE]);
  const signatures = (rest[5] as string).slice(2);
  const domain = { chainId: given.spec.chainId!, verifyingContract: given.from };
  const by = (signatures.match(/.{130}/g) ?? []).map((one) =>
    verifyTypedData(domain, { SafeTx: FIELDS }, safeTx(), Signature.from(`0x${one}`)).toLowerCase(),
  );
  expect([signatures.length, by]).toEqual([2 * 130, [...signed.keys()].toSorted().slice(0, 2)]);
  // Another key than the executor's completes nothing.
  expect(() => completion.finish(item, signed, sign(given.keys.stranger, outer))).toThrow(/not one of the executor/);
});

it('the file for the Safe web app has the same call', () => {
  const [{ to, value, contractMethod, contractInputsValues }] = JSON.parse(
    builderText(given.spec, item, CREATED),
  ).transactions;
  const method = new Interface([{ type: 'function', ...contractMethod }]);
  const data = method.encodeFunctionData('transfer', Object.values(contractInputsValues));
  expect({ to: to.toLowerCase(), value: BigInt(value), data }).toEqual({
    ...{ to: item.contract, value: 0n, data: safeTx().data },
  });
});
