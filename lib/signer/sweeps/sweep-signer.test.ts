import { getAddress, Interface, Transaction, verifyAuthorization } from 'ethers';
import { describe, expect, test } from 'vitest';
import { CREATE2_FACTORY, deploymentData } from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import { sweepKeys } from '@/lib/treasury/wallets/derivation-sweep';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { seed } from '@/testing/signer/signer-scene';
import {
  batchOf,
  CONTRACT,
  delegate,
  depositAddress,
  HIGHEST_INDEX,
  LOCAL_EVM_CHAINS,
  openSweepScene,
  sweepOf,
  sweepPolicy,
  sweepSignerOn,
  TREASURY,
  wallets,
} from '@/testing/signer/sweep-scene';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { partsOf } from '@/testing/signer/signer-scene';
import { SweepSigner } from './sweep-signer';

const directory = useTemporaryDirectory();
const token = new Interface(['function transfer(address to, uint256 value)']);
const contract = new Interface(['function sweepMany(address token, uint256 gasEach, address[] deposits)']);
const lower = (address: string | null | undefined): string | undefined => address?.toLowerCase();

describe.each(LOCAL_EVM_CHAINS.map((spec) => spec.network))('%s', (network) => {
  const spec = LOCAL_EVM_CHAINS.find((one) => one.network === network) as (typeof LOCAL_EVM_CHAINS)[number];
  const usd = Object.values(spec.tokens)[0]?.contract as string;
  const price = String(spec.feeCap / 10_000_000n);
  const order = (transaction: Parameters<typeof sweepOf>[0]) =>
    sweepOf(transaction, { network, nonce: 7, maxFeePerGas: price, maxPriorityFeePerGas: '1' });

  test('a batch goes to the own delegate, is for this chain and is signed by the sponsor', () => {
    const { sweeps } = openSweepScene(directory);
    const deposits = [2, 0, 1].map(depositAddress);
    const signed = sweeps.sweep(order(batchOf({ contract: usd, deposits })));
    const read = Transaction.from(signed.bytes);
    expect(read).toMatchObject({
      type: 2,
      chainId: BigInt(spec.chainId as number),
      nonce: 7,
      value: 0n,
      gasLimit: 500_000n,
    });
    expect(read).toMatchObject({ maxFeePerGas: BigInt(price), maxPriorityFeePerGas: 1n, accessList: [] });
    expect([lower(read.from), lower(read.to), read.hash]).toEqual([wallets.sponsor, delegate, signed.hash]);
    expect(signed.from).toBe(wallets.sponsor);
    const [swept, gasEach, addresses] = contract.decodeFunctionData('sweepMany', read.data);
    expect([lower(swept), gasEach]).toEqual([usd, 100_000n]);
    expect([...addresses].map(lower)).toEqual(deposits);
  });

  test('a batch with authorizations carries them, each from its deposit address to the own delegate', () => {
    const { sweeps } = openSweepScene(directory);
    const given = [0, 1, 2].map((index) => sweeps.authorize({ environment: 'test', network, index, nonce: index }));
    expect(given.map(({ deposit }) => deposit)).toEqual([0, 1, 2].map(depositAddress));
    const authorizations = given.map(({ authorization }) => authorization);
    const read = Transaction.from(sweeps.sweep(order(batchOf({ contract: usd, authorizations }))).bytes);
    expect([read.type, lower(read.from), lower(read.to)]).toEqual([4, wallets.sponsor, delegate]);
    expect(read.authorizationList).toHaveLength(3);
    for (const [at, one] of (read.authorizationList ?? []).entries()) {
      expect(one).toMatchObject({
        address: getAddress(delegate),
        chainId: BigInt(spec.chainId as number),
        nonce: BigInt(at),
      });
      expect(lower(verifyAuthorization(one, one.signature))).toBe(depositAddress(at));
    }
  });

  test('a deployment creates the delegate of the own treasury and sponsors', () => {
    const { sweeps } = openSweepScene(directory);
    const read = Transaction.from(sweeps.sweep(order({ kind: 'deploy' })).bytes);
    expect([lower(read.from), lower(read.to), read.type]).toEqual([wallets.sponsor, CREATE2_FACTORY, 2]);
    expect([read.value, read.data]).toEqual([0n, deploymentData(wallets)]);
  });

  test('a top-up sends coin to a deposit address, and its transfer sends tokens to the treasury', () => {
    const { sweeps } = openSweepScene(directory);
    const coin = String(spec.feeCap / 10n);
    const up = Transaction.from(sweeps.sweep(order({ kind: 'top_up', index: 3, amount: coin })).bytes);
    expect([lower(up.from), lower(up.to), up.value, up.data]).toEqual([
      ...[wallets.sponsor, depositAddress(3)],
      ...[BigInt(coin), '0x'],
    ]);
    const signed = sweeps.sweep(order({ kind: 'transfer', index: 3, contract: usd, amount: '12340000' }));
    const read = Transaction.from(signed.bytes);
    expect([lower(read.from), lower(read.to), read.value, read.type]).toEqual([depositAddress(3), usd, 0n, 2]);
    expect(signed.from).toBe(depositAddress(3));
    const [to, amount] = token.decodeFunctionData('transfer', read.data);
    expect([lower(to), amount]).toEqual([TREASURY, 12_340_000n]);
  });
});

test('the same parameters give the same bytes, also after a restart', () => {
  const scene = openSweepScene(directory);
  const first = scene.sweeps.sweep(sweepOf(batchOf()));
  const authorized = scene.sweeps.authorize({ environment: 'test', network: 'bsc', index: 1, nonce: 0 });
  scene.restart();
  expect(scene.sweeps.sweep(sweepOf(batchOf()))).toEqual(first);
  expect(scene.sweeps.authorize({ environment: 'test', network: 'bsc', index: 1, nonce: 0 })).toEqual(authorized);
});

test('an address that was never given is neither authorized nor topped up nor emptied', () => {
  const { sweeps, refunds } = openSweepScene(directory);
  const index = HIGHEST_INDEX + 1;
  const asks = [
    () => sweeps.authorize({ environment: 'test', network: 'ethereum', index, nonce: 0 }),
    () => sweeps.sweep(sweepOf({ kind: 'top_up', index, amount: '1' })),
    () => sweeps.sweep(sweepOf({ kind: 'transfer', index, contract: CONTRACT, amount: '1' })),
  ];
  const records = () => refunds.state().journal.records;
  const before = records();
  for (const ask of asks) expect(ask).toThrow(expect.objectContaining({ code: 'not_allowed' }));
  expect(records()).toBe(before);
  refunds.giveIndexes({ from: index, count: 1 });
  for (const ask of asks) expect(ask).not.toThrow();
});

test('a frozen signer authorizes nothing and signs no sweep', () => {
  const { sweeps, refunds } = openSweepScene(directory);
  refunds.freeze('a test');
  const { records } = refunds.state().journal;
  const asks = [
    () => sweeps.authorize({ environment: 'test', network: 'ethereum', index: 0, nonce: 0 }),
    ...[
      { kind: 'deploy' } as const,
      batchOf(),
      { kind: 'top_up', index: 0, amount: '1' } as const,
      { kind: 'transfer', index: 0, contract: CONTRACT, amount: '1' } as const,
    ].map((transaction) => () => sweeps.sweep(sweepOf(transaction))),
  ];
  for (const ask of asks) expect(ask).toThrow(expect.objectContaining({ code: 'frozen' }));
  expect(refunds.state().journal.records).toBe(records);
  expect(sweeps.state()).toHaveLength(LOCAL_EVM_CHAINS.length);
});

test('closing wipes the keys: nothing is signed afterwards', () => {
  const { sweeps } = openSweepScene(directory);
  sweeps.close();
  const asks = [
    () => sweeps.authorize({ environment: 'test', network: 'ethereum', index: 0, nonce: 0 }),
    () => sweeps.sweep(sweepOf(batchOf())),
    () => sweeps.sweep(sweepOf({ kind: 'transfer', index: 0, contract: CONTRACT, amount: '1' })),
  ];
  for (const ask of asks) expect(ask).toThrow(/wiped|private|secret|invalid|expected/i);
});

test('with the spare sponsor chosen, it signs, and the delegate stays the same', () => {
  const { sweeps } = openSweepScene(directory, { policy: { ...sweepPolicy(), sponsor: 'spare' } });
  const signed = sweeps.sweep(sweepOf(batchOf()));
  expect(signed.from).toBe(wallets.spareSponsor);
  const read = Transaction.from(signed.bytes);
  expect([lower(read.from), lower(read.to)]).toEqual([wallets.spareSponsor, delegate]);
  expect(sweeps.state()[0]).toMatchObject({ ...wallets, active: wallets.spareSponsor, delegate });
});

test('the state names every network with its wallets, its budget and the fees of the last hour', () => {
  const scene = openSweepScene(directory);
  const [first, ...others] = LOCAL_EVM_CHAINS;
  const params = sweepOf(batchOf());
  scene.sweeps.sweep(params);
  const wei = BigInt(params.gasLimit) * BigInt(params.maxFeePerGas);
  const shown = (spec: (typeof LOCAL_EVM_CHAINS)[number], feesLastHour: string) => ({
    ...{ network: `${spec.network}@local`, environment: 'test', ...wallets, active: wallets.sponsor, delegate },
    ...{ feesPerHour: String(25n * spec.feeCap), feesLastHour },
  });
  expect(first?.network).toBe('ethereum');
  expect(scene.sweeps.state()).toEqual([
    shown(first as (typeof LOCAL_EVM_CHAINS)[number], String(wei)),
    ...others.map((spec) => shown(spec, '0')),
  ]);
});

test('a treasury that is a wallet of the signer itself is refused at the start', () => {
  const journal = new SignerJournal(partsOf(`${directory}/own`));
  const refund = refundAccounts(seed).of('live', 'evm').address;
  const ownRefund = refundAccounts(seed).of('test', 'evm').address;
  const start = (treasury: string) => () =>
    new SweepSigner({
      ...{ journal, keys: sweepKeys(seed), refundWallets: { live: refund, test: ownRefund } },
      policy: { ...sweepPolicy(), chains: sweepPolicy().chains.map((chain) => ({ ...chain, treasury })) },
    });
  for (const own of [wallets.sponsor, wallets.spareSponsor, refund])
    expect(start(own)).toThrow(/a wallet of this signer/);
  // Sweeps may fill the refund wallet of the same environment.
  for (const treasury of [TREASURY, ownRefund]) expect(start(treasury)).not.toThrow();
  expect(sweepSignerOn(journal).state()).toHaveLength(LOCAL_EVM_CHAINS.length);
});
