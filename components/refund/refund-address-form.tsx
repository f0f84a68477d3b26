// The page on which the customer of a paid order gives an address for refunds.

import { getWords } from '@/lib/i18n/translate';
import type { AddressCheck, RefundRoute } from '@/lib/refunds/customer-address/page';
import { AddressForm } from './address-form';
import { AddressStep, typedQuery } from './address-step';
import { Frame } from './frame';

type Props = {
  readonly sessionId: string;
  readonly route: RefundRoute;
  /** The result for the typed address; null before anything was typed. */
  readonly check: AddressCheck | null;
  /** The last signature was refused. */
  readonly isSignatureRefused: boolean;
};

export async function RefundAddressForm({ sessionId, route, check, isSignatureRefused }: Props) {
  const words = await getWords();
  const { t } = words;
  const { network, currency } = route;
  const { name } = words.network(network);
  const path = `/pay/${sessionId}/refund-address`;
  const isUnsignedTaken = route.addressEntry === 'here';
  const { isConfirmedByShop } = route;
  return (
    <Frame
      storeName={route.storeName}
      logo={route.logo}
      brand={route.brand}
      isTest={route.environment === 'test'}
      reference={sessionId}
      support={route.supportContact === null ? null : { contact: route.supportContact, reference: sessionId }}
      query={typedQuery(check)}
    >
      <h1>{t('refundAddressTitle')}</h1>
      {check === null ? (
        <>
          <p className="hint">{t('refundAddressAdvice', { currency, network: name })}</p>
          {!isUnsignedTaken && <p className="hint">{t('refundSignElsewhere')}</p>}
          <AddressForm action={path} network={network} currency={currency} />
        </>
      ) : (
        <AddressStep
          {...{ check, path, network, currency }}
          saving={{ isUnsignedTaken, isConfirmedByShop, isSignatureRefused }}
        />
      )}
      <a className="leave" href={`/pay/${sessionId}`}>
        {t('refundAddressBack')}
      </a>
    </Frame>
  );
}
