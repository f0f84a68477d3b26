// Marks of the product, tokens and networks, drawn by us on a grid of 24. Decoration only: the names stand beside them.

import type { ReactNode } from 'react';

/** The same as the tab's icon. */
export const ProductMark = () => (
  <svg className="product-mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#1a56c4" />
    <path d="M9 12h14M9 20h14M16 8v16" stroke="#fff" strokeWidth="3" strokeLinecap="round" fill="none" />
  </svg>
);

/** A token without its own mark shows its first letter; a network without one shows nothing. */
export function MethodMark({ currency, network }: { readonly currency: string; readonly network: string }) {
  const badge = NETWORKS[network];
  return (
    <span className="method-mark" aria-hidden="true">
      <TokenMark currency={currency} />
      {badge && <svg viewBox="-4 -4 32 32">{badge}</svg>}
    </span>
  );
}

export function TokenMark({ currency }: { readonly currency: string }) {
  const sign = TOKENS[currency];
  return (
    <svg className={`token-mark token-${currency.toLowerCase()}`} viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="12" />
      {sign ?? (
        <text x="12" y="16.5" textAnchor="middle">
          {currency[0]}
        </text>
      )}
    </svg>
  );
}

/** Null where the network has no mark of its own. */
export function NetworkMark({ network }: { readonly network: string }) {
  const mark = NETWORKS[network];
  return mark ? (
    <svg className="network-mark" viewBox="0 0 24 24" aria-hidden="true">
      {mark}
    </svg>
  ) : null;
}

const TOKENS: Readonly<Record<string, ReactNode>> = {
  USDT: <path d="M6.5 6.5h11v3h-4V18h-3V9.5h-4z" />,
  USDC: (
    <text x="12" y="17" textAnchor="middle">
      $
    </text>
  ),
};

const NETWORKS: Readonly<Record<string, ReactNode>> = {
  arbitrum: <path d="M12 3l8 18h-3.6L12 11l-4.4 10H4z" />,
  base: <path d="M12 2a10 10 0 1 1-9.9 11.2h12.4v-2.4H2.1A10 10 0 0 1 12 2z" />,
  bsc: <path d="M12 2l4 4-4 4-4-4zM12 14l4 4-4 4-4-4zM5 9l3 3-3 3-3-3zM19 9l3 3-3 3-3-3z" />,
  ethereum: <path d="M12 2l6 10-6 3.5L6 12zM6 13.8l6 3.5 6-3.5L12 22z" />,
  polygon: (
    <path d="M12 2l8.7 5v10L12 22l-8.7-5V7zM12 6.6 7.3 9.3v5.4l4.7 2.7 4.7-2.7V9.3z" fillRule="evenodd" stroke="none" />
  ),
  tron: (
    <path
      d="M3 4l14 2.5 4 4L10.5 21zM3 4l9 7.5 9-1M12 11.5 10.5 21M12 11.5l5-5"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinejoin="round"
    />
  ),
  solana: <path d="M7 5h14l-4 3.5H3zM3 10.2h14l4 3.5H7zM7 15.5h14l-4 3.5H3z" />,
};
