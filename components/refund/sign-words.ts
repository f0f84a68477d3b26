// The words of the button that has a wallet sign, in the visitor's language. The name of the wallet, which only the browser learns,
// stays as a mark to be filled there.

import type { Words } from '@/lib/i18n/translate';
import type { Signing } from '@/lib/refunds/customer-address/page';
import { shortAddress } from './short-address';
import type { SignWords } from './sign-address';

export function signWords({ t }: Words, { signer }: Signing): SignWords {
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
