import { expect, test } from 'vitest';
import { walletMarks } from './wallet-marks';

const TRON = 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA';
const read = (TREASURY_LEVELS: readonly string[], SPONSOR_LEVELS: readonly string[] = []) =>
  walletMarks({
    TREASURY_WALLETS: [`tron@mainnet=${TRON}`, 'bsc@mainnet=refund-wallet'],
    TREASURY_LEVELS: [...TREASURY_LEVELS],
    SPONSOR_LEVELS: [...SPONSOR_LEVELS],
  }).map(({ wallet, spec, asset, low, high }) => [wallet, spec.network, asset, low, high]);

test('reads the marks of the treasury in tokens and those of the sponsor in coin, with decimals', () => {
  expect(read(['tron@mainnet/USDT=1000:50000.5'], ['bsc@mainnet/BNB=0.05:1', 'tron@mainnet/TRX=100:2000'])).toEqual([
    ['treasury', 'tron', 'USDT', 1_000_000_000n, 50_000_500_000n],
    ['sponsor', 'bsc', 'BNB', 5n * 10n ** 16n, 10n ** 18n],
    ['sponsor', 'tron', 'TRX', 100_000_000n, 2_000_000_000n],
  ]);
});

test.each([
  'tron@mainnet/USDT=5000:1000',
  'tron@mainnet/USDT=5:5',
  'tron@mainnet/USDT=5',
  'tron@mainnet/USDT=1:2:3',
  'tron@mainnet/TRX=1:5',
  'tron@mainnet/USDT=1.1234567:5',
  'tron@mainnet/USDT=1e3:5e3',
  'tron/USDT=1:5',
])('refuses the marks %s of a treasury', (entry) => expect(() => read([entry])).toThrow('TREASURY_LEVELS'));

test.each(['tron@mainnet/USDT=1:5', 'bsc@mainnet/ETH=1:5', 'bsc@mainnet/BNB=0.5:0.1'])(
  'refuses the marks %s of a sponsor',
  (entry) => expect(() => read([], [entry])).toThrow('SPONSOR_LEVELS'),
);

test('refuses marks that are given twice', () => {
  expect(() => read(['tron@mainnet/USDT=1:5', 'tron@mainnet/USDT=2:5'])).toThrow(
    'TREASURY_LEVELS names one asset twice',
  );
});

test.each(['bsc@mainnet/USDT=1:5', 'ethereum@mainnet/USDT=1:5'])(
  'refuses %s, because the network has no treasury wallet of its own',
  (entry) => expect(() => read([entry])).toThrow('has no treasury wallet of its own'),
);
