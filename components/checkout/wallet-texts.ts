// The texts for the wallets of the browser, in the visitor's language. The server renders them, so browsers load no
// catalogue. Only the browser knows names and balances; it fills the placeholders.

import { methodName, switchedMethod } from '@/lib/payments/checkout/stage';
import type { Words } from '@/lib/i18n/translate';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { PayMethod } from '@/lib/payments/checkout/view';
import type { BrowserPayment } from '@/lib/payments/checkout/browser/payment';
import type { WalletTexts } from './elements';

const MARK = { wallet: '{wallet}', balance: '{balance}' } as const;

type WalletTextOptions = {
  readonly payment: BrowserPayment;
  readonly method: PayMethod;
  readonly methods: readonly PayMethod[];
  readonly specs: readonly NetworkSpec[];
};

/** The texts for this payment; `methods` and `specs` are the other offers. */
export function walletTexts(
  { t, network }: Pick<Words, 't' | 'network'>,
  { payment, method, methods, specs }: WalletTextOptions,
): WalletTexts {
  const { wallet, balance } = MARK;
  const { amount, currency, coin } = payment;
  const { name } = network(payment.network);
  return {
    here: t('walletsHere'),
    pay: t('payWithWallet', { wallet }),
    preparing: t('walletPreparing'),
    connect: t('walletConnect', { wallet }),
    switch: t('walletSwitch', { wallet, network: name }),
    confirm: t('walletConfirm', { wallet, amount, currency }),
    sent: t('walletSent', { wallet }),
    rejected: t('walletRejected', { wallet }),
    busy: t('walletBusy', { wallet }),
    locked: t('walletLocked', { wallet }),
    wrong_network: t('walletWrongNetwork', { wallet, network: name }),
    no_funds: t('walletNoFunds', { network: name, currency, balance, amount }),
    no_coin: t('walletNoCoin', { network: name, coin: coin.symbol }),
    changed: t('walletChanged'),
    unavailable: t('walletUnavailable'),
    unclear: t('walletFailed', { wallet }),
    elsewhere: elsewhere(method, { methods, specs }).map(({ family, to }) => ({
      family,
      text: t('walletElsewhere', { wallet, network: network(to.network).name }),
      href: `?method=${methodName(to)}`,
    })),
  };
}

/** For each other family, the first method that its wallets can pay with. */
function elsewhere(method: PayMethod, { methods, specs }: Pick<WalletTextOptions, 'methods' | 'specs'>) {
  const own = specs.find(({ network }) => network === method.network)?.family;
  const families = [...new Set(specs.map(({ family }) => family))].filter((family) => family !== own);
  return families.flatMap((family) => {
    const network = specs.find((spec) => spec.family === family)?.network;
    const to = network === undefined ? null : switchedMethod(methods, method, { network });
    return to ? [{ family, to }] : [];
  });
}
