// The texts of the wallet signature button, in the visitor's language. Only the browser knows the wallet's name, so a
// placeholder stands for it.

import type { Words } from '@/lib/i18n/translate';
import type { Signing } from '@/lib/refunds/customer-address/page';
import { shortAddress } from './short-address';
import type { SignTexts } from './sign-address';

export function signTexts({ t }: Words, { signer }: Signing): SignTexts {
  const wallet = '{wallet}';
  return {
    button: t('refundSign'),
    here: t('walletsHere'),
    connect: t('walletConnect', { wallet }),
    confirm: t('refundSignConfirm', { wallet }),
    rejected: t('walletRejected', { wallet }),
    busy: t('walletBusy', { wallet }),
    locked: t('walletLocked', { wallet }),
    other_account: t('refundSignAccount', { wallet, payer: `\u2068${shortAddress(signer)}\u2069` }),
    unclear: t('refundSignFailed'),
    none: t('refundSignNone'),
  };
}
