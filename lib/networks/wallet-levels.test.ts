import { expect, test } from 'vitest';
import { coldWallets, walletLevels } from './wallet-levels';

const TRON = 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA';
const EVM = '0x52908400098527886E0F7030069857D2E4169EE7';

test('reads one cold wallet for each network, in the form that the database has', () => {
  const wallets = coldWallets([`ethereum@mainnet=${EVM}`, `tron@local=${TRON}`]);
  expect(wallets.map(({ spec, address }) => [spec.network, spec.chain, address])).toEqual([
    ['ethereum', 'mainnet', EVM.toLowerCase()],
    ['tron', 'local', TRON],
  ]);
});

test.each([
  ['an unknown network', ['dogecoin@mainnet=D1']],
  ['an address of another network', [`tron@mainnet=${EVM}`]],
  ['a second wallet of a network', [`tron@mainnet=${TRON}`, `tron@mainnet=TXHzvoDBPaG7YbSgb3zdoosJK4x4Kmf2J2`]],
  ['two addresses in one', [`tron@mainnet=${TRON}=${TRON}`]],
])('refuses a cold wallet with %s', (_, entries) => expect(() => coldWallets(entries)).toThrow('COLD_WALLETS'));

test('reads the marks in whole tokens, and takes the middle for the target that is not given', () => {
  const shown = walletLevels(['tron@mainnet/USDT=1000:5000', 'bsc@mainnet/USDT=1:2:9']).map((one) => [
    one.currency,
    one.low,
    one.target,
    one.high,
  ]);
  expect(shown).toEqual([
    ['USDT', 1_000_000_000n, 3_000_000_000n, 5_000_000_000n],
    ['USDT', 10n ** 18n, 2n * 10n ** 18n, 9n * 10n ** 18n],
  ]);
});

test.each([
  ['tron@mainnet/USDT=5000:1000'],
  ['tron@mainnet/USDT=1:5:5'],
  ['tron@mainnet/USDT=5:5'],
  ['tron@mainnet/USDT=5'],
  ['tron@mainnet/EUR=1:5'],
  ['tron/USDT=1:5'],
  ['tron@mainnet/USDT=1.5:5'],
  ['tron@mainnet/constructor=1:5'],
])('refuses the marks %s', (entry) => expect(() => walletLevels([entry])).toThrow('REFUND_WALLET_LEVELS'));

test('refuses marks that are given twice', () => {
  const entry = 'tron@mainnet/USDT=1:5';
  expect(() => walletLevels([entry, entry])).toThrow('twice');
});
