// A test wallet for TRON: announces itself by TIP-6963. Its tronweb is the real one on the sandbox's chain. The page
// reaches it call by call, so that the key never enters the page.

import type { Page } from '@playwright/test';
import { TronWeb } from 'tronweb';
import { network } from './wallet-networks';

export const TRON_WALLET = 'Test TRON Wallet';

type BridgeAnswer = { readonly result: unknown } | { readonly error: string };

/** `funded`: pays as the sandbox's payer, otherwise as an empty account. `rejects`: declines to sign. */
export async function injectTronWallet(
  page: Page,
  { funded = true, rejects = false }: { funded?: boolean; rejects?: boolean } = {},
): Promise<string[]> {
  const calledMethods: string[] = [];
  const { rpc_url: fullHost, chain_id: id, payer } = network('tron');
  const key = funded ? payer.private_key : TronWeb.createRandom().privateKey;
  const web = new TronWeb({ fullHost, privateKey: key.replace(/^0x/, '') });
  const doors: Record<string, (...given: never[]) => unknown> = {
    triggerSmartContract: web.transactionBuilder.triggerSmartContract.bind(web.transactionBuilder),
    triggerConstantContract: web.transactionBuilder.triggerConstantContract.bind(web.transactionBuilder),
    getBalance: web.trx.getBalance.bind(web.trx),
    getAccountResources: web.trx.getAccountResources.bind(web.trx),
    sign: web.trx.sign.bind(web.trx),
    sendRawTransaction: web.trx.sendRawTransaction.bind(web.trx),
  };
  await page.exposeFunction('testTronWallet', async (name: string, given: never[]): Promise<BridgeAnswer> => {
    calledMethods.push(name);
    if (rejects && name === 'sign') return { error: 'Confirmation declined by user' };
    try {
      return { result: await doors[name]?.(...given) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  });
  await page.addInitScript(
    ({ name, chain, address, parts }) => {
      type TestBridge = { testTronWallet(name: string, given: unknown[]): Promise<BridgeAnswer> };
      const call =
        (part: string) =>
        async (...given: unknown[]) => {
          const answer = await (window as unknown as TestBridge).testTronWallet(part, given);
          if ('error' in answer) throw new Error(answer.error);
          return answer.result;
        };
      const all = Object.fromEntries(parts.map((part) => [part, call(part)]));
      const tronWeb = { defaultAddress: { base58: address }, transactionBuilder: all, trx: all };
      const provider = {
        tronWeb: false as false | typeof tronWeb,
        request: ({ method }: { method: string }): Promise<unknown> => {
          if (method === 'eth_chainId') return Promise.resolve(chain);
          if (method !== 'eth_requestAccounts')
            return Promise.reject(Object.assign(new Error('unknown'), { code: 4200 }));
          provider.tronWeb = tronWeb;
          return Promise.resolve([address]);
        },
      };
      const detail = {
        info: { uuid: '0b0c53f4-0000-4000-8000-000000000002', name, rdns: 'test.tron', icon: '' },
        provider,
      };
      window.addEventListener('TIP6963:requestProvider', () =>
        window.dispatchEvent(new CustomEvent('TIP6963:announceProvider', { detail })),
      );
    },
    {
      name: TRON_WALLET,
      chain: `0x${Number(id).toString(16)}`,
      address: web.defaultAddress.base58 as string,
      parts: Object.keys(doors),
    },
  );
  return calledMethods;
}
