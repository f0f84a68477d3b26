// Balances at finality on real EVM nodes, as reconciliation reads them.

import { toQuantity, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBalanceReader } from '@/lib/networks/families/clients';
import type { BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { openRpc } from './evm/rpc';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';
import { startLyingEndpoint } from './lying-endpoint';

const FINAL = 6;
const NOWHERE = 'http://127.0.0.1:1';

describe.each(EVM_NETWORKS)('balances on $network', (row) => {
  let chain: LocalNetwork;
  let reader: BalanceReader;
  const open = (urls: readonly string[], needed = 1) =>
    openBalanceReader({ spec: chain.spec, urls, needed, clock: systemClock, log: silentLog(), timeoutMs: 5000 });
  const units = (currency: string, cents: bigint): bigint =>
    cents * 10n ** BigInt(chain.spec.tokens[currency]!.decimals - 2);
  const newAddress = (): string => Wallet.createRandom().address.toLowerCase();
  const pay = (recipient: string, currency: string, cents: bigint) =>
    chain.pay({ currency, recipient, cents, scenario: 'exact' });
  beforeAll(async () => {
    chain = await startTestEvm(row);
    reader = open([chain.rpcUrl]);
  }, 60_000);
  afterAll(() => chain.stop());

  it('are those of one token at the final block, and name that block', async () => {
    const address = newAddress();
    await pay(address, 'USDT', 12_34n);
    const before = (await reader.tokens([{ address }], 'USDT')).get(address)!;
    expect(before.amount).toBe(0n);
    await chain.mine(FINAL);
    const after = (await reader.tokens([{ address }], 'USDT')).get(address)!;
    expect(after.amount).toBe(units('USDT', 12_34n));
    expect(after.from.number).toBeGreaterThan(before.from.number);
    expect(after.through).toEqual(after.from);
    expect((await reader.tokens([{ address }], 'USDC')).get(address)?.amount).toBe(0n);
  });

  it('are read for many addresses at once, each with its own amount', async () => {
    const addresses = Array.from({ length: reader.most }, newAddress);
    await pay(addresses[0]!, 'USDC', 1_00n);
    await pay(addresses[57]!, 'USDC', 2_00n);
    await chain.mine(FINAL);
    const held = await reader.tokens(
      addresses.map((address) => ({ address })),
      'USDC',
    );
    const found = addresses.map((address) => held.get(address)?.amount);
    expect(found).toEqual(
      addresses.map((_, n) => (n === 0 ? units('USDC', 1_00n) : n === 57 ? units('USDC', 2_00n) : 0n)),
    );
  });

  it('count only when as many endpoints report them as the settings require', async () => {
    const address = newAddress();
    await pay(address, 'USDT', 5_00n);
    await chain.mine(FINAL);
    const asked = [{ address }];
    expect((await open([chain.rpcUrl, chain.rpcUrl], 2).tokens(asked, 'USDT')).size).toBe(1);
    await expect(open([chain.rpcUrl, NOWHERE], 2).tokens(asked, 'USDT')).rejects.toMatchObject({
      fault: 'unavailable',
    });
    expect((await open([chain.rpcUrl, NOWHERE], 1).tokens(asked, 'USDT')).size).toBe(1);
    const selector = '0x70a08231';
    const liar = await startLyingEndpoint(chain.rpcUrl, (method, result, params) =>
      method === 'eth_call' && JSON.stringify(params).includes(selector) ? `0x${'0'.repeat(63)}1` : result,
    );
    try {
      expect((await open([chain.rpcUrl, liar.url], 2).tokens(asked, 'USDT')).size).toBe(0);
      const outvoted = await open([chain.rpcUrl, liar.url, chain.rpcUrl], 2).tokens(asked, 'USDT');
      expect(outvoted.get(address)?.amount).toBe(units('USDT', 5_00n));
    } finally {
      await liar.stop();
    }
  });

  it('of the fee coin are read at the final block too', async () => {
    const address = newAddress();
    await openRpc(chain.rpcUrl)('anvil_setBalance', address, toQuantity(123_456_789n));
    await chain.mine(FINAL);
    expect(await reader.feeCoin(address)).toEqual({ amount: 123_456_789n, stake: null });
  });

  it('throw for a token that the network does not have', async () => {
    await expect(reader.tokens([{ address: newAddress() }], 'DAI')).rejects.toThrow(`${chain.network} has no DAI`);
  });
});
