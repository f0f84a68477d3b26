// A vault of a Squads multisig in a request: what its terms and its bytes say, what is refused, and who may sign, without a chain.

import { base58 } from '@scure/base';
import { Keypair, Message, Transaction } from '@solana/web3.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { differences, parseRequest, requestText, totalsOf } from '@/lib/cold-storage/returns/request-file';
import { writeProposal } from '@/lib/networks/families/solana/squads/write-proposal';
import { BadDraft } from '@/lib/networks/sending/send';
import type { SquadsState } from '@/lib/networks/sending/squads';
import { CREATED, rewritten } from '@/testing/cold-storage/request-files';
import { squadsCase, type SquadsCase } from '@/testing/cold-storage/squads';
import { edAccount } from '@/lib/treasury/wallets/ed-account';
import { openAccount } from './account';
import { describeItem } from './describe';
import type { ColdAccount, Item } from './item';
import { membersObstacle } from './squads';

const now = new Date(CREATED.getTime() + 3_600_000);

let given: SquadsCase;
let account: ColdAccount;
let item: Item;
beforeAll(async () => {
  given = await squadsCase();
  [item] = given.request.items as [Item];
  account = openAccount(given.spec, given.from, given.terms);
});

const refusal = (change: object, of = given): string | undefined => {
  const request = parseRequest(rewritten({ ...of.request, ...change }));
  return differences(request, { to: of.to, now })[0];
};
const withItem = (change: Partial<Record<keyof Item, unknown>>) => refusal({ items: [{ ...item, ...change }] });
const withTerms = (change: object) => refusal({ account: { ...given.terms, ...change } });

it('is accepted as it was written, and says what it moves, from where, and what it costs', () => {
  expect(parseRequest(Buffer.from(requestText(given.request)))).toEqual(given.request);
  expect(refusal({})).toBeUndefined();
  const { transfer, from, to } = given;
  expect(item).toMatchObject({ from, to, currency: 'USDT', amount: '1250500000', decimals: 6 });
  // Two signatures, and 260,000 units at 0.001 lamports.
  expect(item).toMatchObject({ feeCap: '10260', validity: { nonceAccount: transfer.nonceAccount } });
  const shown = account.shown(item);
  expect(shown).toContainEqual(['multisig', transfer.multisig]);
  expect(shown).toContainEqual(['vault', '0, by transaction 7 of the multisig']);
  for (const member of transfer.members) expect(shown).toContainEqual(['member', member]);
});

it('names each field of the transfer that was changed', () => {
  const changes: Partial<Record<keyof Item, unknown>> = {
    ...{ from: given.to, to: given.from, currency: 'USDC', contract: given.spec.tokens.USDC!.contract, decimals: 7 },
    ...{ amount: '1', feeCap: '1', validity: { nonceAccount: given.to, nonceValue: given.to } },
  };
  for (const [name, value] of Object.entries(changes))
    expect([name, withItem({ [name]: value })]).toEqual([name, expect.stringContaining(`${name}: the file says`)]);
});

it('is refused if it pays another wallet than the person who signs has named', async () => {
  const other = Keypair.generate().publicKey.toBase58();
  const unsigned = await writeProposal({ ...given.transfer, to: other });
  // An attacker on the online machine rewrites everything consistently.
  const everything = { items: [{ ...item, unsigned, to: other }], account: { ...given.terms, recipient: other } };
  expect(refusal(everything)).toBe(`item 1: to: it pays ${other}, and not ${given.to}`);
  // Or only the bytes.
  expect(withItem({ unsigned })).toMatch(/not exactly one transfer of a Squads vault/);
});

it('is refused if it pays out of another vault than the file says', async () => {
  const unsigned = await writeProposal({ ...given.transfer, vaultIndex: 1 });
  expect(withItem({ unsigned })).toMatch(/^item 1: from: the file says/);
});

it('is refused with a second transfer, whose transaction the multisig would not have', async () => {
  const second = { ...item, intent: item.intent.replace(/1$/, '2') };
  const items = [item, second];
  const found = differences(parseRequest(rewritten({ ...given.request, items, totals: totalsOf(items) })), {
    ...{ to: given.to, now },
  });
  expect(found).toContain('items: a request to a Squads vault has one transfer');
});

it('is refused above the fee cap of the network, and accepted just below', async () => {
  const [below, above] = [await squadsCase({ fees: 19_000n }), await squadsCase({ fees: 20_000n })];
  expect(refusal({}, below)).toBeUndefined();
  expect(refusal({}, above)).toMatch(/^item 1: feeCap: the transfer may cost/);
});

describe('the terms of the account', () => {
  it('are refused if they name other members than the bytes, or in another order', () => {
    const [first, second] = given.terms.members as [string, string];
    for (const members of [[second, first], [first], [first, given.to], [first, second, given.to]])
      expect(withTerms({ members })).toMatch(/members: the file says/);
  });

  it.each([
    ['no members', { members: [] }],
    ['more members than may sign', { members: Array.from({ length: 5 }, () => 'x'.repeat(40)) }],
    ['no recipient', { recipient: '' }],
    ['a field more', { more: 1 }],
  ])('with %s are no request of this version', (_, change) => {
    expect(() => withTerms(change)).toThrow(/account/);
  });

  it('do not exist on a network that is not Solana', () => {
    const tron = { ...given.spec, family: 'tron' } as unknown as typeof given.spec;
    expect(() => describeItem(tron, item, given.terms)).toThrow(BadDraft);
  });
});

it('is signed by its members only, and @solana/web3.js verifies the transaction', () => {
  const { completion, payload, isSignedBy } = account;
  if (completion.kind !== 'signatures') throw new Error('a multisig needs the signatures of its members only');
  const keys = given.keyFiles.map((file) => edAccount(Uint8Array.from(JSON.parse(file) as number[]).subarray(0, 32)));
  const signed = new Map(keys.map((key) => [key.address, key.sign(payload(item))]));
  expect([...signed.keys()]).toEqual(given.terms.members);
  for (const [signer, signature] of signed)
    for (const { address } of keys) expect(isSignedBy(item, address, signature)).toBe(address === signer);
  const { bytes, hash } = completion.finish(item, signed);
  const message = Message.from(Buffer.from(item.unsigned, 'base64'));
  const signatures = [...signed.values()].map((one) => base58.encode(one));
  expect(Transaction.populate(message, signatures).verifySignatures()).toBe(true);
  expect([hash, Transaction.from(Buffer.from(bytes, 'base64')).verifySignatures()]).toEqual([signatures[0], true]);
  const [[first, its]] = [...signed] as [[string, Uint8Array]];
  expect(() => completion.finish(item, new Map([[first, its]]))).toThrow('a member has not signed it');
});

describe('the members who are named', () => {
  const all = { proposes: true, votes: true, executes: true };
  const state = (change: Partial<SquadsState> = {}): SquadsState => ({
    ...{ threshold: 2, timeLock: 0, lastIndex: 6 },
    members: [
      { address: 'A', ...all },
      { address: 'B', ...all },
      { address: 'V', ...all, proposes: false, executes: false },
      { address: 'E', ...all, votes: false },
    ],
    ...change,
  });

  it('can bring it about if as many as the threshold may vote and the first may do everything', () => {
    for (const members of [
      ['A', 'B'],
      ['B', 'A'],
      ['A', 'V'],
    ])
      expect(membersObstacle(state(), members)).toBeNull();
    expect(membersObstacle(state({ threshold: 1 }), ['A'])).toBeNull();
  });

  it.each([
    ['too few', {}, ['A'], /^2 of its members must sign, and you name 1/],
    ['too many', {}, ['A', 'B', 'V'], /^2 of its members must sign, and you name 3/],
    ['one twice', {}, ['A', 'A'], /must sign/],
    ['a stranger', {}, ['A', 'X'], /^X is not a member who may vote. Those can: A, B, V \(not as the first\)\.$/],
    ['a member without a vote', {}, ['A', 'E'], /^E is not a member who may vote/],
    ['a first one who may not propose', {}, ['V', 'A'], /^The first member V must also/],
    ['a time lock', { timeLock: 60 }, ['A', 'B'], /time lock of 60 seconds/],
    ['a threshold that one transaction has no room for', { threshold: 5 }, ['A', 'B'], /^5 members must approve/],
  ])('cannot with %s', (_, change, members, expected) => {
    expect(membersObstacle(state(change), members)).toMatch(expected);
  });
});
