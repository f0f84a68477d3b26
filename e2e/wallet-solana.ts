// A test wallet for Solana: registers through the Wallet Standard and signs with a real key, outside the page, on the
// sandbox's chain.

import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { network } from './wallet-networks';

export const SOLANA_WALLET = 'Test Solana Wallet';
const SIGNATURE = 64;
const SEED = 32;

type BridgeAnswer = { readonly signature: number[] } | { readonly error: string };

/** `funded`: pays as the sandbox's payer, otherwise as an empty account. `rejects`: declines to send. */
export async function injectSolanaWallet(
  page: Page,
  { funded = true, rejects = false }: { funded?: boolean; rejects?: boolean } = {},
): Promise<{ readonly sent: Uint8Array[] }> {
  const sent: Uint8Array[] = [];
  const { rpc_url: url, payer } = network('solana');
  const seed = funded ? base58.decode(payer.private_key).slice(0, SEED) : new Uint8Array(randomBytes(SEED));
  const address = base58.encode(ed25519.getPublicKey(seed));
  await page.exposeFunction('testSolanaWallet', async (given: number[]): Promise<BridgeAnswer> => {
    if (rejects) return { error: 'User rejected the request.' };
    const transaction = Uint8Array.from(given);
    const signature = ed25519.sign(transaction.subarray(1 + SIGNATURE), seed);
    transaction.set(signature, 1);
    sent.push(transaction);
    const params = [Buffer.from(transaction).toString('base64'), { encoding: 'base64' }];
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params }),
    });
    const { error } = (await answer.json()) as { error?: { message: string } };
    return error ? { error: error.message } : { signature: [...signature] };
  });
  await page.addInitScript(
    ({ name, account }) => {
      type TestBridge = { testSolanaWallet(transaction: number[]): Promise<BridgeAnswer> };
      type Api = { register(wallet: object): void };
      const accounts = [{ address: account, publicKey: new Uint8Array(32), chains: ['solana:localnet'], features: [] }];
      const wallet = {
        version: '1.0.0',
        name,
        icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>',
        chains: ['solana:localnet'],
        accounts: [],
        features: {
          'standard:connect': { version: '1.0.0', connect: () => Promise.resolve({ accounts }) },
          'solana:signAndSendTransaction': {
            version: '1.0.0',
            supportedTransactionVersions: ['legacy'],
            signAndSendTransaction: async ({ transaction }: { transaction: Uint8Array }) => {
              const answer = await (window as unknown as TestBridge).testSolanaWallet([...transaction]);
              if ('error' in answer) throw new Error(answer.error);
              return [{ signature: Uint8Array.from(answer.signature) }];
            },
          },
        },
      };
      const callback = ({ register }: Api) => register(wallet);
      window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
      window.addEventListener('wallet-standard:app-ready', (event) => callback((event as CustomEvent<Api>).detail));
    },
    { name: SOLANA_WALLET, account: address },
  );
  return { sent };
}
