// Finds the wallets that live in the browser (EIP-6963, TIP-6963, Wallet Standard, and the older global objects where no wallet
// announced itself) and tells of each as it appears. What pays by a family of wallets is loaded when its button is pressed.

import type { NetworkFamily } from '@/lib/chains/chain';
import type { EvmProvider } from './evm';
import type { PayByWallet } from './payment';
import type { SolanaDraftAnswer, SolanaWallet } from './solana';
import type { TronProvider, TronWeb } from './tron';

export type BrowserWallet = {
  readonly id: string;
  readonly family: NetworkFamily;
  /** What it calls itself: foreign text. */
  readonly name: string;
  /** A picture as a data address, or null. */
  readonly icon: string | null;
  readonly load: () => Promise<PayByWallet>;
};

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
  tronLink?: TronProvider & { readonly tronWeb?: TronWeb | false };
  tronWeb?: TronWeb | false;
};

/** What a Solana wallet must be able to do. */
const SOLANA_FEATURES = ['standard:connect', 'solana:signAndSendTransaction'];
/** Wallets that know how to announce themselves have done so by then. */
const ANNOUNCED_AFTER_MS = 500;

/** Tells of every wallet once, now and later. Returns what ends the search. */
export function discoverWallets(found: (wallet: BrowserWallet) => void): () => void {
  const known = new Set<string>();
  const tell = (wallet: BrowserWallet): void => {
    if (known.has(wallet.id)) return;
    known.add(wallet.id);
    found(wallet);
  };
  const isKnown = (family: NetworkFamily) => [...known].some((id) => id.startsWith(`${family}:`));
  const onEvm = (event: Event): void => {
    const wallet = announcement<EvmProvider>(event);
    if (wallet) tell(evmWallet(wallet.info, wallet.provider));
  };
  const onTron = (event: Event): void => {
    const wallet = announcement<TronProvider>(event);
    if (wallet) tell(tronWallet(wallet.info, wallet.provider));
  };
  const api = {
    register: (...wallets: unknown[]) => wallets.filter(isSolana).forEach((one) => tell(solanaWallet(one))),
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
    if (ethereum && !isKnown('evm')) tell(evmWallet({ name: nameOf(ethereum) }, ethereum));
    const provider = tron ?? tronLink;
    if (provider && !isKnown('tron')) tell(tronWallet({ name: 'TronLink' }, provider));
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
const idOf = (family: NetworkFamily, { rdns, name }: Info) => `${family}:${words(rdns) || words(name)}`;

const evmWallet = (info: Info, provider: EvmProvider): BrowserWallet => ({
  id: idOf('evm', info),
  family: 'evm',
  name: words(info.name) || words(info.rdns),
  icon: picture(info.icon),
  load: async () => (await import('./evm')).payByEvm(provider),
});

const tronWallet = (info: Info, provider: TronProvider): BrowserWallet => ({
  id: idOf('tron', info),
  family: 'tron',
  name: words(info.name) || words(info.rdns),
  icon: picture(info.icon),
  load: async () => (await import('./tron')).payByTron(provider, () => (window as unknown as Globals).tronWeb),
});

const solanaWallet = (wallet: SolanaWallet): BrowserWallet => ({
  id: idOf('solana', { name: wallet.name }),
  family: 'solana',
  name: words(wallet.name),
  icon: picture(wallet.icon),
  load: async () => {
    const [{ payBySolana }, { base58 }] = await Promise.all([import('./solana'), import('@scure/base')]);
    return (payment, onStep) => {
      const query = (account: string) => String(new URLSearchParams({ account, currency: payment.currency }));
      const ask = async (account: string): Promise<SolanaDraftAnswer> => {
        const answer = await fetch(`/pay/${payment.sessionId}/solana-payment?${query(account)}`, { cache: 'no-store' });
        return answer.ok ? ((await answer.json()) as SolanaDraftAnswer) : { fault: { why: 'unavailable' } };
      };
      return payBySolana(wallet, ask, base58.encode)(payment, onStep);
    };
  },
});

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
