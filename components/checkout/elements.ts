// The custom elements that the server renders for components/checkout/browser, with their data in `data-`.

import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { PayFault, PayStep } from '@/lib/payments/checkout/browser/payment';

/** Texts that still contain `{wallet}` and `{balance}`: only the browser knows these values. */
export type WalletTexts = Readonly<Record<PayStep | PayFault['why'] | 'here' | 'pay' | 'sent', string>> & {
  /** Per family: "use it to pay on …", with the address of the page that offers it. */
  readonly elsewhere: readonly { readonly family: string; readonly text: string; readonly href: string }[];
};

/** What is reported to the shop's page. */
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
