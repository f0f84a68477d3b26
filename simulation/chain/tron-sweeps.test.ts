// What the simulated TRON chain does with the transactions of a sweep. The sandbox builds and signs them, not the product.

import { Wallet } from 'ethers/wallet';
import { beforeEach, describe, expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { fromEvm, readAddress, toBase58 } from '@/sandbox/chains/tron/address';
import type { ContractType } from '@/sandbox/chains/tron/messages';
import { resourceOf } from '@/sandbox/chains/tron/resources';
import { buildTransaction, signTransaction, transactionBytes } from '@/sandbox/chains/tron/transaction';
import { ENERGY } from './tron-state';
import { openTronChain } from './tron-chain';

type Account = { readonly key: string; readonly address: string };
const accountOf = (byte: string): Account => {
  const wallet = new Wallet(`0x${byte.repeat(32)}`);
  return { key: wallet.privateKey, address: toBase58(fromEvm(wallet.address)) };
};
const [refunds, sponsor, deposit, other] = ['11', '12', '13', '14'].map(accountOf) as [
  Account,
  Account,
  Account,
  Account,
];
const treasury = toBase58(`41${'7e'.repeat(20)}`);
const alice = toBase58(`41${'a1'.repeat(20)}`);
const spec = networkSpec('test', 'tron', 'local')!;
const token = spec.tokens.USDT!.contract;
const TRX = 1_000_000n;
const START = 1_798_797_600;
/** Gives about a hundred thousand energy a day. */
const STAKE = 11_000n * TRX;
const FEE_LIMIT = 20_000_000;
/** Calls of `mine` until everything before them is final. */
const UNTIL_FINAL = 6;

const open = () => openTronChain({ spec, wallet: refunds.address, unixSeconds: START, listsTransfers: true });
let chain: ReturnType<typeof open>;
let time: number;
const mine = (times = 1): void => {
  for (let left = times; left > 0; left--) chain.mine((time += 12));
};
beforeEach(() => {
  chain = open();
  time = START;
  chain.giveCoin?.(sponsor.address, 1000n * TRX);
  chain.stake?.(sponsor.address, STAKE);
  // A first transfer to an empty treasury takes twice the energy.
  chain.pay({ token, payer: alice, recipient: treasury, amount: 1n });
  mine();
});

const hexOf = (address: string): string => readAddress(address) as string;
const ask = (api: string, body: object): Readonly<Record<string, unknown>> =>
  chain.answer({ height: chain.height() }, `wallet/${api}`, [body]) as Readonly<Record<string, unknown>>;

function send(from: Account, type: ContractType, value: object, lasts = 60): unknown {
  const { blockID } = ask('getblock', {});
  const reference = { ref_block_bytes: String(blockID).slice(12, 16), ref_block_hash: String(blockID).slice(16, 32) };
  const draft = { ...reference, timestamp: time * 1000, expiration: (time + lasts) * 1000 };
  const fee = type === 'TriggerSmartContract' ? { fee_limit: FEE_LIMIT } : {};
  const built = buildTransaction(type, { owner_address: hexOf(from.address), ...value }, { ...draft, ...fee });
  const bytes = transactionBytes(signTransaction(built, from.key), null);
  return ask('broadcasthex', { transaction: bytes.toString('hex') });
}
const activate = () => send(sponsor, 'AccountCreateContract', { account_address: hexOf(deposit.address) });
const topUp = (amount: bigint) =>
  send(sponsor, 'TransferContract', { to_address: hexOf(deposit.address), amount: Number(amount) });
const lending = (balance: bigint) => ({
  resource: 'ENERGY',
  balance: Number(balance),
  receiver_address: hexOf(deposit.address),
});
const lend = (balance: bigint) => send(sponsor, 'DelegateResourceContract', lending(balance));
const takeBack = (balance: bigint) => send(sponsor, 'UnDelegateResourceContract', lending(balance));
const word = (hex: string): string => hex.padStart(64, '0');
const transfer = (amount: bigint, from = deposit) =>
  send(from, 'TriggerSmartContract', {
    contract_address: hexOf(token),
    data: `a9059cbb${word(hexOf(treasury).slice(2))}${word(amount.toString(16))}`,
  });
const pay = (amount: bigint, recipient = deposit.address) => chain.pay({ token, payer: alice, recipient, amount });
const swept = () => chain.transfers(chain.height()).filter(({ payer }) => payer === deposit.address);
const coinOf = ({ address }: Account): number => Number(ask('getaccount', { address: hexOf(address) }).balance ?? 0);
const resourcesOf = ({ address }: Account) => ask('getaccountresource', { address: hexOf(address) });
const isRefused = { code: 'CONTRACT_VALIDATE_ERROR' };

describe('energy of the sponsor’s stake', () => {
  it('moves the tokens of a new address without any coin of it, and goes back with what was used', () => {
    pay(500n);
    mine();
    expect(ask('getaccount', { address: hexOf(deposit.address) })).toEqual({});
    activate();
    mine();
    lend(8000n * TRX);
    mine();
    expect(resourcesOf(deposit)).toMatchObject({ EnergyLimit: resourceOf(8000n * TRX, 'ENERGY'), EnergyUsed: 0 });
    transfer(500n);
    mine();
    expect(swept()).toMatchObject([{ recipient: treasury, amount: 500n }]);
    expect(coinOf(deposit)).toBe(0);
    expect(resourcesOf(deposit)).toMatchObject({ EnergyUsed: ENERGY });
    mine(UNTIL_FINAL);
    expect(chain.lent?.(sponsor.address)).toEqual([deposit.address]);
    takeBack(8000n * TRX);
    mine(UNTIL_FINAL);
    expect(chain.lent?.(sponsor.address)).toEqual([]);
    expect(resourcesOf(deposit)).toMatchObject({ EnergyLimit: 0 });
    expect(Number(resourcesOf(sponsor).EnergyUsed)).toBeGreaterThan(ENERGY - 500);
    expect(chain.sent?.().map(({ from, moved }) => [from, moved.length])).toEqual([
      [sponsor.address, 0],
      [sponsor.address, 0],
      [deposit.address, 1],
      [sponsor.address, 0],
    ]);
  });

  it('is lent to active addresses only, within the stake, and only what was lent comes back', () => {
    expect(lend(8000n * TRX)).toMatchObject(isRefused);
    activate();
    mine();
    expect(activate()).toMatchObject(isRefused);
    expect(lend(STAKE + 1n)).toMatchObject(isRefused);
    expect(lend(STAKE)).toMatchObject({ result: true });
    mine();
    expect(ask('getcandelegatedmaxsize', { owner_address: hexOf(sponsor.address), type: 1 })).toEqual({ max_size: 0 });
    expect(takeBack(STAKE + 1n)).toMatchObject(isRefused);
  });

  it('is not lent any more when the block with it is gone', () => {
    activate();
    mine();
    lend(8000n * TRX);
    mine();
    expect(chain.reorg(1, () => true)).toBe(1);
    expect(resourcesOf(deposit)).toMatchObject({ EnergyLimit: 0 });
    expect(chain.sent?.()).toHaveLength(1);
  });
});

describe('burned coin', () => {
  it('pays for the energy of a transfer, and one that lacks it loses its coin', () => {
    pay(500n);
    topUp(7n * TRX);
    mine();
    expect(coinOf(sponsor)).toBe(Number((1000n - 7n) * TRX - 1_100_000n));
    transfer(500n);
    mine();
    expect(swept()).toHaveLength(1);
    expect(coinOf(deposit)).toBe(7_000_000 - ENERGY * 100);
    pay(100n);
    topUp(TRX);
    mine();
    transfer(100n);
    mine();
    expect(swept()).toHaveLength(1);
    expect(coinOf(deposit)).toBeLessThan(100);
  });

  it('pays for no transaction of an account that does not exist, and an address sends only what it has', () => {
    pay(500n);
    mine();
    expect(transfer(500n)).toMatchObject({ code: 'BANDWITH_ERROR' });
    topUp(7n * TRX);
    mine();
    transfer(501n);
    mine();
    expect(swept()).toEqual([]);
    expect(chain.sent?.().map(({ moved }) => moved)).toEqual([[], []]);
    chain.penniless?.add(sponsor.address);
    expect(topUp(TRX)).toMatchObject(isRefused);
  });

  it('is not taken after the expiration', () => {
    const toOther = { to_address: hexOf(other.address), amount: 1 };
    send(sponsor, 'TransferContract', toOther, 1);
    expect(chain.sent?.()).toMatchObject([{ blockNumber: null }]);
    mine();
    expect(chain.sent?.()).toEqual([]);
    send(sponsor, 'TransferContract', toOther);
    mine();
    expect(coinOf(other)).toBe(1);
  });
});

it('simulates what would fail as failed, and a first transfer to the treasury as twice the energy', () => {
  const simulated = (amount: bigint, to = treasury) => {
    const parameter = word(hexOf(to).slice(2)) + word(amount.toString(16));
    const [owner_address, contract_address] = [hexOf(deposit.address), hexOf(token)];
    const body = { owner_address, contract_address, function_selector: 'transfer(address,uint256)', parameter };
    return ask('triggerconstantcontract', body);
  };
  pay(500n);
  mine();
  expect(simulated(500n)).toMatchObject({ energy_used: ENERGY });
  expect(simulated(500n, other.address)).toMatchObject({ energy_used: 2 * ENERGY });
  expect(simulated(501n)).toMatchObject({ transaction: { ret: [{ ret: 'FAILED' }] } });
  chain.refuse(token, deposit.address);
  expect(simulated(500n)).toMatchObject({ transaction: { ret: [{ ret: 'FAILED' }] } });
});
