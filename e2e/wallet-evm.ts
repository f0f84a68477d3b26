// A test wallet for EVM networks: announces itself as wallets do (EIP-6963), keeps its key outside the page, and really
// signs on the sandbox's chains. Each has a new account, so that stories do not share an account nonce.

import type { Page } from '@playwright/test';
import { AbiCoder, getBytes, Interface, JsonRpcProvider, keccak256, Wallet, zeroPadValue } from 'ethers';
import { network } from './wallet-networks';

type Held = { readonly tokens: bigint; readonly coin: bigint };
type Options = Held & {
  /** The initial chain. */
  readonly on: string;
  /** Chains that it can switch to; it does not know others. */
  readonly knows: readonly string[];
  readonly rejects?: string;
  /** A method that it rejects the first time only. */
  readonly rejectsOnce?: string;
};
type Answer = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

export const EVM_WALLET = 'Test EVM Wallet';
const token = new Interface(['function balanceOf(address) view returns (uint256)']);
/** Storage slots of the mappings in the sandbox's contracts are below this number. */
const MAX_SLOTS = 20;

/** Injects the wallet before the page opens; returns the called methods in order. */
export async function injectEvmWallet(page: Page, options: Options): Promise<string[]> {
  const calledMethods: string[] = [];
  const wallet = Wallet.createRandom();
  let current = options.on;
  for (const name of options.knows) await give(name, wallet.address, options);
  const answer = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const { rpc_url: url, chain_id: id } = network(current);
    if (method === 'eth_requestAccounts') return [wallet.address];
    if (method === 'personal_sign') return wallet.signMessage(getBytes(String(params[0])));
    if (method === 'eth_chainId') return `0x${Number(id).toString(16)}`;
    if (method === 'wallet_switchEthereumChain') {
      const wanted = (params[0] as { chainId: string }).chainId;
      const found = options.knows.find((name) => Number(network(name).chain_id) === Number(wanted));
      if (found === undefined) throw Object.assign(new Error('Unrecognized chain ID'), { code: 4902 });
      current = found;
      return null;
    }
    const provider = new JsonRpcProvider(url);
    try {
      if (method !== 'eth_sendTransaction') return await provider.send(method, [...params]);
      const { to, data, value } = params[0] as { to: string; data: string; value: string };
      const sent = await wallet.connect(provider).sendTransaction({ to, data, value });
      return sent.hash;
    } finally {
      provider.destroy();
    }
  };
  await page.exposeFunction('testEvmWallet', async (method: string, params: unknown[]): Promise<Answer> => {
    calledMethods.push(method);
    const isFirst = calledMethods.filter((one) => one === method).length === 1;
    if (method === options.rejects || (method === options.rejectsOnce && isFirst))
      return { error: { code: 4001, message: 'User rejected the request.' } };
    try {
      return { result: await answer(method, params) };
    } catch (error) {
      const { code, message } = error as { code?: unknown; message: string };
      return { error: { code: typeof code === 'number' ? code : -32603, message } };
    }
  });
  await page.addInitScript((name) => {
    type TestBridge = { testEvmWallet(method: string, params: unknown[]): Promise<Answer> };
    const provider = {
      request: async ({ method, params = [] }: { method: string; params?: unknown[] }) => {
        const result = await (window as unknown as TestBridge).testEvmWallet(method, params);
        if ('result' in result) return result.result;
        throw Object.assign(new Error(result.error.message), { code: result.error.code });
      },
    };
    const info = {
      uuid: '0b0c53f4-0000-4000-8000-000000000001',
      name,
      rdns: 'test.evm',
      icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>',
    };
    const announce = () =>
      window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }));
    window.addEventListener('eip6963:requestProvider', announce);
    announce();
  }, EVM_WALLET);
  return calledMethods;
}

/** Gives an account tokens and coin by writing the chain's state: no transaction, so no account nonce changes. */
async function give(name: string, account: string, { tokens, coin }: Held): Promise<void> {
  const { rpc_url: url, tokens: listed } = network(name);
  const provider = new JsonRpcProvider(url);
  const contract = listed.USDT!.address;
  const units = tokens * 10n ** BigInt(listed.USDT!.decimals);
  const held = async () =>
    BigInt(await provider.call({ to: contract, data: token.encodeFunctionData('balanceOf', [account]) }));
  try {
    await provider.send('anvil_setBalance', [account, `0x${coin.toString(16)}`]);
    for (let slot = 0; slot < MAX_SLOTS && (await held()) !== units; slot++) {
      const place = keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'uint256'], [account, slot]));
      const write = (value: bigint) =>
        provider.send('anvil_setStorageAt', [
          contract,
          place,
          zeroPadValue(`0x${value.toString(16).padStart(64, '0')}`, 32),
        ]);
      await write(units);
      if ((await held()) !== units) await write(0n);
    }
    if ((await held()) !== units) throw new Error(`no balance can be written into ${contract}`);
  } finally {
    provider.destroy();
  }
}
