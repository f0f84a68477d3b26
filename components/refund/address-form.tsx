// The form for the customer's own address. It only has the server check the text and changes nothing. So it is a GET
// form, which works without scripts and may be repeated.

import { getWords } from '@/lib/i18n/translate';
import { PasteButton } from './paste-button';

type Props = {
  /** The page that shows the address for comparison. */
  readonly action: string;
  readonly network: string;
  readonly currency: string;
  readonly typed?: string;
  /** Why the typed text was refused, in words. */
  readonly error?: string;
};

/** Longer than any address; longer input is a mistake. */
const LONGEST_ADDRESS = 200;
const FIELD = 'refund-address-field';

export async function AddressForm({ action, network, currency, typed, error }: Props) {
  const words = await getWords();
  const { t } = words;
  const { name, standard } = words.network(network);
  return (
    <form method="get" action={action} className="address-form">
      <label className="label" htmlFor={FIELD}>
        {t('refundAddressLabel', { network: name, standard })}
      </label>
      <div className="address-field">
        <input
          id={FIELD}
          name="address"
          defaultValue={typed}
          required
          maxLength={LONGEST_ADDRESS}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          dir="ltr"
          aria-invalid={error !== undefined || undefined}
          aria-describedby={error === undefined ? 'refund-address-hint' : 'refund-address-error refund-address-hint'}
        />
        <PasteButton field={FIELD} text={t('paste')} />
      </div>
      {error !== undefined && (
        <p className="field-error" id="refund-address-error" role="alert">
          {error}
        </p>
      )}
      <p className="hint" id="refund-address-hint">
        {t('refundAddressHint', { currency, network: name })}
      </p>
      <button className="button" type="submit">
        {t('refundAddressCheck')}
      </button>
    </form>
  );
}
