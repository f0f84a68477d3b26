// The page's own elements, as the server draws them for components/checkout/browser: each holds what it needs in `data-`.

import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { PayFault, PayStep } from '@/lib/payments/checkout/browser/payment';

/** Texts with `{wallet}` and `{balance}` still in them: the names are known to the browser only. */
export type WalletWords = Readonly<Record<PayStep | PayFault['why'] | 'here' | 'pay' | 'sent', string>> & {
  /** By family: "use it to pay on …", with the address of the page that offers it. */
  readonly elsewhere: readonly { readonly family: string; readonly text: string; readonly href: string }[];
};

/** What the shop's page is told. */
export type Report = { readonly session_id: string; readonly status: string; readonly payment_status: string };

type OwnElement = DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement>;

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'auto-return': OwnElement;
      'browser-wallets': OwnElement;
      'copy-text': OwnElement;
      'live-status': OwnElement;
      'local-hour': OwnElement;
      'status-report': OwnElement;
    }
  }
}
