// Has a browser wallet sign a text with one of its accounts: personal_sign on EVM chains, signMessageV2 on TRON, solana:signMessage on
// Solana. The server checks the signature (lib/networks/recipients/signed-message.ts).

import type { BrowserWallet } from './discover';
import { evmAccounts, type EvmProvider } from './evm';
import { refusal, type PayFault } from './payment';
import { solanaAccounts, type SolanaAccount, type SolanaWallet } from './solana';
import { legacyTronWeb, openTron, type TronProvider } from './tron';

/** `signer` is the account as wallets write it. */
type SignRequest = { readonly signer: string; readonly text: string };
/** `unclear`: the wallet failed or cannot sign texts. `other_account`: it does not expose the account to this page. */
export type SignFault = Extract<PayFault['why'], 'rejected' | 'busy' | 'locked' | 'unclear'> | 'other_account';
export type Signed = { readonly signature: string } | { readonly fault: SignFault };
/** The wallet connects first, then signs. */
export type SignStep = 'connect' | 'confirm';

/** The signature as `0x` and hexadecimal digits, or why there is none. Never throws. */
export async function signWith(
  wallet: BrowserWallet,
  request: SignRequest,
  onStep: (step: SignStep) => void,
): Promise<Signed> {
  onStep('connect');
  try {
    const sign = await open(wallet, request.signer);
    if (sign === null) return { fault: 'other_account' };
    onStep('confirm');
    return { signature: await sign(request.text) };
  } catch (error) {
    const { why } = refusal(error, 'unclear').fault;
    return { fault: why === 'rejected' || why === 'busy' || why === 'locked' ? why : 'unclear' };
  }
}

/** The signing function of the account; null when the wallet does not expose it. */
type Sign = (text: string) => Promise<string>;
function open({ family, provider }: BrowserWallet, signer: string): Promise<Sign | null> {
  switch (family) {
    case 'evm':
      return openEvm(provider, signer);
    case 'tron':
      return openTronAccount(provider, signer);
    case 'solana':
      return openSolana(provider, signer);
  }
}

async function openEvm(provider: EvmProvider, signer: string): Promise<Sign | null> {
  const account = (await evmAccounts(provider)).find((one) => one.toLowerCase() === signer.toLowerCase());
  if (account === undefined) return null;
  return async (text) => {
    const params = [hex(new TextEncoder().encode(text)), account];
    return String(await provider.request({ method: 'personal_sign', params }));
  };
}

async function openTronAccount(provider: TronProvider, signer: string): Promise<Sign | null> {
  const { tronWeb, from } = await openTron(provider, legacyTronWeb);
  if (from !== signer) return null;
  return async (text) => {
    if (!tronWeb.trx.signMessageV2) throw new Error('this wallet cannot sign texts');
    const signature = await tronWeb.trx.signMessageV2(text);
    return signature.startsWith('0x') ? signature : `0x${signature}`;
  };
}

type SignMessage = {
  signMessage(input: {
    account: SolanaAccount;
    message: Uint8Array;
  }): Promise<readonly { readonly signature: Uint8Array }[]>;
};

async function openSolana(wallet: SolanaWallet, signer: string): Promise<Sign | null> {
  const account = (await solanaAccounts(wallet)).find(({ address }) => address === signer);
  if (!account) return null;
  return async (text) => {
    const feature = wallet.features['solana:signMessage'] as SignMessage;
    const [signed] = await feature.signMessage({ account, message: new TextEncoder().encode(text) });
    if (!signed) throw new Error('the wallet returned no signature');
    return hex(signed.signature);
  };
}

const hex = (bytes: Uint8Array): string =>
  `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
