// The step between typing an address and saving it: shows the address for comparison, or why it is refused. On a
// payment's page the wallet that paid may sign for the address.

import { Address } from '@/components/ui/address';
import { getWords, type Words } from '@/lib/i18n/translate';
import type { AddressCheck, Signing } from '@/lib/refunds/customer-address/page';
import { AddressForm } from './address-form';
import { SignAddress } from './sign-address';
import { signTexts } from './sign-texts';

type Props = {
  readonly check: AddressCheck;
  /** The path of the page that shows this; a confirmation goes to `give` below it. */
  readonly path: string;
  readonly network: string;
  /** The token that would be sent. */
  readonly currency: string;
  readonly saving?: Saving;
};

/** How a payment's page saves the address. */
type Saving = {
  /** This browser may save it without a signature. */
  readonly isUnsignedTaken: boolean;
  /** The shop has to confirm an address that was saved this way. */
  readonly isConfirmedByShop: boolean;
  /** The last signature was refused. */
  readonly isSignatureRefused: boolean;
};

/** A claim link comes from the shop. */
const BY_CLAIM: Saving = { isUnsignedTaken: true, isConfirmedByShop: false, isSignatureRefused: false };

export async function AddressStep({ check, path, network, currency, saving = BY_CLAIM }: Props) {
  const words = await getWords();
  if (check.refusal === null) return <Confirm {...{ shown: check, path, network, currency, saving, words }} />;
  return (
    <AddressForm
      action={path}
      network={network}
      currency={currency}
      typed={check.typed}
      error={refusalText(check.refusal, { network, currency, words })}
    />
  );
}

/** The page's query that repeats the same check, for the switch of language. */
export function typedQuery(check: AddressCheck | null): Readonly<Record<string, string>> {
  if (check === null) return {};
  return { address: check.refusal === null ? check.address : check.typed };
}

type Shown = Extract<AddressCheck, { refusal: null }>;
type Where = { readonly network: string; readonly currency: string; readonly words: Words };

type ConfirmProps = Where & { readonly shown: Shown; readonly path: string; readonly saving: Saving };

function Confirm({ shown, path, network, currency, saving, words }: ConfirmProps) {
  const { t } = words;
  const { name, standard } = words.network(network);
  // The payer's address needs no signature where the browser is the customer's.
  const isPayers = shown.signing?.signer === shown.address;
  const signing = isPayers && saving.isUnsignedTaken ? null : shown.signing;
  return (
    <section className="address-confirm" aria-labelledby="address-confirm">
      <h2 id="address-confirm">{t('refundAddressConfirm')}</h2>
      <p className="label">{name}</p>
      <div className="row">
        <Address text={shown.address} />
      </div>
      <p>{t('refundAddressConfirmText', { currency, network: name, standard })}</p>
      <p className="notice">{t('refundAddressFinal')}</p>
      {saving.isSignatureRefused && (
        <p className="field-error" role="alert">
          {t('refundSignRefused')}
        </p>
      )}
      <form method="post" action={`${path}/give`} className="address-save">
        <input type="hidden" name="shown" value={shown.seal} />
        {shown.isContract && (
          <>
            <p className="notice">{t('addressContract', { currency, network: name })}</p>
            <label className="check">
              <input type="checkbox" name="contract" value="yes" required />{' '}
              {t('addressContractConfirm', { currency, network: name })}
            </label>
          </>
        )}
        {saving.isConfirmedByShop && saving.isUnsignedTaken && !isPayers && (
          <p className="hint">{t('refundAddressByShop')}</p>
        )}
        <div className="actions">
          {saving.isUnsignedTaken && (
            <button className="button" type="submit">
              {t('refundAddressSave')}
            </button>
          )}
          <a className="button-quiet" href={path}>
            {t('refundAddressOther')}
          </a>
        </div>
        {signing && <Sign {...{ signing, saving, words }} />}
      </form>
    </section>
  );
}

function Sign({ signing, saving, words }: { signing: Signing; saving: Saving; words: Words }) {
  const { t } = words;
  return (
    <div className="address-sign">
      <div className="needs-scripts">
        <p className="hint">{t('refundSignText')}</p>
        <SignAddress {...signing} words={signTexts(words, signing)} isPrimary={!saving.isUnsignedTaken} />
      </div>
      {!saving.isUnsignedTaken && <p className="hint">{t('refundAddressElsewhere')}</p>}
    </div>
  );
}

function refusalText(refusal: NonNullable<AddressCheck['refusal']>, { network, currency, words }: Where): string {
  const { t } = words;
  const { name } = words.network(network);
  switch (refusal) {
    case 'malformed':
      return t('addressMalformed', { network: name });
    case 'checksum':
      return t('addressChecksum');
    case 'other_network':
      return t('addressOtherNetwork', { network: name });
    case 'token_contract':
      return t('addressTokenContract');
    case 'zero':
      return t('addressZero');
    case 'ours':
      return t('addressOurs');
    case 'cannot_receive':
      return t('addressCannotReceive', { currency, network: name });
    case 'unchecked':
      return t('addressUnchecked');
  }
}
