// Finds the wallets that live in the browser (EIP-6963, TIP-6963, Wallet Standard, and the older global objects where no wallet
// announced itself) and tells of each as it appears. What a wallet is asked for (pay-with.ts, sign-with.ts) is loaded when its
// button is pressed.

import type { NetworkFamily } from '@/lib/networks/chain';
import type { EvmProvider } from './evm';
import type { SolanaWallet } from './solana';
import type { TronProvider } from './tron';

export type BrowserWallet = {
  readonly id: string;
  /** What it calls itself: foreign text. */
  readonly name: string;
  /** A picture as a data address, or null. */
  readonly icon: string | null;
} & Held;

type Held =
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

/** What a Solana wallet must be able to do. */
const SOLANA_FEATURES = ['standard:connect', 'solana:signAndSendTransaction'];
/** Wallets that know how to announce themselves have done so by then. */
const ANNOUNCED_AFTER_MS = 500;

/** Tells of every wallet once, now and later. Returns what ends the search. */
export function discoverWallets(found: (wallet: BrowserWallet) => void): () => void {
  const known = new Set<string>();
  const tell = ({ name, rdns, icon }: Info, held: Held): void => {
    const id = `${held.family}:${words(rdns) || words(name)}`;
    if (known.has(id)) return;
    known.add(id);
    found({ id, name: words(name) || words(rdns), icon: picture(icon), ...held });
  };
  const isKnown = (family: NetworkFamily) => [...known].some((id) => id.startsWith(`${family}:`));
  const onEvm = (event: Event): void => {
    const wallet = announcement<EvmProvider>(event);
    if (wallet) tell(wallet.info, { family: 'evm', provider: wallet.provider });
  };
  const onTron = (event: Event): void => {
    const wallet = announcement<TronProvider>(event);
    if (wallet) tell(wallet.info, { family: 'tron', provider: wallet.provider });
  };
  const api = {
    register: (...wallets: unknown[]) =>
      wallets.filter(isSolana).forEach((provider) => tell(provider, { family: 'solana', provider })),
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
    if (ethereum && !isKnown('evm')) tell({ name: nameOf(ethereum) }, { family: 'evm', provider: ethereum });
    const provider = tron ?? tronLink;
    if (provider && !isKnown('tron')) tell({ name: 'TronLink' }, { family: 'tron', provider });
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
const words = (text: unknown): string => (typeof text === 'string' ? text.slice(0, LONGEST_NAME) : '');
/** Anything but a picture inside the text would be a request to somebody. */
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
