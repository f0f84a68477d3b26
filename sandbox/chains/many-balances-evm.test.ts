// Many balances in one eth_call on real EVM nodes: the same amounts as single calls, with single calls as the fallback.

import { Wallet } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBalanceReader } from '@/lib/networks/families/clients';
import type { BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { compileContract } from '@/testing/evm/compile-contract';
import { openRpc } from './evm/rpc';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';
import { Refusal, startLyingEndpoint } from './lying-endpoint';

const FINAL = 6;
const ODD_TOKEN = '0x00000000000000000000000000000000000dd70c';
/** An address for which the token misbehaves, selected by the last byte. Other addresses hold their own number. */
const holder = (behaviour: number): string => `0x${'5a'.repeat(19)}${behaviour.toString(16).padStart(2, '0')}`;
const [REVERTS, SHORT, REVERTS_IN_A_CONTRACT, BURNS_GAS_IN_A_CONTRACT] = [holder(1), holder(2), holder(3), holder(4)];
const ODD_SOURCE = `
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
contract Odd {
    uint8 public constant decimals = 6;
    function balanceOf(address who) external view returns (uint256) {
        uint8 behaviour = uint160(who) >> 8 == 0x${'5a'.repeat(19)} ? uint8(uint160(who)) : 0;
        require(behaviour != 1);
        if (behaviour == 2) assembly { mstore(0, who) return(0, 31) }
        require(behaviour != 3 || msg.sender == address(0));
        if (behaviour == 4 && msg.sender != address(0)) assembly { invalid() }
        return uint160(who);
    }
}`;

describe.each(EVM_NETWORKS)('many balances on $network', (row) => {
  let chain: LocalNetwork;
  let endpoint: Awaited<ReturnType<typeof startLyingEndpoint>>;
  let reader: BalanceReader;
  /** Balance calls: one address per call with a recipient, many per call without one. */
  let calls: { single: number; many: number };
  /** Replaces the endpoint's true result of the call without a recipient. */
  let change: (result: string) => unknown;

  beforeAll(async () => {
    chain = await startTestEvm(row);
    const odd = compileContract('Odd', ODD_SOURCE).deployed;
    await openRpc(chain.rpcUrl)('anvil_setCode', ODD_TOKEN, odd);
    await chain.mine(FINAL);
  }, 60_000);
  afterAll(() => chain.stop());
  beforeEach(async () => {
    calls = { single: 0, many: 0 };
    change = (result) => result;
    endpoint = await startLyingEndpoint(chain.rpcUrl, (method, result, params) => {
      if (method !== 'eth_call') return result;
      const [{ to, data }] = params as [{ to?: string; data: string }];
      if (to === undefined) calls.many++;
      else if (data.startsWith('0x70a08231')) calls.single++;
      return to === undefined ? change(result as string) : result;
    });
    const tokens = { ...chain.spec.tokens, ODD: { contract: ODD_TOKEN, decimals: 6 } };
    reader = openBalanceReader({
      ...{ spec: { ...chain.spec, tokens }, urls: [endpoint.url], needed: 1 },
      ...{ clock: systemClock, log: silentLog(), timeoutMs: 5000 },
    });
  });
  afterEach(() => endpoint.stop());

  const newAddress = (): string => Wallet.createRandom().address;
  const read = (addresses: readonly string[], currency: string) =>
    reader.tokens(
      addresses.map((address) => ({ address })),
      currency,
    );
  const amountsOf = async (addresses: readonly string[], currency: string) => {
    const held = await read(addresses, currency);
    return addresses.map((address) => held.get(address)?.amount);
  };

  it.each([
    [0, { single: 0, many: 0 }],
    [1, { single: 1, many: 0 }],
    [2, { single: 0, many: 1 }],
    [100, { single: 0, many: 1 }],
    [250, { single: 0, many: 3 }],
  ])(
    'of %i addresses equal those of single calls at the same final block',
    async (count, expected) => {
      const addresses = Array.from({ length: count }, newAddress);
      for (const index of [0, 99, 100, 249]) {
        const recipient = addresses[index];
        if (recipient) await chain.pay({ currency: 'USDT', recipient, cents: BigInt(index + 1), scenario: 'exact' });
      }
      await chain.mine(FINAL);
      // Not final yet, so the balances must not include it.
      if (addresses[1]) await chain.pay({ currency: 'USDT', recipient: addresses[1], cents: 500n, scenario: 'exact' });
      const held = await read(addresses, 'USDT');
      expect(calls).toEqual(expected);
      const rpc = openRpc(chain.rpcUrl);
      const to = chain.spec.tokens.USDT!.contract;
      const singly = await Promise.all(
        addresses.map(async (address) => {
          const data = `0x70a08231${'0'.repeat(24)}${address.slice(2).toLowerCase()}`;
          return BigInt(await rpc('eth_call', { to, data }, `0x${held.get(address)!.from.number.toString(16)}`));
        }),
      );
      expect(addresses.map((address) => held.get(address)?.amount)).toEqual(singly);
      expect(singly.filter((amount) => amount > 0n)).toHaveLength([0, 99, 100, 249].filter((n) => n < count).length);
    },
    30_000,
  );

  it.each([
    ['reverts', REVERTS],
    ['returns less than a word', SHORT],
  ])('are unavailable, as with single calls, where the token %s for an address', async (_name, bad) => {
    const addresses = [newAddress(), bad, newAddress()];
    await expect(read(addresses, 'ODD')).rejects.toMatchObject({ fault: 'unavailable' });
    // The lying endpoint counts results only, and a revert is an error.
    expect(calls).toEqual({ single: bad === SHORT ? 1 : 0, many: 1 });
    await expect(read([bad], 'ODD')).rejects.toMatchObject({ fault: 'unavailable' });
    const good = addresses.filter((address) => address !== bad);
    expect(await amountsOf(good, 'ODD')).toEqual(good.map(BigInt));
  });

  it('are completed by single calls for the addresses that the token did not answer', async () => {
    const addresses = [newAddress(), REVERTS_IN_A_CONTRACT, newAddress()];
    expect(await amountsOf(addresses, 'ODD')).toEqual(addresses.map(BigInt));
    expect(calls).toEqual({ single: 1, many: 1 });
  });

  it('survive a token that burns all gas of the call', async () => {
    const addresses = [newAddress(), BURNS_GAS_IN_A_CONTRACT, newAddress()];
    expect(await amountsOf(addresses, 'ODD')).toEqual(addresses.map(BigInt));
    expect(calls.single).toBeGreaterThan(0);
  });

  const WORD = 64;
  it.each<[string, (result: string) => unknown]>([
    ['a refusal', () => new Refusal({ code: -32602, message: 'missing value for required argument "to"' })],
    ['nothing', () => '0x'],
    ['null', () => null],
    ['one word', (result) => result.slice(0, 2 + WORD)],
    ['a balance too few', (result) => result.slice(0, -WORD)],
    ['a balance too many', (result) => `${result}${'0'.repeat(WORD)}`],
    ['half a byte too few', (result) => result.slice(0, -1)],
    ['the state of another block', (result) => `0x${'1'.padStart(WORD, '0')}${result.slice(2 + WORD)}`],
    [
      'a failure bit beyond the addresses',
      (result) => `${result.slice(0, 2 + WORD)}${'f'.repeat(WORD)}${result.slice(2 + 2 * WORD)}`,
    ],
  ])('are read by single calls from an endpoint that answers with %s', async (_name, spoil) => {
    change = spoil;
    const addresses = [newAddress(), newAddress(), newAddress()];
    expect(await amountsOf(addresses, 'ODD')).toEqual(addresses.map(BigInt));
    expect(await amountsOf(addresses, 'ODD')).toEqual(addresses.map(BigInt));
    expect(calls).toEqual({ single: 6, many: 1 });
  });
});
