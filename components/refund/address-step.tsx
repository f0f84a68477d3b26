// The step between typing an address and saving it: the address shown back for comparison, or why it cannot be taken.

import { Address } from '@/components/ui/address';
import { getWords, type Words } from '@/lib/i18n/translate';
import type { AddressCheck } from '@/lib/refunds/address-page';
import { AddressForm } from './address-form';

type Props = {
  readonly check: AddressCheck;
  /** The path of the page that shows this; what is confirmed goes to `give` below it. */
  readonly path: string;
  readonly network: string;
  /** The token that would be sent. */
  readonly currency: string;
};

export async function AddressStep({ check, path, network, currency }: Props) {
  const words = await getWords();
  if (check.refusal === null) return <Confirm {...{ shown: check, path, network, currency, words }} />;
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

/** The page's query that asks for the same check again, for the switch of language. */
export function typedQuery(check: AddressCheck | null): Readonly<Record<string, string>> {
  if (check === null) return {};
  return { address: check.refusal === null ? check.address : check.typed };
}

type Shown = Extract<AddressCheck, { refusal: null }>;
type Where = { readonly network: string; readonly currency: string; readonly words: Words };

function Confirm({ shown, path, network, currency, words }: Where & { readonly shown: Shown; readonly path: string }) {
  const { t } = words;
  const { name, standard } = words.network(network);
  return (
    <section className="address-confirm" aria-labelledby="address-confirm">
      <h2 id="address-confirm">{t('refundAddressConfirm')}</h2>
      <p className="label">{name}</p>
      <div className="row">
        <Address text={shown.address} />
      </div>
      <p>{t('refundAddressConfirmText', { currency, network: name, standard })}</p>
      <p className="notice">{t('refundAddressFinal')}</p>
      <form method="post" action={`${path}/give`} className="actions">
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
        <button className="button" type="submit">
          {t('refundAddressSave')}
        </button>
        <a className="button-quiet" href={path}>
          {t('refundAddressOther')}
        </a>
      </form>
    </section>
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
