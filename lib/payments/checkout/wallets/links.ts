// Links that open a payment in a wallet app. Some fill in the payment; others open our page in the wallet's browser, where one press
// pays. Pure. The links contain only values from the networks table and the session's address, all encoded.

import type { NetworkFamily } from '@/lib/networks/chain';
import { checksumAddress } from '@/lib/networks/families/evm/address';
import type { NetworkSpec } from '@/lib/networks/networks';

export type WalletLink = {
  /** Its name in the page's URL (`?wallet=`). */
  readonly id: string;
  /** Its display name. */
  readonly name: string;
  readonly kind: 'fills_in' | 'opens_page';
  readonly href: string;
};

export type LinkedPayment = {
  readonly spec: NetworkSpec;
  readonly currency: string;
  /** The deposit address as wallets write it. */
  readonly recipient: string;
  /** Base units of the token. */
  readonly units: bigint;
  /** The same in whole tokens, decimal text. */
  readonly amount: string;
  /** Absolute URL of the page of this payment. */
  readonly pageUrl: string;
};

/** The links for a payment, those that fill it in first. Throws RangeError for a token that the network does not have. */
export function walletLinks(payment: LinkedPayment): WalletLink[] {
  const token = payment.spec.tokens[payment.currency]?.contract;
  if (token === undefined) throw new RangeError(`${payment.spec.network} has no ${payment.currency}`);
  return WALLETS[payment.spec.family].flatMap(({ id, name, kind, link }) => {
    const href = link(payment, token);
    return href === null ? [] : [{ id, name, kind, href }];
  });
}

type Wallet = Omit<WalletLink, 'href'> & {
  /** Null where the wallet has no such link for this chain. */
  readonly link: (payment: LinkedPayment, token: string) => string | null;
};

const enc = encodeURIComponent;

const metaMask: Wallet = {
  id: 'metamask',
  name: 'MetaMask',
  kind: 'fills_in',
  link: ({ spec, recipient, units }, token) =>
    `https://link.metamask.io/send/${checksumAddress(token)}@${spec.chainId}/transfer?address=${recipient}&uint256=${units}`,
};

const trust: Wallet = {
  id: 'trust',
  name: 'Trust Wallet',
  kind: 'fills_in',
  link: ({ spec, recipient, amount }, token) => {
    // It knows only the main networks.
    if (spec.chain !== 'mainnet' || spec.trustWalletCoin === null) return null;
    const asset = `c${spec.trustWalletCoin}_t${spec.family === 'evm' ? checksumAddress(token) : token}`;
    return `https://link.trustwallet.com/send?asset=${asset}&address=${recipient}&amount=${amount}`;
  },
};

const okx: Wallet = {
  id: 'okx',
  name: 'OKX Wallet',
  kind: 'opens_page',
  link: ({ pageUrl }) =>
    `https://web3.okx.com/download?deeplink=${enc(`okx://wallet/dapp/url?dappUrl=${enc(pageUrl)}`)}`,
};

const coinbase: Wallet = {
  id: 'coinbase',
  name: 'Coinbase Wallet',
  kind: 'opens_page',
  link: ({ pageUrl }) => `https://go.cb-w.com/dapp?cb_url=${enc(pageUrl)}`,
};

const phantom: Wallet = {
  id: 'phantom',
  name: 'Phantom',
  kind: 'opens_page',
  link: ({ pageUrl }) => `https://phantom.app/ul/browse/${enc(pageUrl)}?ref=${enc(new URL(pageUrl).origin)}`,
};

const tronLink: Wallet = {
  id: 'tronlink',
  name: 'TronLink',
  kind: 'opens_page',
  link: ({ pageUrl }) => {
    const request = { url: pageUrl, action: 'open', protocol: 'TronLink', version: '1.0' };
    return `tronlinkoutside://pull.activity?param=${enc(JSON.stringify(request))}`;
  },
};

const WALLETS: Readonly<Record<NetworkFamily, readonly Wallet[]>> = {
  evm: [metaMask, trust, okx, coinbase],
  tron: [trust, tronLink, okx],
  solana: [trust, phantom, okx],
};
