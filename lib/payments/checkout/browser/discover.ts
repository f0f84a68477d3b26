// Finds browser wallets (EIP-6963, TIP-6963, Wallet Standard, and the older global objects where no wallet announced itself) and
// reports each as it appears. The code for payments and signatures (pay-with.ts, sign-with.ts) loads when its button is pressed.

import type { NetworkFamily } from '@/lib/networks/chain';
import type { EvmProvider } from './evm';
import type { SolanaWallet } from './solana';
import type { TronProvider } from './tron';

export type BrowserWallet = {
  readonly id: string;
  /** Its own display name: untrusted text. */
  readonly name: string;
  /** An image as a data URL, or null. */
  readonly icon: string | null;
} & WalletProvider;

type WalletProvider =
  | { readonly family: 'evm'; readonly provider: EvmProvider }
  | { readonly family: 'tron'; readonly provider: TronProvider }
  | { readonly family: 'solana'; readonly provider: SolanaWallet };

type Announcement<P> = {
  readonly info?: { uuid?: unknown; name?: unknown; icon?: unknown; rdns?: unknown };
  readonly provider?: P;
};
type Globals = {
  ethereum?: EvmProvider & {
    readonly isMetaMask?: boolean;
    readonly isTrust?: boolean;
    readonly isCoinbaseWallet?: boolean;
  };
  tron?: TronProvider;
  tronLink?: TronProvider;
};

/** The features that a Solana wallet must have. */
const SOLANA_FEATURES = ['standard:connect', 'solana:signAndSendTransaction'];
/** Wallets that announce themselves have done so by then. */
const ANNOUNCED_AFTER_MS = 500;

/** Reports every wallet once, now and later. Returns a stop function. */
export function discoverWallets(found: (wallet: BrowserWallet) => void): () => void {
  const known = new Set<string>();
  const report = ({ name, rdns, icon }: Info, wallet: WalletProvider): void => {
    const id = `${wallet.family}:${shortText(rdns) || shortText(name)}`;
    if (known.has(id)) return;
    known.add(id);
    found({ id, name: shortText(name) || shortText(rdns), icon: picture(icon), ...wallet });
  };
  const isKnown = (family: NetworkFamily) => [...known].some((id) => id.startsWith(`${family}:`));
  const onEvm = (event: Event): void => {
    const wallet = announcement<EvmProvider>(event);
    if (wallet) report(wallet.info, { family: 'evm', provider: wallet.provider });
  };
  const onTron = (event: Event): void => {
    const wallet = announcement<TronProvider>(event);
    if (wallet) report(wallet.info, { family: 'tron', provider: wallet.provider });
  };
  const api = {
    register: (...wallets: unknown[]) =>
      wallets.filter(isSolana).forEach((provider) => report(provider, { family: 'solana', provider })),
  };
  const onSolana = (event: Event): void => {
    const { detail } = event as CustomEvent<unknown>;
    if (typeof detail === 'function') (detail as (given: typeof api) => void)(api);
  };

  window.addEventListener('eip6963:announceProvider', onEvm);
  window.addEventListener('TIP6963:announceProvider', onTron);
  window.addEventListener('wallet-standard:register-wallet', onSolana);
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  window.dispatchEvent(new Event('TIP6963:requestProvider'));
  window.dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }));
  const timer = setTimeout(() => {
    const { ethereum, tron, tronLink } = window as unknown as Globals;
    if (ethereum && !isKnown('evm')) report({ name: nameOf(ethereum) }, { family: 'evm', provider: ethereum });
    const provider = tron ?? tronLink;
    if (provider && !isKnown('tron')) report({ name: 'TronLink' }, { family: 'tron', provider });
  }, ANNOUNCED_AFTER_MS);
  return () => {
    clearTimeout(timer);
    window.removeEventListener('eip6963:announceProvider', onEvm);
    window.removeEventListener('TIP6963:announceProvider', onTron);
    window.removeEventListener('wallet-standard:register-wallet', onSolana);
  };
}

type Info = NonNullable<Announcement<unknown>['info']>;

function announcement<P>(event: Event): Required<Announcement<P>> | null {
  const { info, provider } = ((event as CustomEvent).detail ?? {}) as Announcement<P>;
  return info && provider ? { info, provider } : null;
}

const LONGEST_NAME = 40;
const shortText = (text: unknown): string => (typeof text === 'string' ? text.slice(0, LONGEST_NAME) : '');
/** Accepts only inline images: any other URL would send a request to a third party. */
const picture = (text: unknown): string | null =>
  typeof text === 'string' && /^data:image\/[\w+.-]+[;,]/.test(text) ? text : null;

function isSolana(wallet: unknown): wallet is SolanaWallet {
  const { chains, features } = (wallet ?? {}) as Partial<SolanaWallet>;
  const speaks =
    Array.isArray(chains) && chains.some((chain) => typeof chain === 'string' && chain.startsWith('solana:'));
  return speaks && typeof features === 'object' && SOLANA_FEATURES.every((feature) => feature in features);
}

function nameOf({ isMetaMask, isTrust, isCoinbaseWallet }: NonNullable<Globals['ethereum']>): string {
  if (isTrust) return 'Trust Wallet';
  if (isCoinbaseWallet) return 'Coinbase Wallet';
  return isMetaMask ? 'MetaMask' : 'Web3';
}
