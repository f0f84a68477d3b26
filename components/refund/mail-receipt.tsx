// The form that mails the receipt; open when the last try was refused, so that the customer can correct the address.

import { getWords } from '@/lib/i18n/translate';

type Props = {
  readonly sessionId: string;
  /** The result of the last try, from the page's query. */
  readonly result: unknown;
};

export async function MailReceipt({ sessionId, result }: Props) {
  const { t } = await getWords();
  if (result === 'sent' || result === 'used_up') {
    return (
      <p
        className={result === 'sent' ? 'notice notice-good receipt-mail' : 'notice receipt-mail'}
        role="status"
        id="receipt-mail"
      >
        {t(result === 'sent' ? 'receiptMailSent' : 'receiptMailUsedUp')}
      </p>
    );
  }
  const isInvalid = result === 'invalid';
  return (
    <details className="fold receipt-mail" id="receipt-mail" open={isInvalid}>
      <summary>{t('receiptMail')}</summary>
      <form className="address-form" method="post" action={`/pay/${sessionId}/receipt/mail`}>
        <label className="label" htmlFor="receipt-mail-address">
          {t('receiptMailAddress')}
        </label>
        <input
          id="receipt-mail-address"
          name="email"
          type="email"
          required
          maxLength={254}
          autoComplete="email"
          dir="ltr"
          aria-invalid={isInvalid || undefined}
          aria-describedby={isInvalid ? 'receipt-mail-error' : undefined}
        />
        {isInvalid && (
          <p className="field-error" id="receipt-mail-error" role="alert">
            {t('receiptMailInvalid')}
          </p>
        )}
        <button className="button-quiet" type="submit">
          {t('receiptMailSend')}
        </button>
      </form>
    </details>
  );
}
