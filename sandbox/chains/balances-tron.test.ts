// Balances at finality on the local TRON chain, as reconciliation reads them.

import { utils } from 'tronweb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBalanceReader } from '@/lib/networks/families/clients';
import type { BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { readAddress } from './tron/address';
import { delegate, freeze, unfreeze } from './tron/stakes';
import { startTronNode, type TronNode } from './tron/start';

const UNTIL_SOLID = 20;

let node: TronNode;
let reader: BalanceReader;
const open = (urls: readonly string[], needed = 1) =>
  openBalanceReader({ spec: node.spec, urls, needed, clock: systemClock, log: silentLog(), timeoutMs: 5000 });
beforeAll(async () => {
  node = await startTronNode({ blockMs: null });
  reader = open([node.rpcUrl]);
}, 60_000);
afterAll(() => node.stop());
const newAddress = (): string => utils.accounts.generateAccount().address.base58;

describe('balances on the local TRON chain', () => {
  it('are those of the solid side, with the range of blocks that they belong to', async () => {
    const address = newAddress();
    await node.pay({ currency: 'USDT', recipient: address, cents: 12_34n, scenario: 'exact' });
    const before = (await reader.tokens([{ address }], 'USDT')).get(address)!;
    expect(before.amount).toBe(0n);
    await node.mine(UNTIL_SOLID);
    const after = (await reader.tokens([{ address }], 'USDT')).get(address)!;
    expect(after.amount).toBe(12_340_000n);
    expect(after.from.number).toBeGreaterThan(before.through.number);
    expect(after.through.number).toBeGreaterThanOrEqual(after.from.number);
    expect((await reader.tokens([{ address }], 'USDC')).get(address)?.amount).toBe(0n);
  });

  it('are separate for each address', async () => {
    const addresses = Array.from({ length: reader.most }, newAddress);
    await node.pay({ currency: 'USDC', recipient: addresses[3]!, cents: 7_00n, scenario: 'exact' });
    await node.mine(UNTIL_SOLID);
    const held = await reader.tokens(
      addresses.map((address) => ({ address })),
      'USDC',
    );
    expect(addresses.map((address) => held.get(address)?.amount)).toEqual(
      addresses.map((_, n) => (n === 3 ? 7_000_000n : 0n)),
    );
  });

  it('throw when fewer endpoints answer than the settings require', async () => {
    const asked = [{ address: newAddress() }];
    const both = open([node.rpcUrl, 'http://127.0.0.1:1'], 2);
    await expect(both.tokens(asked, 'USDT')).rejects.toMatchObject({ fault: 'unavailable' });
    expect((await open([node.rpcUrl, node.rpcUrl], 2).tokens(asked, 'USDT')).size).toBe(1);
  });

  it('of the fee coin are sun on the solid side with the stake, also what of it is lent, and zero for an unused address', async () => {
    const [address, borrower] = [newAddress(), newAddress()];
    const nothing = { staked: 0n, unstaking: 0n, withdrawableAt: null };
    expect(await reader.feeCoin(address)).toEqual({ amount: 0n, stake: nothing });
    const { state } = node.chain;
    const [owner, receiver] = [readAddress(address) as string, readAddress(borrower) as string];
    await node.chain.exclusively(() => {
      state.activate(owner);
      state.addBalance(owner, 5_000_001n);
      for (const resource of ['BANDWIDTH', 'ENERGY'] as const) {
        freeze(state, owner, resource, 100n);
        delegate(state, { owner, receiver, resource, amount: 60n });
        unfreeze(state, owner, resource, 10n);
      }
    });
    const [first] = state.account(owner).unstaking;
    await node.mine(UNTIL_SOLID + 1);
    expect(await reader.feeCoin(address)).toEqual({
      amount: 5_000_001n,
      stake: { staked: 180n, unstaking: 20n, withdrawableAt: new Date(first!.until) },
    });
    expect((await reader.feeCoin(borrower)).stake).toEqual(nothing);
  });
});
