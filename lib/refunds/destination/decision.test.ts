// Where a refund goes, decided from rows, without a database. destination.test.ts has the same on PostgreSQL.

import { describe, expect, test } from 'vitest';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { ChainError } from '@/lib/networks/chain';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import { openLog } from '@/lib/platform/log';
import { transferMac } from '@/lib/signer/attestations/payer-evidence';
import { scriptedTransaction, type Answer } from '@/testing/database/scripted-transaction';
import { TestClock, testConfig } from '@/testing/fixtures';
import { signingText } from '@/lib/refunds/customer-address/signature';
import { findDestination } from './destination';
import { payerObjection, type PayingChain } from './payer';
import type { DestinedRefund, Payer } from './payers';

const KEY = [Buffer.alloc(32, 3)] as const;
const ANN = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const BOB = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
const GIVEN = '0x90f79bf6eb2c4f870365e785982e1f101e93b906';
const local = networkSpec('test', 'ethereum', 'local') as NetworkSpec;
const mainnet = networkSpec('live', 'ethereum', 'public') as NetworkSpec;
const tron = networkSpec('live', 'tron', 'public') as NetworkSpec;
const tronLocal = networkSpec('test', 'tron', 'local') as NetworkSpec;
const TRON_PAYER = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';
const clock = new TestClock();
const START = new Date(clock.now().getTime() - 60_000);
const refund: DestinedRefund = {
  ...{ id: 're_1', storeId: 'st_1', sessionId: 'cs_1', network: 'ethereum', caseId: null },
  environment: 'test',
};

type Row = Record<string, unknown>;
const CASES = { case_id: null, case_kind: null, case_amount: null, case_counted: null, case_state: null };
function transfer(hash: string, cents: number, over: Row = {}): Row {
  const row = {
    ...{ genesis: '0xg', network: 'ethereum', transaction_hash: hash, ordinal: 0, block_number: '50' },
    ...{ block_hash: '0xb', block_time: START, currency: 'USDT', contract: '0xc', payer: ANN, recipient: '0xr' },
    ...{ amount: `${cents * 10_000}`, decimals: 6, is_plain: true, ...CASES, status: 'completed' },
    ...{ accepted_from: null, networks: ['ethereum', 'bsc', 'tron'] },
    ...{ offered_pairs: ['ethereum-USDT', 'ethereum-USDC', 'bsc-USDT', 'tron-USDT'] },
    ...{ created_at: START, expires_at: new Date(START.getTime() + 600_000), ...over },
  };
  const mac = transferMac(KEY, {
    ...{ environment: 'test', network: row.network, genesis: '0xg', sessionId: 'cs_1', transactionHash: hash },
    ...{ ordinal: 0, blockNumber: 50, blockHash: '0xb', blockTime: row.block_time.getTime() / 1000 },
    ...{ currency: row.currency, contract: '0xc', payer: row.payer, recipient: '0xr', amount: BigInt(row.amount) },
    ...{ decimals: 6, isPlain: row.is_plain },
  });
  return { mac, ...row };
}
const address = (over: Row = {}): Row => ({
  ...{ id: '5', address: GIVEN, isOfClaim: false, givenAt: clock.now(), signature: null, requestedAt: null },
  ...over,
});
const CHOICES = { wantsAddress: false, payer: null, currency: 'USDT', due: '1250', confirmedAddressId: null };

type World = {
  readonly choices?: Row;
  readonly given?: readonly Row[];
  readonly transfers?: readonly Row[];
  readonly back?: string;
  readonly share?: string;
  readonly answers?: Readonly<Record<string, Answer>>;
  readonly refund?: Partial<Parameters<typeof findDestination>[2]>;
  readonly chain?: Partial<PayingChain>;
  /** The whole chain, where the refund wallet is not known. */
  readonly without?: PayingChain;
  readonly kind?: 'wallet' | 'contract' | 'unknown';
};
const script = ({ choices = {}, given = [], transfers = [transfer('0x1', 1250)], ...world }: World) =>
  scriptedTransaction({
    'refund-wishes': [{ ...CHOICES, ...choices }],
    'refund-given-address': given,
    'refund-payers': transfers,
    'refund-back-to-payer': [{ network: 'ethereum', currency: 'USDT', cents: world.back ?? '1250' }],
    'refund-payer-share': [{ cents: world.share ?? '0' }],
    'held-sender': [],
    'payer-stores': [{ stores: 1 }],
    'own-address-evm': [{ own: false }],
    'open-claim': [{ expires: null }],
    ...world.answers,
  });
async function find(world: World = {}) {
  const { tx, valuesOf } = script(world);
  const config = testConfig({ EVIDENCE_KEY: KEY[0].toString('base64') });
  const context = { pool: tx, clock, config, log: openLog('test', 'silent') } as unknown as Context;
  const requested: string[] = [];
  const kindOf = async (of: string) => (requested.push(of), world.kind ?? 'wallet');
  const chain: PayingChain = { spec: local, sender: { kindOf }, wallet: `0x${'AB'.repeat(20)}`, ...world.chain };
  const found = await findDestination(context, world.without ?? chain, { ...refund, ...world.refund });
  return { found, valuesOf, requested };
}
/** The hold and its message; the destination's kind, address and reference. */
const outcome = async (world: World = {}): Promise<string> => {
  const { found } = await find(world);
  if ('hold' in found) return `${found.hold}: ${found.message}`;
  const { kind, address: to, reference, isSigned = false } = found.destination;
  return [kind, to, reference, ...(isSigned ? ['signed'] : [])].join(' ');
};
const TO_ANN = `payer ${ANN} ethereum/0x1/0`;
const TO_GIVEN = `claim ${GIVEN} address/5`;
const LINK = ' Send the customer the claim link, so that they name an address.';
const needed = (why: string): string => `destination_needed: ${why}${LINK}`;

describe('a refund goes to its one payer', () => {
  test('who paid the price by a plain transfer of their own wallet', async () => {
    const { found, requested, valuesOf } = await find();
    expect(found).toEqual({ destination: { address: ANN, kind: 'payer', reference: 'ethereum/0x1/0' } });
    expect(requested).toEqual([ANN]);
    expect(valuesOf('refund-wishes')).toEqual([['re_1']]);
    expect(valuesOf('refund-given-address')).toEqual([['cs_1', 'ethereum', 're_1']]);
  });

  test.each<[string, World, string]>([
    [
      'two payers',
      { transfers: [transfer('0x1', 600), transfer('0x2', 650, { payer: BOB })] },
      'The payment was made by 2 payers. Each can be paid back by a refund of its own.',
    ],
    ['no payer', { transfers: [] }, 'There is no recorded payment on this network whose sender could be paid back.'],
    [
      'a payer on another network',
      { transfers: [transfer('0x1', 1250, { network: 'bsc' })] },
      'There is no recorded payment on this network whose sender could be paid back.',
    ],
    [
      'a swap',
      { transfers: [transfer('0x1', 1250, { is_plain: false })] },
      'The payment was not sent by a plain transfer of its owner, but by a service, a contract or a swap.',
    ],
    ['a part of the price', { transfers: [transfer('0x1', 1248)] }, 'The only known payer paid a part of the price.'],
    [
      'an unproven transfer',
      { transfers: [{ ...transfer('0x1', 1250), mac: null }] },
      'It is not proven who sent the payment, because it was recorded without the evidence key.',
    ],
    ['more than was sent', { back: '1252' }, 'The refunds to this payer are more than the payer paid.'],
    [
      'one of our own addresses',
      { answers: { 'own-address-evm': [{ own: true }] } },
      'The payment came from an address that cannot be paid back.',
    ],
    [
      'an exchange',
      { answers: { 'held-sender': [{ label: 'Kraken' }] } },
      'The payment came from Kraken, which does not pass coins on to its customer.',
    ],
    [
      'a contract',
      { kind: 'contract' },
      'The payment came from a contract, which may not be able to use what it is sent.',
    ],
    ['the wish of the merchant', { choices: { wantsAddress: true } }, 'The shop asks the customer for an address.'],
  ])('but waits for an address with %s', async (_, world, why) => {
    expect(await outcome(world)).toBe(needed(why));
  });

  test('also when dust of others leaves a cent of the price to them', async () => {
    expect(await outcome({ transfers: [transfer('0x1', 1249)] })).toBe(TO_ANN);
    // Of the refund of an exception the price says nothing.
    const own = { case_id: '7', case_kind: 'late', case_amount: '0', case_counted: '0', case_state: 'refund' };
    expect(await outcome({ transfers: [transfer('0x1', 100, own)], back: '100', refund: { caseId: '7' } })).toBe(
      TO_ANN,
    );
  });

  test('and nothing is decided while the chain does not say what the payer is', async () => {
    await expect(find({ kind: 'unknown' })).rejects.toBeInstanceOf(ChainError);
    await expect(find({ kind: 'unknown' })).rejects.toMatchObject({ fault: 'unavailable' });
    await expect(find({ answers: { 'refund-wishes': [] } })).rejects.toThrow('there is no refund re_1');
  });
});

describe('a refund to its payer', () => {
  test('needs the proof of every transfer of that payer', async () => {
    const transfers = [transfer('0x1', 1245), { ...transfer('0x2', 5), mac: null }];
    expect(await outcome({ transfers })).toMatch(/^destination_needed: It is not proven who sent the payment/);
  });

  test('is not limited by refunds that were made for chosen payers', async () => {
    expect(await outcome({ share: '999999' })).toBe(TO_ANN);
  });

  test('never goes to the refund wallet, in whatever form the network writes it, and needs to know none', async () => {
    const refused = needed('The payment came from an address that cannot be paid back.');
    expect(await outcome({ chain: { wallet: ANN.toUpperCase().replace('0X', '0x') } })).toBe(refused);
    const onTron = (wallet: string): World => ({
      ...{ refund: { network: 'tron' }, chain: { spec: tronLocal, wallet } },
      transfers: [transfer('0x1', 1250, { network: 'tron', payer: TRON_PAYER })],
      answers: {
        'own-address-tron': [{ own: false }],
        'refund-back-to-payer': [{ network: 'tron', currency: 'USDT', cents: '1250' }],
      },
    });
    expect(await outcome(onTron(TRON_PAYER))).toBe(refused);
    expect(await outcome(onTron('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'))).toBe(`payer ${TRON_PAYER} tron/0x1/0`);
    const unknown: PayingChain = { spec: local, sender: { kindOf: async () => 'wallet' } };
    expect(await outcome({ without: unknown })).toBe(TO_ANN);
  });
});

describe('a refund of one payer among several', () => {
  const transfers = [
    transfer('0x0', 300, { payer: BOB }),
    transfer('0x1', 600),
    transfer('0x2', 350, { currency: 'USDC' }),
    transfer('0x3', 5, { network: 'bsc' }),
  ];
  const chosen = { choices: { payer: ANN }, transfers, back: '100' };

  test('goes to that payer, for what was paid in this token on this network', async () => {
    expect(await outcome({ ...chosen, share: '600' })).toBe(TO_ANN);
    expect(await outcome({ ...chosen, share: '601' })).toBe(
      needed('The refunds to this payer are more than the payer paid.'),
    );
    const { valuesOf } = await find(chosen);
    expect(valuesOf('refund-payer-share')).toEqual([['re_1']]);
    // Without a row of the sum nothing was paid back yet.
    expect(await outcome({ ...chosen, answers: { 'refund-payer-share': [] } })).toBe(TO_ANN);
  });

  test('is refused for a payer who did not pay like this', async () => {
    const none = needed('There is no recorded payment on this network whose sender could be paid back.');
    expect(await outcome({ ...chosen, choices: { payer: GIVEN } })).toBe(none);
    expect(await outcome({ ...chosen, choices: { payer: BOB, currency: 'USDC' } })).toBe(none);
    const late = [transfer('0x1', 600, { block_time: new Date(START.getTime() + 600_000) })];
    expect(await outcome({ ...chosen, transfers: late })).toBe(none);
  });

  test('never goes to the address of the payment’s page', async () => {
    expect(await outcome({ ...chosen, given: [address()], share: '600' })).toBe(TO_ANN);
  });
});

describe('an address that the customer named', () => {
  test('by the claim link is paid before all else, and only if it can be paid', async () => {
    const given = [address({ id: '4', address: BOB }), address({ isOfClaim: true })];
    expect(await outcome({ given, transfers: [], choices: { wantsAddress: true } })).toBe(TO_GIVEN);
    const refused =
      'destination_needed: The address that the customer gave cannot be paid. Cancel this refund and make a new one.';
    for (const one of ['0xnone', GIVEN.toUpperCase(), `0x${'ab'.repeat(20)}`, `${GIVEN} `]) {
      expect(await outcome({ given: [address({ isOfClaim: true, address: one })] })).toBe(refused);
    }
    expect(
      await outcome({ given: [address({ isOfClaim: true })], answers: { 'own-address-evm': [{ own: true }] } }),
    ).toBe(refused);
    expect(await outcome({ given: [address({ isOfClaim: true })], chain: { wallet: GIVEN } })).toBe(refused);
  });

  test('on the payment’s page is paid in tests, but for real money only as the payer’s own or by the merchant', async () => {
    const given = [address()];
    const real = { given, chain: { spec: mainnet } };
    expect(await outcome({ given })).toBe(TO_GIVEN);
    expect(await outcome(real)).toMatch(/^address_unconfirmed: The customer named an address/);
    expect(await outcome({ ...real, choices: { confirmedAddressId: '5' } })).toBe(TO_GIVEN);
    expect(await outcome({ ...real, choices: { confirmedAddressId: '6' } })).toMatch(/^address_unconfirmed/);
    expect(await outcome({ ...real, given: [address({ address: ANN })] })).toBe(`claim ${ANN} address/5`);
    const unproven = { ...transfer('0x2', 5), mac: null };
    const own = { ...real, given: [address({ address: ANN })] };
    expect(await outcome({ ...own, transfers: [transfer('0x1', 1250), unproven] })).toBe(`claim ${ANN} address/5`);
    const forged = [{ ...transfer('0x1', 1250), mac: null }];
    expect(await outcome({ ...real, given: [address({ address: ANN })], transfers: forged })).toMatch(
      /^address_unconfirmed/,
    );
  });

  test('on the payment’s page does not count for several payers, nor for the refund of an exception', async () => {
    const two = [transfer('0x1', 600), transfer('0x2', 650, { payer: BOB })];
    expect(await outcome({ given: [address()], transfers: two })).toMatch(/made by 2 payers/);
    const own = { case_id: '7', case_kind: 'late', case_amount: '0', case_counted: '0', case_state: 'refund' };
    const exception = { given: [address()], transfers: [transfer('0x1', 1250, own)], refund: { caseId: '7' } };
    expect(await outcome(exception)).toBe(TO_ANN);
  });

  test('on the payment’s page must be one that can be paid', async () => {
    expect(await outcome({ given: [address({ address: '0xnone' })] })).toBe(
      needed('The address that the customer gave cannot be paid.'),
    );
  });

  test('on the payment’s page is paid for real money when the wallet that paid signed for it, and only that wallet', async () => {
    const requestedAt = clock.now();
    const paid = (key: Uint8Array, by: Uint8Array): World => {
      const named = { sessionId: 'cs_1', address: GIVEN, signer: walletOf(key), requestedAt };
      const signature = personalSignature(by, signingText(testConfig().PUBLIC_URL, mainnet, named));
      const transfers = [transfer('0x1', 1250, { payer: walletOf(key) })];
      return { chain: { spec: mainnet }, transfers, given: [address({ signature, requestedAt })] };
    };
    const [own, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    expect(await outcome(paid(own, own))).toBe(`${TO_GIVEN} signed`);
    expect(await outcome(paid(own, other))).toMatch(/^address_unconfirmed/);
    const { given = [], ...rest } = paid(own, own);
    expect(await outcome({ ...rest, given: given.map((one) => ({ ...one, requestedAt: null })) })).toMatch(
      /^address_unconfirmed/,
    );
  });
});

const walletOf = (key: Uint8Array): string =>
  `0x${Buffer.from(keccak_256(secp256k1.getPublicKey(key, false).subarray(1)))
    .toString('hex')
    .slice(-40)}`;

/** As wallets sign a text (EIP-191): r, s and v. */
function personalSignature(key: Uint8Array, text: string): Buffer {
  const bytes = Buffer.from(text);
  const digest = keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]));
  const [recovery = 0, ...rs] = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' });
  return Buffer.from([...rs, 27 + recovery]);
}

describe('a wallet that others may use', () => {
  const real = { chain: { spec: mainnet } };

  test('is presumed where it paid three stores within a month, for real money only', async () => {
    const paid = (stores: number) => ({ answers: { 'payer-stores': [{ stores }] } });
    const shared = needed(
      'The payment came from a wallet that paid several stores here, as the wallets of exchanges do.',
    );
    expect(await outcome({ ...real, ...paid(2) })).toBe(TO_ANN);
    expect(await outcome({ ...real, ...paid(3) })).toBe(shared);
    expect(await outcome({ ...real, answers: { 'payer-stores': [] } })).toBe(TO_ANN);
    expect(await outcome(paid(9))).toBe(TO_ANN);
    const { valuesOf } = await find({ ...real, ...paid(2) });
    expect(valuesOf('payer-stores')).toEqual([[ANN, new Date(clock.now().getTime() - 30 * 86_400_000)]]);
    expect(valuesOf('held-sender')).toEqual([[['ethereum'], [ANN]]]);
  });

  test('is presumed on a network of exchanges without a current list of their wallets', async () => {
    const payer = TRON_PAYER;
    const world = (lists: readonly object[]): World => ({
      refund: { network: 'tron' },
      chain: { spec: tron },
      transfers: [transfer('0x1', 1250, { network: 'tron', payer })],
      answers: {
        'own-address-tron': [{ own: false }],
        'held-list-age': lists,
        'refund-back-to-payer': [{ network: 'tron', currency: 'USDT', cents: '1250' }],
      },
    });
    const unlisted =
      'Most payments on this network come from exchanges, and this installation has no current list of their wallets.';
    expect(await outcome(world([]))).toBe(needed(unlisted));
    expect(await outcome(world([{ as_of: new Date(0) }]))).toBe(needed(unlisted));
    expect(await outcome(world([{ as_of: clock.now() }]))).toBe(`payer ${payer} tron/0x1/0`);
  });
});

test('the message asks for a new link when the claim link has expired', async () => {
  const message = async (expires: Date | null) =>
    (await outcome({ transfers: [], answers: { 'open-claim': [{ expires }] } })).slice(-75);
  const later = new Date(clock.now().getTime() + 1);
  expect(await message(later)).toContain(LINK);
  expect(await message(clock.now())).toContain(
    'The claim link has expired; make a new one and send it to the customer.',
  );
});

describe('what the transfers themselves say against paying their sender back', () => {
  const payer = (over: Partial<Payer> = {}): Payer => ({
    ...{ address: ANN, network: 'ethereum', currency: 'USDT', reference: 'r', isProven: true, isPlain: true },
    counted: 1n,
    ...over,
  });
  const objects = (spec: NetworkSpec, ...payers: Payer[]): boolean => payerObjection(spec, 'ethereum', payers) !== null;

  test('is that one of them was not plain, or for real money that no record says so', () => {
    expect(objects(mainnet, payer(), payer({ network: 'bsc' }))).toBe(false);
    expect(objects(local, payer({ isPlain: null }))).toBe(false);
    expect(objects(mainnet, payer(), payer({ isPlain: null }))).toBe(true);
    expect(objects(local, payer(), payer({ isPlain: false }))).toBe(true);
  });

  test('is that there are several', () => {
    expect(payerObjection(local, 'ethereum', [payer(), payer({ address: BOB })])).toBe(
      'The payment was made by 2 payers.',
    );
  });
});
