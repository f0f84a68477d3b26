// The bounds of every field of a sweep call: values that are still allowed, and the nearest ones that are not. What the signer
// makes of a well-formed call is in the tests named refusals.

import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { authorizeParams, authorizeResult, signedSweep, sweepParams, sweepState } from './orders';

const EVM_ADDRESS = `0x${'0a'.repeat(20)}`;
const WORD = `0x${'0a'.repeat(32)}`;
const MINT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';
const TRON_ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const [HIGHEST_INDEX, LARGEST] = [2 ** 31 - 2, (1n << 256n) - 1n];

const chain = { environment: 'test', network: 'ethereum' };
const authorization = { chainId: 1, address: EVM_ADDRESS, nonce: 0, yParity: 0, r: WORD, s: WORD };
const evm = { ...chain, nonce: 0, maxFeePerGas: '2', maxPriorityFeePerGas: '1', gasLimit: '21000' };
const solana = { ...chain, network: 'solana', blockhash: MINT, unitLimit: 1, unitPrice: '0' };
const tron = {
  ...{ ...chain, network: 'tron', refBlockBytes: '0a0b', refBlockHash: '0a'.repeat(8) },
  ...{ expiration: 2, timestamp: 1, feeLimit: '0' },
};
const batch = { contract: EVM_ADDRESS, gasEach: 1, deposits: [EVM_ADDRESS], authorizations: [authorization] };

/** A well-formed object of every shape. */
const SAMPLES = {
  authorize: { ...chain, index: 0, nonce: 0 },
  authorized: { deposit: EVM_ADDRESS, authorization },
  deploy: { ...evm, transaction: { kind: 'deploy' } },
  batch: { ...evm, transaction: { kind: 'batch', ...batch } },
  'top-up': { ...evm, transaction: { kind: 'top_up', index: 0, amount: '1' } },
  transfer: { ...evm, transaction: { kind: 'transfer', index: 0, contract: EVM_ADDRESS, amount: '1' } },
  'deploy on Solana': { ...solana, transaction: { kind: 'deploy', contract: MINT } },
  'batch on Solana': {
    ...solana,
    transaction: { kind: 'batch', contract: MINT, deposits: [{ index: 0, amount: '1' }], close: true },
  },
  'activation on TRON': { ...tron, transaction: { kind: 'activate', index: 0 } },
  'top-up on TRON': { ...tron, transaction: { kind: 'top_up', index: 0, amount: '1' } },
  'loan on TRON': { ...tron, transaction: { kind: 'delegate', index: 0, balance: '1' } },
  'end of a loan on TRON': { ...tron, transaction: { kind: 'undelegate', index: 0, balance: '1' } },
  'transfer on TRON': { ...tron, transaction: { kind: 'transfer', index: 0, contract: TRON_ADDRESS, amount: '1' } },
  'flush on TRON': {
    ...tron,
    transaction: {
      ...{ kind: 'flush', factory: TRON_ADDRESS, contract: TRON_ADDRESS, energyEach: 1, salts: [EVM_ADDRESS] },
    },
  },
  signed: { from: EVM_ADDRESS, hash: WORD, bytes: '0x02' },
  'signed on Solana': { from: MINT, hash: '1'.repeat(88), bytes: 'AAAA' },
  'signed on TRON': { from: TRON_ADDRESS, hash: '0a'.repeat(32), bytes: '0a' },
  state: {
    ...{ network: 'ethereum@mainnet', environment: 'live', treasury: EVM_ADDRESS, sponsor: EVM_ADDRESS },
    ...{ spareSponsor: MINT, active: TRON_ADDRESS, delegate: null, feesPerHour: '0', feesLastHour: '0' },
    forwarders: [TRON_ADDRESS],
  },
} as const satisfies Record<string, object>;
type Sample = keyof typeof SAMPLES;

const formatOf = (sample: Sample): z.ZodType => {
  if (sample === 'authorize') return authorizeParams;
  if (sample === 'authorized') return authorizeResult;
  if (sample === 'state') return sweepState;
  return sample.startsWith('signed') ? signedSweep : sweepParams;
};
/** The sample with the value at a path such as `transaction.deposits.0`. */
const changed = (sample: Sample, path: string, value: unknown): unknown => {
  const copy: unknown = structuredClone(SAMPLES[sample]);
  const keys = path.split('.');
  const last = keys.pop() as string;
  const parent = keys.reduce((one, key) => (one as Record<string, unknown>)[key], copy);
  (parent as Record<string, unknown>)[last] = value;
  return copy;
};
const isAllowed = (sample: Sample, path: string, value: unknown): boolean =>
  formatOf(sample).safeParse(changed(sample, path, value)).success;

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const digits = (count: number): string => '9'.repeat(count);
/** Decimal text of at most this many digits, which may be 0. */
const numbers = (most: number) => [
  ['0', '1', digits(most)],
  ['', '-1', '01', '1.5', '1e3', '0x1', ' 1', 'x', '1x', 1, digits(most + 1)],
];
const amounts = [
  ['1', String(LARGEST)],
  ['0', '', '-1', '01', '1.5', '0x1', ' 1', 'x', '1x', 1, String(LARGEST + 1n), digits(78), digits(79)],
];
const lamports = [
  ['1', String((1n << 64n) - 1n)],
  ['0', '', '-1', '01', '1.5', '0x1', ' 1', 'x', 1, String(1n << 64n), digits(20), digits(21)],
];
const suns = [
  ['1', digits(15)],
  ['0', '', '-1', '01', '0x1', 1, digits(16)],
];
const integers = (least: number, most: number) => [
  [least, most],
  [least - 1, most + 1, least + 0.5, String(least), null],
];
const indexes = integers(0, HIGHEST_INDEX);
/** Text of these characters and exactly this length, after a prefix. */
const hexText = (length: number, prefix = '') => [
  [prefix + '0'.repeat(length), prefix + '9af'.repeat(length).slice(0, length)],
  [
    ...[prefix + '0'.repeat(length - 1), prefix + '0'.repeat(length + 1), prefix + 'A'.repeat(length)],
    ...[`x${prefix}${'0'.repeat(length)}`, `${prefix}${'0'.repeat(length - 1)}g`, `${prefix}${'0'.repeat(length)}\n`],
  ],
];
const evmAddress = hexText(40, '0x');
const tronAddress = [
  [TRON_ADDRESS, `T${'z'.repeat(33)}`],
  [`T${'z'.repeat(32)}`, `T${'z'.repeat(34)}`, `A${'z'.repeat(33)}`, `xT${'z'.repeat(33)}`, `T${'0'.repeat(33)}`],
];
const solanaKey = [
  ['1'.repeat(32), 'z'.repeat(44)],
  ['1'.repeat(31), 'z'.repeat(45), '0'.repeat(32), 'l'.repeat(32)],
];
const nonces = integers(0, Number.MAX_SAFE_INTEGER);

type Bounds = readonly (readonly unknown[])[];
const BOUNDS: readonly (readonly [Sample, path: string, Bounds])[] = [
  [
    'authorize',
    'environment',
    [
      ['live', 'test'],
      ['', 'local', null],
    ],
  ],
  [
    'authorize',
    'network',
    [
      ['a', 'z9'.repeat(16)],
      ['', 'Ethereum', 'a b', '-a', 'a-', 'a'.repeat(33)],
    ],
  ],
  ['authorize', 'index', indexes],
  ['authorize', 'nonce', integers(0, 8)],
  ['authorized', 'deposit', evmAddress],
  ['authorized', 'authorization.chainId', integers(1, Number.MAX_SAFE_INTEGER)],
  ['authorized', 'authorization.address', evmAddress],
  ['authorized', 'authorization.nonce', integers(0, 8)],
  [
    'authorized',
    'authorization.yParity',
    [
      [0, 1],
      [-1, 2, 27, '0'],
    ],
  ],
  ['authorized', 'authorization.r', hexText(64, '0x')],
  ['authorized', 'authorization.s', hexText(64, '0x')],
  ['deploy', 'environment', [['live', 'test'], ['local']]],
  ['deploy', 'nonce', nonces],
  ['deploy', 'maxFeePerGas', numbers(30)],
  ['deploy', 'maxPriorityFeePerGas', numbers(30)],
  ['deploy', 'gasLimit', numbers(10)],
  ['deploy', 'transaction.kind', [['deploy'], ['', 'Deploy', null]]],
  ['batch', 'transaction.contract', evmAddress],
  ['batch', 'transaction.gasEach', integers(1, 1_000_000)],
  [
    'batch',
    'transaction.deposits',
    [
      [times(1, EVM_ADDRESS), times(100, EVM_ADDRESS)],
      [[], times(101, EVM_ADDRESS), ['0x']],
    ],
  ],
  [
    'batch',
    'transaction.authorizations',
    [
      [[], times(100, authorization)],
      [times(101, authorization), [{}], null],
    ],
  ],
  ['top-up', 'transaction.index', indexes],
  ['top-up', 'transaction.amount', amounts],
  ['transfer', 'transaction.index', indexes],
  ['transfer', 'transaction.contract', evmAddress],
  ['transfer', 'transaction.amount', amounts],
  ['deploy on Solana', 'blockhash', solanaKey],
  ['deploy on Solana', 'unitLimit', integers(1, 1_400_000)],
  ['deploy on Solana', 'unitPrice', [['0', ...(lamports[0] ?? [])], (lamports[1] ?? []).slice(1)]],
  ['deploy on Solana', 'transaction.contract', solanaKey],
  ['batch on Solana', 'transaction.contract', solanaKey],
  [
    'batch on Solana',
    'transaction.close',
    [
      [true, false],
      [null, 'true'],
    ],
  ],
  ['batch on Solana', 'transaction.deposits.0.index', indexes],
  ['batch on Solana', 'transaction.deposits.0.amount', lamports],
  ['activation on TRON', 'refBlockBytes', hexText(4)],
  ['activation on TRON', 'refBlockHash', hexText(16)],
  ['activation on TRON', 'expiration', integers(1, Number.MAX_SAFE_INTEGER)],
  ['activation on TRON', 'timestamp', integers(1, Number.MAX_SAFE_INTEGER)],
  ['activation on TRON', 'feeLimit', numbers(12)],
  ['activation on TRON', 'transaction.index', indexes],
  ['top-up on TRON', 'transaction.index', indexes],
  ['top-up on TRON', 'transaction.amount', suns],
  ['loan on TRON', 'transaction.index', indexes],
  ['loan on TRON', 'transaction.balance', suns],
  ['end of a loan on TRON', 'transaction.index', indexes],
  ['end of a loan on TRON', 'transaction.balance', suns],
  ['transfer on TRON', 'transaction.index', indexes],
  ['transfer on TRON', 'transaction.contract', tronAddress],
  ['flush on TRON', 'transaction.contract', tronAddress],
  ['flush on TRON', 'transaction.factory', tronAddress],
  ['flush on TRON', 'transaction.energyEach', integers(1, 10_000_000)],
  ['flush on TRON', 'transaction.salts.0', evmAddress],
  ['state', 'forwarders.0', tronAddress],
  ['transfer on TRON', 'transaction.amount', amounts],
  ['signed', 'from', evmAddress],
  ['signed', 'hash', hexText(64, '0x')],
  [
    'signed',
    'bytes',
    [
      ['0x0', `0x${'a'.repeat(59_998)}`],
      ['0x', '02', 'x0x02', '0x02\n', '0xAA', `0x${'a'.repeat(59_999)}`],
    ],
  ],
  ['signed on Solana', 'from', solanaKey],
  [
    'signed on Solana',
    'hash',
    [
      ['1'.repeat(64), 'z'.repeat(88)],
      ['1'.repeat(63), 'z'.repeat(89), '0'.repeat(64)],
    ],
  ],
  [
    'signed on Solana',
    'bytes',
    [
      ['AAAA', 'A'.repeat(1700)],
      ['AAA', '!AAA', 'A'.repeat(1704)],
    ],
  ],
  ['signed on TRON', 'from', tronAddress],
  ['signed on TRON', 'hash', hexText(64)],
  [
    'signed on TRON',
    'bytes',
    [
      ['0a', 'a'.repeat(4000)],
      ['', 'a', '0xaa', 'aax', 'AA', 'a'.repeat(4002)],
    ],
  ],
  [
    'state',
    'network',
    [
      ['', 'a'.repeat(64)],
      ['a'.repeat(65), null],
    ],
  ],
  ['state', 'environment', [['live', 'test'], ['local']]],
  ...(['treasury', 'sponsor', 'spareSponsor', 'active'] as const).map(
    (field) =>
      [
        'state',
        field,
        [
          [EVM_ADDRESS, MINT, TRON_ADDRESS],
          ['', '0x', null],
        ],
      ] as const,
  ),
  [
    'state',
    'delegate',
    [
      [EVM_ADDRESS, null],
      [MINT, ''],
    ],
  ],
  ['state', 'feesPerHour', numbers(40)],
  ['state', 'feesLastHour', numbers(40)],
];

test.each(BOUNDS)('%s: the field %s has bounds', (sample, path, [allowed = [], forbidden = []]) => {
  expect(allowed.filter((one) => !isAllowed(sample, path, one))).toEqual([]);
  expect(forbidden.filter((one) => isAllowed(sample, path, one))).toEqual([]);
});

describe.each(Object.keys(SAMPLES) as Sample[])('%s', (sample) => {
  test('is read as it was sent', () => {
    expect(formatOf(sample).parse(SAMPLES[sample])).toEqual(SAMPLES[sample]);
  });

  test('has every field and no other', () => {
    const whole: [string, object] = ['', SAMPLES[sample]];
    const parts = Object.entries(SAMPLES[sample]).filter(
      (entry): entry is [string, object] => isObject(entry[1]) && !Array.isArray(entry[1]),
    );
    for (const [path, object] of [whole, ...parts]) {
      const at = (field: string) => (path === '' ? field : `${path}.${field}`);
      // Absent where the signer has no contract of forwarders.
      const fields = Object.keys(object).filter((field) => field !== 'forwarders');
      expect(fields.filter((field) => isAllowed(sample, at(field), undefined))).toEqual([]);
      expect(isAllowed(sample, at('to'), EVM_ADDRESS)).toBe(false);
    }
  });
});

test('the deposit addresses of a batch on Solana are six at most, each once, with no other field', () => {
  const deposit = (index: number) => ({ index, amount: '1' });
  const deposits = (count: number) => Array.from({ length: count }, (_, index) => deposit(index));
  const may = (value: unknown) => isAllowed('batch on Solana', 'transaction.deposits', value);
  expect([may(deposits(1)), may(deposits(6))]).toEqual([true, true]);
  expect([may([]), may(deposits(7)), may([deposit(1), deposit(1)])]).toEqual([false, false, false]);
  expect(may([{ ...deposit(0), to: MINT }])).toBe(false);
});

test('an authorization has no other field in either call', () => {
  const more = { ...authorization, to: EVM_ADDRESS };
  expect(isAllowed('batch', 'transaction.authorizations', [more])).toBe(false);
  expect(isAllowed('authorized', 'authorization', more)).toBe(false);
});

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
