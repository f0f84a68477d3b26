// The sweeping contract on a real EVM node, with a token that returns nothing and one that returns true: what it moves, who may call
// it, and what hostile deposit addresses and tokens can do to it.

import { getAddress, Interface, Wallet, ZeroAddress } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSender } from '@/lib/networks/families/clients';
import { DELEGATION_PREFIX } from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { compileContract } from '@/testing/evm/compile-contract';
import { EVM_NETWORKS } from './evm/start';
import { GAS_EACH, newWallet, newWallets, Sweeping } from './evm/sweeping';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';

const AMOUNT = 1_000_000n;
/** More than a transaction of the sponsor costs without its deposit addresses, and than an address costs that delegates already. */
const [BASE, ORDINARY] = [50_000n, 20_000n];
const direct = new Interface(['function sweep(address token)']);
const issuing = new Interface([
  'function owner() view returns (address)',
  'function addBlackList(address account)',
  'function setParams(uint256 feeBasisPoints, uint256 maxFee)',
]);

let chain: LocalNetwork;
let sweeping: Sweeping;
let usdt: string;
let payer: Wallet;
let snapshot: string;

async function open(row = EVM_NETWORKS[0]!): Promise<void> {
  chain = await startTestEvm(row);
  sweeping = await Sweeping.open(chain);
  usdt = chain.spec.tokens.USDT!.contract.toLowerCase();
  payer = new Wallet(chain.payer.privateKey);
}

const paid = async (count: number, contract = usdt): Promise<Wallet[]> => {
  const deposits = newWallets(count);
  await sweeping.pay(payer, contract, deposits, AMOUNT);
  return deposits;
};
/** Deposit addresses with money that delegate already. */
const delegated = async (count: number, contract = usdt, delegate = sweeping.delegate): Promise<Wallet[]> => {
  const deposits = await paid(count, contract);
  await delegateTo(deposits, 0, delegate);
  return deposits;
};
const delegateTo = async (deposits: readonly Wallet[], nonce = 0, delegate = sweeping.delegate): Promise<void> => {
  const authorizationList = deposits.map((one) => sweeping.authorize(one, nonce, delegate));
  await sweeping.send(sweeping.sponsor, { to: sweeping.sponsor.address, authorizationList });
};
const authorizations = (deposits: readonly Wallet[]) => deposits.map((one) => sweeping.authorize(one));
const inTreasury = (contract = usdt): Promise<bigint> => sweeping.holds(contract, sweeping.treasury);
const codeOf = ({ address }: Wallet): Promise<string> => sweeping.rpc('eth_getCode', address, 'latest');

describe.each(EVM_NETWORKS)('on $network', (row) => {
  beforeAll(() => open(row), 60_000);
  afterAll(() => chain.stop());

  it('the factory deploys the contract at the computed address, with no storage', async () => {
    expect((await sweeping.rpc('eth_getCode', sweeping.delegate, 'latest')).length).toBeGreaterThan(1000);
    expect(await sweeping.rpc('eth_getStorageAt', sweeping.delegate, '0x0', 'latest')).toBe(`0x${'0'.repeat(64)}`);
  });

  it.each(Object.keys(row.spec.tokens))(
    'one transaction moves the %s of fifty new addresses, and a later one without authorizations moves it again',
    async (currency) => {
      const contract = row.spec.tokens[currency]!.contract.toLowerCase();
      const deposits = await paid(50, contract);
      const batch = { token: contract, deposits };
      const first = await sweeping.sweep({ ...batch, authorizationList: authorizations(deposits) });
      expect(first).toMatchObject({ succeeded: true, skipped: [] });
      expect(await inTreasury(contract)).toBe(50n * AMOUNT);
      for (const one of deposits) expect(await sweeping.holds(contract, one)).toBe(0n);
      expect(await codeOf(deposits[49]!)).toBe(DELEGATION_PREFIX + sweeping.delegate.slice(2));

      await sweeping.pay(payer, contract, deposits, AMOUNT);
      expect(await sweeping.sweep(batch)).toMatchObject({ succeeded: true, skipped: [] });
      expect(await inTreasury(contract)).toBe(100n * AMOUNT);
    },
  );
});

describe('the sweeping contract', () => {
  beforeAll(() => open(), 60_000);
  afterAll(() => chain.stop());
  beforeEach(async () => void (snapshot = await sweeping.rpc('evm_snapshot')));
  afterEach(() => sweeping.rpc('evm_revert', snapshot));

  const asOwner = async (name: string, values: readonly unknown[]): Promise<void> => {
    const call = { to: usdt, data: issuing.encodeFunctionData('owner') };
    const from = `0x${(await sweeping.rpc('eth_call', call, 'latest')).slice(-40)}`;
    await sweeping.rpc('anvil_impersonateAccount', from);
    await sweeping.rpc('eth_sendTransaction', { from, to: usdt, data: issuing.encodeFunctionData(name, values) });
    await sweeping.rpc('anvil_stopImpersonatingAccount', from);
  };
  const place = async (code: string): Promise<string> => {
    const address = newWallet().address.toLowerCase();
    await sweeping.rpc('anvil_setCode', address, code);
    return address;
  };
  const sweepDirectly = (from: Wallet, to: string) =>
    sweeping.send(from, { to, data: direct.encodeFunctionData('sweep', [usdt]), gasLimit: 200_000n });

  describe('who may call it', () => {
    it('a stranger cannot sweep, neither at the contract nor at a deposit address', async () => {
      const deposits = await delegated(2);
      const stranger = newWallet();
      await sweeping.addCoin(stranger);
      const calls = [
        await sweeping.sweep({ token: usdt, deposits }, stranger),
        await sweepDirectly(stranger, deposits[0]!.address),
        await sweepDirectly(stranger, sweeping.delegate),
        await sweeping.sweep({ token: usdt, deposits, at: deposits[0]!.address }, stranger),
      ];
      expect(calls.map(({ succeeded }) => succeeded)).toEqual([false, false, false, false]);
      expect(await inTreasury()).toBe(0n);
    });

    it('the sponsors and the treasury can sweep, at the contract and at a deposit address', async () => {
      for (const caller of [sweeping.sponsor, sweeping.spareSponsor, sweeping.treasury]) {
        const before = await inTreasury();
        const [one, other] = await delegated(2);
        expect(await sweeping.sweep({ token: usdt, deposits: [one!] }, caller)).toMatchObject({ skipped: [] });
        expect(await sweepDirectly(caller, other!.address)).toMatchObject({ succeeded: true });
        expect(await inTreasury()).toBe(before + 2n * AMOUNT);
      }
    });

    it('many addresses are swept only at the contract itself, so that no deposit address calls others', async () => {
      const deposits = await delegated(2);
      expect(await sweeping.sweep({ token: usdt, deposits, at: deposits[0]!.address })).toMatchObject({
        succeeded: false,
      });
      expect(await inTreasury()).toBe(0n);
    });

    it('a deposit address that delegates to other code cannot sweep another one', async () => {
      const [honest] = await delegated(1);
      const data = direct.encodeFunctionData('sweep', [usdt]).slice(2);
      const [hostile] = await delegated(1, usdt, await place(forwarding(honest!.address, data)));
      expect(await sweeping.sweep({ token: usdt, deposits: [hostile!] })).toMatchObject({ succeeded: true });
      expect(await sweeping.holds(usdt, honest!)).toBe(AMOUNT);
    });

    it('tokens at the contract itself can be swept to the treasury', async () => {
      const itself = { address: sweeping.delegate } as Wallet;
      await sweeping.pay(payer, usdt, [itself], AMOUNT);
      expect(await sweeping.sweep({ token: usdt, deposits: [itself] })).toMatchObject({ skipped: [] });
      expect(await inTreasury()).toBe(AMOUNT);
    });
  });

  describe('a deposit address that does not move', () => {
    it('stops no other one and costs no more than its gas', async () => {
      const deposits = await delegated(20);
      const [blocked, cleared, looping, returning, reverting] = deposits;
      await asOwner('addBlackList', [blocked!.address]);
      await delegateTo([cleared!], 1, ZeroAddress);
      await delegateTo([looping!], 1, await place(LOOP));
      await delegateTo([returning!], 1, await place(returnsBytes(200_000)));
      await delegateTo([reverting!], 1, await place(returnsBytes(200_000, 'revert')));
      const { succeeded, gas, skipped } = await sweeping.sweep({ token: usdt, deposits });
      expect(succeeded).toBe(true);
      expect(skipped).toEqual(deposits.slice(0, 5).map(({ address }) => address));
      expect(await inTreasury()).toBe(15n * AMOUNT);
      expect(await codeOf(cleared!)).toBe('0x');
      expect(gas).toBeLessThan(BASE + 3n * GAS_EACH + 20n * ORDINARY);
    });

    it('cannot make the others run out of gas with megabytes of data', async () => {
      const bomb = await place(returnsBytes(640_000));
      const hostile = await delegated(10, usdt, bomb);
      const honest = await delegated(10);
      const gasEach = 1_000_000n;
      const { succeeded, gas } = await sweeping.sweep({ token: usdt, deposits: [...hostile, ...honest], gasEach });
      expect(succeeded).toBe(true);
      expect(await inTreasury()).toBe(10n * AMOUNT);
      expect(gas).toBeLessThan(BASE + 10n * gasEach + 20n * ORDINARY);
    });

    it('cannot stop the last one, even if 99 of 100 burn all the gas they get', async () => {
      const hostile = newWallets(99);
      await delegateTo(hostile, 0, await place(LOOP));
      const [honest] = await delegated(1);
      const { succeeded, skipped, gas } = await sweeping.sweep({ token: usdt, deposits: [...hostile, honest!] });
      expect(succeeded).toBe(true);
      expect(skipped).toEqual(hostile.map(({ address }) => address));
      expect(await inTreasury()).toBe(AMOUNT);
      expect(gas).toBeGreaterThan(99n * GAS_EACH);
    });

    it('is reported when its authorization has the wrong nonce or is for another chain', async () => {
      const deposits = await paid(3);
      const [good, late, foreign] = deposits;
      const authorizationList = [
        sweeping.authorize(good!),
        sweeping.authorize(late!, 1),
        foreign!.authorizeSync({ address: sweeping.delegate, chainId: sweeping.chainId + 1, nonce: 0 }),
      ];
      const { succeeded, skipped } = await sweeping.sweep({ token: usdt, deposits, authorizationList });
      expect({ succeeded, skipped }).toEqual({ succeeded: true, skipped: [late!.address, foreign!.address] });
      expect(await inTreasury()).toBe(AMOUNT);
      expect(await sweeping.holds(usdt, late!)).toBe(AMOUNT);
    });
  });

  it('a stranger who applies an authorization first changes nothing', async () => {
    const deposits = await paid(3);
    const stranger = newWallet();
    await sweeping.addCoin(stranger);
    const authorizationList = authorizations(deposits);
    await sweeping.send(stranger, { to: stranger.address, authorizationList: authorizationList.slice(0, 2) });
    expect(await sweeping.sweep({ token: usdt, deposits, authorizationList })).toMatchObject({ skipped: [] });
    expect(await inTreasury()).toBe(3n * AMOUNT);
  });

  it('an address that is listed twice or holds nothing is not reported and sends nothing', async () => {
    const [full] = await delegated(1);
    const empty = newWallet();
    await delegateTo([empty]);
    const deposits = [full!, full!, empty];
    expect(await sweeping.sweep({ token: usdt, deposits })).toMatchObject({ succeeded: true, skipped: [], events: 1 });
    expect(await sweeping.sweep({ token: usdt, deposits: [] })).toMatchObject({ succeeded: true, events: 0 });
    expect(await inTreasury()).toBe(AMOUNT);
  });

  describe('a gas limit that is too short', () => {
    it('leaves all money, applies the delegations, and a retry without authorizations moves everything', async () => {
      const deposits = await paid(10);
      const batch = { token: usdt, deposits };
      const authorizationList = authorizations(deposits);
      const short = await sweeping.sweep({ ...batch, authorizationList, gasLimit: 400_000n });
      expect(short).toMatchObject({ succeeded: false, skipped: [] });
      expect(await inTreasury()).toBe(0n);
      for (const one of deposits) expect(await codeOf(one)).toBe(DELEGATION_PREFIX + sweeping.delegate.slice(2));
      expect(await sweeping.sweep(batch)).toMatchObject({ succeeded: true, skipped: [] });
      expect(await inTreasury()).toBe(10n * AMOUNT);
    });

    it('never reports an address that would have moved with more gas', async () => {
      const deposits = await delegated(4);
      const { gas } = await sweeping.sweep({ token: usdt, deposits });
      await sweeping.pay(payer, usdt, deposits, AMOUNT);
      let moved = 0;
      for (let gasLimit = gas - 60_000n; gasLimit < gas + 60_000n; gasLimit += 1000n) {
        const before = await sweeping.rpc('evm_snapshot');
        const { succeeded, skipped } = await sweeping.sweep({ token: usdt, deposits, gasLimit });
        expect(skipped).toEqual([]);
        expect(await inTreasury()).toBe(succeeded ? 8n * AMOUNT : 4n * AMOUNT);
        moved += succeeded ? 1 : 0;
        await sweeping.rpc('evm_revert', before);
      }
      expect(moved).toBeGreaterThan(20);
      expect(moved).toBeLessThan(100);
    });
  });

  describe('a token', () => {
    it('that takes a fee moves wholly, and less arrives', async () => {
      await asOwner('setParams', [10, 1_000_000]);
      const deposits = await delegated(2);
      const held = AMOUNT - AMOUNT / 1000n;
      expect(await sweeping.holds(usdt, deposits[0]!)).toBe(held);
      expect(await sweeping.sweep({ token: usdt, deposits })).toMatchObject({ skipped: [] });
      expect(await inTreasury()).toBe(2n * (held - held / 1000n));
      expect(await sweeping.holds(usdt, deposits[0]!)).toBe(0n);
    });

    it('that calls back during a transfer moves no other token', async () => {
      const deposits = await delegated(2);
      const [one, other] = deposits.map(({ address }) => address);
      const fake = await place(compileContract('Fake', callsBack(one!, other!)).deployed);
      const { succeeded } = await sweeping.sweep({ token: fake, deposits, gasEach: 1_000_000n });
      expect(succeeded).toBe(true);
      const calls = await sweeping.rpc('eth_getStorageAt', fake, '0x0', 'latest');
      // Four calls in each transfer, and none of them succeeded.
      expect([BigInt(calls), BigInt(await sweeping.rpc('eth_getStorageAt', fake, '0x1', 'latest'))]).toEqual([8n, 0n]);
      for (const deposit of deposits) expect(await sweeping.holds(usdt, deposit)).toBe(AMOUNT);
    });

    it.each([
      ['nothing', true, 'return(0, 0)'],
      ['true', true, 'mstore(0, 1) return(0, 32)'],
      ['true with more data behind it', true, 'mstore(0, 1) return(0, 96)'],
      ['false', false, 'mstore(0, 0) return(0, 32)'],
      ['a number that is no boolean', false, 'mstore(0, 2) return(0, 32)'],
      ['one byte', false, 'mstore(0, not(0)) return(0, 1)'],
      ['megabytes', false, 'return(0, 3000000)'],
      ['an error', false, 'revert(0, 0)'],
      ['never', false, 'for {} 1 {} {}'],
    ])('whose transfer answers %s counts as moved: %s', async (_answer, isMoved, body) => {
      const deposits = await delegated(1);
      const odd = await place(compileContract('Odd', answers(body)).deployed);
      const { succeeded, skipped, gas } = await sweeping.sweep({ token: odd, deposits });
      expect({ succeeded, skipped }).toEqual({ succeeded: true, skipped: isMoved ? [] : [deposits[0]!.address] });
      expect(gas).toBeLessThan(BASE + GAS_EACH);
    });
  });

  describe('an address that delegates to it', () => {
    it('accepts plain coin that is sent with more than 21,000 gas, and from a contract that forwards little', async () => {
      const [deposit] = await delegated(1);
      await sweeping.addCoin(payer);
      const coin = () => sweeping.rpc('eth_getBalance', deposit!.address, 'latest').then(BigInt);
      const plain = { to: deposit!.address, value: 5n };
      expect(await sweeping.send(payer, { ...plain, gasLimit: 21_000n })).toMatchObject({ succeeded: false });
      expect(await sweeping.send(payer, { ...plain, gasLimit: 21_100n })).toMatchObject({ succeeded: true });
      const contract = await place(compileContract('Pays', PAYS).deployed);
      const data = new Interface(['function pay(address to)']).encodeFunctionData('pay', [deposit!.address]);
      expect(await sweeping.send(payer, { to: contract, data, value: 7n })).toMatchObject({ succeeded: true });
      expect(await coin()).toBe(12n);
    });

    it('is a wallet to the product, and its key can still send a transfer', async () => {
      const [deposit] = await delegated(1);
      const sender = openSender({
        ...{ spec: chain.spec, urls: [chain.rpcUrl], needed: 1, timeoutMs: 5000 },
        ...{ clock: systemClock, log: silentLog() },
      });
      expect(await sender.kindOf(deposit!.address.toLowerCase())).toBe('wallet');
      expect(await sender.kindOf(sweeping.delegate)).toBe('contract');
      await sweeping.addCoin(deposit!);
      await sweeping.pay(deposit!, usdt, [sweeping.treasury], AMOUNT);
      expect(await inTreasury()).toBe(AMOUNT);
    });
  });
});

const LOOP = '0x5b5f56';
const returnsBytes = (count: number, how: 'return' | 'revert' = 'return'): string =>
  `0x62${count.toString(16).padStart(6, '0')}5f${how === 'return' ? 'f3' : 'fd'}`;

/** Code that calls the address with the data, whatever it is called with, and returns a word. */
function forwarding(address: string, data: string): string {
  const source = `contract Forwarding { fallback() external {
    (bool isCalled, ) = ${address}.call(hex"${data}"); require(!isCalled); assembly { return(0, 32) } } }`;
  return compileContract('Forwarding', source).deployed;
}

/** A token that, while it transfers, tries to sweep both addresses directly and through the contract. Counts calls and successes. */
const callsBack = (one: string, other: string): string => `
contract Fake {
    uint256 calls; uint256 successes;
    function balanceOf(address) external pure returns (uint256) { return 1; }
    function transfer(address, uint256) external returns (bool) {
        address[] memory both = new address[](2);
        (both[0], both[1]) = (${one}, ${other});
        attempt(both[0], abi.encodeWithSignature("sweep(address)", ${getAddress(usdt)}));
        attempt(both[1], abi.encodeWithSignature("sweep(address)", ${getAddress(usdt)}));
        bytes memory many = abi.encodeWithSignature("sweepMany(address,uint256,address[])", ${getAddress(usdt)}, 100000, both);
        attempt(${getAddress(sweeping.delegate)}, many);
        attempt(msg.sender, many);
        return true;
    }
    function attempt(address to, bytes memory data) private {
        (bool isCalled, ) = to.call(data);
        ++calls;
        if (isCalled) ++successes;
    }
}`;
const answers = (body: string): string => `
contract Odd {
    function balanceOf(address) external pure returns (uint256) { return 1; }
    fallback() external { assembly { ${body} } }
}`;
const PAYS = 'contract Pays { function pay(address payable to) external payable { to.transfer(msg.value); } }';
