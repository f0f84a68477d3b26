// Money comes back from a vault of a Squads multisig: its members sign one transaction on machines without a network, and the arrival is booked
// once. The node reports the multisig and what became of the transaction; the program of Squads cannot be run here.

import { Transaction } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openReturnScene, type ReturnScene } from '@/testing/cold-storage/return-scene';
import { startSquads, vaultOf, type SquadsChain } from '@/testing/cold-storage/squads';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { fakeKey } from '@/testing/solana/solana-ledger';
import { pay, STRANGER, usdc } from '@/testing/solana/solana-scene';
import { readRequestWords } from './request-words';

const [HELD, MOVED] = [1000_000_000n, 250_500_000n];

let db: TestDatabase;
let chain: SquadsChain;
let scene: ReturnScene;

beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  chain = await startSquads();
  scene = await openReturnScene({ db, ...chain });
  for (const [index, keyFile] of chain.keyFiles.entries()) scene.files.set(`key-${index + 1}`, keyFile);
});
afterEach(() => chain.stop());

const named = (members: readonly string[] = chain.members.slice(0, 2), multisig = chain.multisig): string[] => [
  ...['--multisig', multisig],
  ...members.flatMap((one) => ['--member', one]),
];
const request = (more: readonly string[] = named(), nonceAccount = chain.nonceAccount, amounts = ['USDT', '250.5']) =>
  scene.online(['request', 'solana', ...amounts, '--nonce', nonceAccount, '--out', 'request', ...more]);
const sign = (member: number, out: string, after: readonly string[] = []) =>
  scene.offline([
    ...['sign', 'request', '--to', scene.refund, '--key-file', `key-${member}`, '--out', out],
    ...after.flatMap((file) => ['--signed', file]),
  ]);
const send = (...words: string[]) => scene.online(['send', ...words, '--no-wait']);
/** Requested, and signed by both members who are named. */
async function signed(): Promise<void> {
  expect(await request()).toMatchObject({ code: 0 });
  expect(await sign(1, 'one')).toMatchObject({ code: 0 });
  expect(await sign(2, 'both', ['one'])).toMatchObject({ code: 0 });
}
const outcomes = async () => (await scene.rows()).map(({ outcome }) => outcome);

it('comes back once: the members see it, sign it one after the other, and the arrival is booked as a return', async () => {
  const before = await scene.books();
  const asked = await request();
  expect(asked).toMatchObject({ code: 0, text: expect.stringContaining(`multisig  ${chain.multisig}`) });
  expect(asked.text).toContain('Make nothing else in the multisig until it has landed');
  const shown = await scene.offline(['show', 'request', '--to', scene.refund]);
  expect(shown).toMatchObject({ code: 0, text: expect.stringContaining('Total       250.5 USDT') });
  for (const one of [chain.multisig, chain.vault, scene.refund, chain.members[0], chain.members[1]])
    expect(shown.text).toContain(one);
  expect(shown.text).not.toContain(chain.members[2]);
  expect(shown.text).toContain('and the rent of a proposal');
  expect(shown.text.split('\n').every((line) => line.length <= 120)).toBe(true);
  expect(await sign(1, 'one')).toMatchObject({
    code: 0,
    text: expect.stringContaining('1 of 2 signatures are missing'),
  });
  expect(await send('one')).toMatchObject({ code: 3, text: expect.stringContaining('missing') });
  expect(await sign(2, 'both', ['one'])).toMatchObject({ code: 0, text: expect.stringContaining('send both') });
  expect(await send('both')).toMatchObject({ code: 3, text: expect.stringContaining('broadcast') });
  const bytes = chain.state.sent[0]!;
  expect(Transaction.from(Buffer.from(bytes, 'base64')).verifySignatures()).toBe(true);
  chain.land(MOVED);
  expect(await send('both')).toMatchObject({ code: 0, text: expect.stringContaining('landed: 250.5 USDT') });
  expect([chain.held(chain.vault), await outcomes()]).toEqual([HELD - MOVED, ['landed']]);
  const after = await scene.books();
  expect(after.wallet - before.wallet).toBe(250_50n);
  expect(await send('both')).toMatchObject({ code: 0 });
  await scene.follow();
  expect([await scene.books(), new Set(chain.state.sent).size]).toEqual([after, 1]);
  expect(await scene.broken()).toEqual([]);
}, 60_000);

it('comes back when each member has signed alone and the files are sent together', async () => {
  expect(await request()).toMatchObject({ code: 0 });
  for (const member of [1, 2]) expect(await sign(member, `by-${member}`)).toMatchObject({ code: 0 });
  await send('by-2', 'by-1');
  chain.land(MOVED);
  await scene.follow();
  expect(await outcomes()).toEqual(['landed']);
}, 60_000);

it('is signed by no member whom the request does not name, and to no other wallet', async () => {
  expect(await request()).toMatchObject({ code: 0 });
  expect(await sign(3, 'three')).toMatchObject({ code: 3, text: expect.stringContaining('is not a member whom') });
  const elsewhere = await scene.offline(['sign', 'request', '--to', STRANGER, '--key-file', 'key-1']);
  expect(elsewhere).toMatchObject({ code: 3, text: expect.stringContaining(`to: it pays ${scene.refund}`) });
});

describe('a request is refused, and nothing is stored,', () => {
  afterEach(async () => expect(await scene.rows()).toEqual([]));
  const expectRefused = async (asked: ReturnType<typeof request>, text: string | RegExp) =>
    expect(await asked).toMatchObject({ code: 3, text: expect.stringMatching(text) });

  it('without the multisig, with what the operator has to name', () =>
    expectRefused(request([]), /--multisig ADDRESS --member ADDRESS/));

  it('for another multisig than the one whose vault the cold wallet is', () =>
    expectRefused(request(named(undefined, STRANGER)), `no vault of the multisig ${STRANGER}`));

  it('for an account that is no multisig', () => {
    const multisig = fakeKey('not open');
    const wallets = async () => ({ cold: vaultOf(multisig), refund: scene.refund });
    const network = { environment: 'test' as const, network: 'solana', open: async () => scene.chain, levels: [] };
    const words = ['request', 'solana', 'USDT', '1', '--nonce', chain.nonceAccount, ...named(undefined, multisig)];
    return expectRefused(
      scene.online(words, { networks: [{ ...network, wallets }] }),
      `There is no Squads multisig ${multisig}`,
    );
  });

  it('for members who could not bring it about', async () => {
    await expectRefused(request(named([chain.members[0]])), '2 of its members must sign');
    await expectRefused(request(named([chain.members[0], STRANGER])), 'not a member who may vote');
    chain.plan.timeLock = 60;
    await expectRefused(request(), 'time lock of 60 seconds');
  });

  it('with two transfers', () =>
    expectRefused(
      request([...named(), '--nonce', fakeKey('nonce account 2')], chain.nonceAccount, ['USDT', '1', 'USDT', '2']),
      'has one transfer',
    ));

  it('with a nonce account of another authority than the first member', () =>
    expectRefused(request(named(chain.members.slice(1))), 'is not a durable nonce account whose authority is'));

  it('above what the vault holds', () =>
    expectRefused(
      request(named(), chain.nonceAccount, ['USDT', '1000.000001']),
      'the cold wallet holds too little USDT',
    ));

  it('of a token of which the refund wallet has no account', () => {
    chain.node.mine([pay(chain.node, 5n, chain.vault, usdc)]);
    return expectRefused(request(named(), chain.nonceAccount, ['USDC', '0.000005']), 'has no account of USDC yet');
  });

  it('if the first member lacks coin for the fee and the rent', () => {
    chain.state.lamports = 5_000_000;
    return expectRefused(request(), `the member ${chain.members[0]} has too little SOL`);
  });

  it('if the multisig would refuse it now', () => {
    chain.state.simulated = { InstructionError: [3, { Custom: 6005 }] };
    return expectRefused(request(), 'the program of the multisig refused the transfer with its error 6005');
  });
});

describe('signatures are not stored, and nothing is sent,', () => {
  beforeEach(signed);
  afterEach(async () => {
    expect(await scene.rows()).toMatchObject([{ signedAt: null, outcome: null }]);
    expect(chain.state.sent).toEqual([]);
  });

  it.each<[string, () => void, RegExp]>([
    [
      'the multisig has made another transaction',
      () => chain.plan.lastIndex++,
      /next transaction of the multisig is 8/,
    ],
    ['more members must approve', () => (chain.plan.threshold = 3), /the multisig has changed. 3 of its members/],
    ['a member has left', () => (chain.plan.members = chain.plan.members.toSpliced(1, 1)), /may vote/],
    ['a time lock was set', () => (chain.plan.timeLock = 1), /time lock/],
    ['the nonce account was advanced', () => (chain.nonce.value = fakeKey('other')), /has another value by now/],
  ])('if %s since', async (_, change, expected) => {
    change();
    expect(await send('both')).toMatchObject({ code: 3, text: expect.stringMatching(expected) });
  });
});

describe('a signed one that does not move anything', () => {
  beforeEach(async () => {
    await signed();
    await send('both');
  });

  it('ends as reverted if the multisig refused it, and the next one can be requested', async () => {
    const before = await scene.books();
    const second = await scene.online(['request', 'solana', 'USDT', '1', ...named(), '--nonce', chain.nonceAccount]);
    expect(second).toMatchObject({ code: 3, text: expect.stringContaining('is signed and not final yet') });
    chain.land(MOVED, { InstructionError: [3, { Custom: 2006 }] });
    await scene.follow();
    expect([await outcomes(), await scene.books()]).toEqual([['reverted'], before]);
    scene.files.delete('request');
    expect(await request()).toMatchObject({ code: 0 });
  });

  it('ends as lapsed once its nonce account was advanced by another transaction', async () => {
    expect(await scene.follow()).toMatchObject([{ outcome: { kind: 'waiting' } }]);
    chain.nonce.value = fakeKey('other');
    await scene.follow();
    expect(await outcomes()).toEqual(['lapsed']);
  });

  it('can be given up only once its nonce account was advanced and no endpoint can say what became of it', async () => {
    const [row] = await scene.rows();
    const give = () => scene.online(['give-up', row!.id, '--reason', 'gone'], { ask: async () => row!.id });
    expect(await give()).toMatchObject({ code: 3, text: expect.stringContaining('was not advanced') });
    const { tamper } = chain.node;
    // The node has forgotten its first blocks.
    chain.node.tamper = (call, result) => (call.method === 'getFirstAvailableBlock' ? 2 : tamper(call, result));
    chain.nonce.value = fakeKey('other');
    expect(await give()).toMatchObject({ code: 0 });
    expect(await outcomes()).toEqual(['given_up']);
  });
});

it('takes the place of an older request that was not signed, and of no signed one', async () => {
  expect(await request()).toMatchObject({ code: 0 });
  const second = ['request', 'solana', 'USDT', '1', '--nonce', chain.nonceAccount, '--out', 'second', ...named()];
  expect(await scene.online(second)).toMatchObject({ code: 0 });
  expect(await outcomes()).toEqual(expect.arrayContaining(['superseded', null]));
});

it.each([
  ['a multisig without members', ['--multisig', 'M']],
  ['members without a multisig', ['--member', 'A']],
  ['two multisigs', ['--multisig', 'M', '--multisig', 'N', '--member', 'A']],
])('the words of a request name no %s', (_, words) => {
  expect(readRequestWords(['solana', 'USDT', '1', ...words])).toBeNull();
  const right = ['solana', 'USDT', '1', '--multisig', 'M', '--member', 'A', '--member', 'B'];
  expect(readRequestWords(right)).toMatchObject({ squads: { multisig: 'M', members: ['A', 'B'] } });
});
