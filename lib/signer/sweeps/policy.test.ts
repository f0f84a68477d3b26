import { getAddress } from 'ethers';
import { expect, test } from 'vitest';
import { readSignerSettings, sweepPolicyOf } from '@/lib/signer/settings';
import { withRefundWallet } from '@/lib/signer/sweeps/policy';
import { TREASURY } from '@/testing/signer/sweep-scene';

const policyOf = (settings: Record<string, string>) =>
  sweepPolicyOf(readSignerSettings({ KEYSTORE_FILE: 'keystore.json', ...settings }));
const chainsOf = (settings: Record<string, string>) =>
  policyOf(settings)?.chains.map(({ spec, treasury, feesPerHour }) => [
    `${spec.network}@${spec.chain}`,
    treasury,
    feesPerHour,
  ]);
const CHECKSUMMED = getAddress(TREASURY);
const TRON = 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA';
const SOLANA = 'DFazMtMCpqCQBb7dpgK9XqocKcPFHgVwpvKfj87c7mRF';

test('without a treasury wallet, the signer signs no sweep', () => {
  expect(policyOf({})).toBeNull();
  expect(policyOf({ SIGNER_SPONSOR: 'spare', SIGNER_SWEEP_FEES: 'ethereum@mainnet=1' })).toBeNull();
});

test('reads the text of TREASURY_WALLETS', () => {
  const wallets = `ethereum@mainnet=${TREASURY}, bsc@local=${TREASURY}\n solana@mainnet=${SOLANA},tron@local=${TRON}`;
  expect(policyOf({ SIGNER_TREASURY_WALLETS: wallets })?.sponsor).toBe('first');
  expect(chainsOf({ SIGNER_TREASURY_WALLETS: wallets, SIGNER_SPONSOR: 'spare' })).toEqual([
    ['ethereum@mainnet', TREASURY, 25n * 20_000_000n * 10n ** 9n],
    ['bsc@local', TREASURY, 25n * 2_000_000n * 10n ** 9n],
    ['solana@mainnet', SOLANA, 25n * 5_000_000n],
    ['tron@local', TRON, 25n * 50_345_000n],
  ]);
  expect(policyOf({ SIGNER_TREASURY_WALLETS: wallets, SIGNER_SPONSOR: 'spare' })?.sponsor).toBe('spare');
});

test('sweeps to the first wallet of a network, as the service does: others are former ones', () => {
  const former = `0x${'ab'.repeat(20)}`;
  const wallets = `bsc@local=${TREASURY},bsc@local=${former}`;
  expect(chainsOf({ SIGNER_TREASURY_WALLETS: wallets })?.map(([, treasury]) => treasury)).toEqual([TREASURY]);
});

test('reads the word for the refund wallet, which becomes the address of the signer’s own account', () => {
  const { chains } = policyOf({ SIGNER_TREASURY_WALLETS: `bsc@local=refund-wallet,tron@local=${TRON}` })!;
  const resolved = chains.map((chain) =>
    withRefundWallet(chain, ({ environment, family }) => `${environment} ${family}`),
  );
  expect(resolved.map(({ treasury }) => treasury)).toEqual(['test evm', TRON]);
  expect(() => policyOf({ SIGNER_TREASURY_WALLETS: 'bsc@local=refund' })).toThrow(/no wallet's address/);
});

test('stores a treasury in lower case, and refuses a typing error in one with a checksum', () => {
  expect(chainsOf({ SIGNER_TREASURY_WALLETS: `bsc@local=${CHECKSUMMED}` })?.[0]?.[1]).toBe(TREASURY);
  const letter = CHECKSUMMED.search(/[A-F]/);
  const mistyped =
    CHECKSUMMED.slice(0, letter) + CHECKSUMMED.charAt(letter).toLowerCase() + CHECKSUMMED.slice(letter + 1);
  expect(() => policyOf({ SIGNER_TREASURY_WALLETS: `bsc@local=${mistyped}` })).toThrow(/no wallet's address/);
});

test('reads the fee budgets in whole coins', () => {
  const fees = { SIGNER_TREASURY_WALLETS: `bsc@local=${TREASURY}` };
  for (const [text, wei] of [
    ['0.05', 5n * 10n ** 16n],
    ['3', 3n * 10n ** 18n],
    ['0', 0n],
    ['0.000000000000000001', 1n],
  ] as const)
    expect(chainsOf({ ...fees, SIGNER_SWEEP_FEES: `bsc@local=${text}` })?.[0]?.[2]).toBe(wei);
});

test('spaces and commas around entries do not matter, and a name without a value is a fault', () => {
  expect(chainsOf({ SIGNER_TREASURY_WALLETS: ` ,bsc@local=${TREASURY} ,\n` })).toHaveLength(1);
  for (const name of ['SIGNER_TREASURY_WALLETS', 'SIGNER_SWEEP_FEES'])
    expect(() => policyOf({ [name]: 'bsc@local=' })).toThrow(/needs entries/);
});

test('a treasury address has exactly forty digits after 0x, of which the first may be zeros', () => {
  const of = (address: string) => () => chainsOf({ SIGNER_TREASURY_WALLETS: `bsc@local=${address}` })?.[0]?.[1];
  const zeros = `0x${'0'.repeat(39)}1`;
  expect(of(zeros)()).toBe(zeros);
  const wrong = [
    `${TREASURY}0`,
    `x${TREASURY}`,
    TREASURY.replace('0x', '0X'),
    TREASURY.slice(2),
    `${zeros.slice(0, -1)}g`,
  ];
  for (const address of wrong) expect(of(address)).toThrow(/no wallet's address/);
});

test('a fee budget has nine digits before the point at most, digits on both sides of it, and nothing else', () => {
  const of = (text: string) => () =>
    chainsOf({ SIGNER_TREASURY_WALLETS: `bsc@local=${TREASURY}`, SIGNER_SWEEP_FEES: `bsc@local=${text}` })?.[0]?.[2];
  expect(of('999999999')()).toBe(999_999_999n * 10n ** 18n);
  for (const text of ['1000000000', '1.', '.5', '1.5x', 'x1.5', '1.5.5', '0x1'])
    expect(of(text)).toThrow(/no amount of BNB/);
});

test('a network without a budget of its own may cost 25 fee caps of a payment in an hour, beside one that has one', () => {
  const wallets = `bsc@local=${TREASURY},ethereum@local=${TREASURY}`;
  const chains = chainsOf({ SIGNER_TREASURY_WALLETS: wallets, SIGNER_SWEEP_FEES: 'ethereum@local=1' });
  expect(chains?.map(([name, , budget]) => [name, budget])).toEqual([
    ['bsc@local', 25n * 2_000_000n * 10n ** 9n],
    ['ethereum@local', 10n ** 18n],
  ]);
});

test('names the setting that cannot be used, and repeats no value', () => {
  const wallet = `ethereum@mainnet=${TREASURY}`;
  const faults: [string, string, RegExp][] = [
    ['SIGNER_TREASURY_WALLETS', 'ethereum', /needs entries/],
    ['SIGNER_TREASURY_WALLETS', `nowhere@mainnet=${TREASURY}`, /needs entries/],
    ['SIGNER_TREASURY_WALLETS', `${wallet}=1`, /needs entries/],
    ['SIGNER_SWEEP_FEES', 'ethereum@mainnet=1,ethereum@mainnet=2', /twice/],
    ['SIGNER_TREASURY_WALLETS', `bsc@testnet=${TREASURY},bsc@local=${TREASURY}`, /two chains of one network/],
    ['SIGNER_TREASURY_WALLETS', `ethereum@mainnet=0x${'0'.repeat(40)}`, /no wallet's address/],
    ['SIGNER_TREASURY_WALLETS', 'ethereum@mainnet=0xdac17f958d2ee523a2206206994597c13d831ec7', /no wallet's address/],
    ['SIGNER_TREASURY_WALLETS', `ethereum@mainnet=${TREASURY.slice(0, -1)}`, /no wallet's address/],
    ['SIGNER_TREASURY_WALLETS', `solana@mainnet=${TREASURY}`, /no wallet's address/],
    ['SIGNER_TREASURY_WALLETS', 'solana@mainnet=Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', /no wallet's address/],
    ['SIGNER_TREASURY_WALLETS', `tron@mainnet=${TRON.slice(0, -1)}B`, /no wallet's address/],
    ['SIGNER_TREASURY_WALLETS', 'tron@mainnet=TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', /no wallet's address/],
    ['SIGNER_TREASURY_WALLETS', `tron@mainnet=${TREASURY}`, /no wallet's address/],
    ['SIGNER_SWEEP_FEES', 'ethereum@mainnet=-1', /no amount of ETH/],
    ['SIGNER_SWEEP_FEES', 'ethereum@mainnet=1e3', /no amount of ETH/],
    ['SIGNER_SWEEP_FEES', `ethereum@mainnet=0.${'1'.repeat(19)}`, /no amount of ETH/],
    ['SIGNER_SPONSOR', 'second', /SIGNER_SPONSOR/],
  ];
  for (const [name, value, why] of faults) {
    const reading = () => readSignerSettings({ KEYSTORE_FILE: 'keystore.json', [name]: value });
    expect(reading).toThrow(why);
    expect(reading).toThrow(name);
    // What stands after the name of the network.
    const [, secret = 'second'] = value.split('=');
    expect(reading).not.toThrow(secret);
  }
});
