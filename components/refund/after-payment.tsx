// The part below a paid order: its receipt by mail, and the refund address.

import { Address } from '@/components/ui/address';
import { getWords } from '@/lib/i18n/translate';
import type { RefundRoute } from '@/lib/refunds/customer-address/page';
import { AddressForm } from './address-form';
import { MailReceipt } from './mail-receipt';
import { shortAddress } from './short-address';

type Props = {
  readonly sessionId: string;
  /** Whether this browser may have the receipt mailed. */
  readonly isMailed: boolean;
  /** Where refunds of this payment go; null when no address can be given for it. */
  readonly route: RefundRoute | null;
  /** Whether a refund waits for an address, so that it does not go where refunds of this payment would go. */
  readonly isAwaited: boolean;
};

export function AfterPayment({ sessionId, isMailed, route, isAwaited }: Props) {
  return (
    <div className="after-payment">
      {isMailed && <MailReceipt sessionId={sessionId} result={null} />}
      {route && <RefundAddress {...{ sessionId, route, isAwaited }} />}
    </div>
  );
}

type RouteProps = Omit<Props, 'isMailed'> & { readonly route: RefundRoute };

async function RefundAddress({ sessionId, route, isAwaited }: RouteProps) {
  const { t, network } = await getWords();
  if (route.given !== null) {
    return (
      <section className="refund-address" id="refund-address" data-refund-address="given">
        <p>{t('refundAddressGiven', { network: network(route.network).name })}</p>
        <div className="row">
          <Address text={route.given} />
        </div>
        <p className="hint">{t('refundAddressGivenFinal')}</p>
      </section>
    );
  }
  // The destination of a refund that is being sent is already fixed.
  if (route.addressEntry === 'closed') return null;
  // The list of refunds explains it: through the shop's link.
  if (isAwaited && route.addressEntry !== 'here') return null;
  const payer = isAwaited ? null : route.payer;
  return (
    <details className="fold" id="refund-fold" open={isAwaited} data-refund-address={route.addressEntry}>
      <summary>
        {t('refundAddressTitle')} {payer !== null && <ShortAddress text={payer} />}
      </summary>
      {/* Browsers unfold it when the page's address targets it. */}
      <div className="refund-address" id="refund-address">
        {route.addressEntry === 'here' && payer === null && <p className="hint">{t('refundAddressUnknown')}</p>}
        <p className="hint">
          {t('refundAddressAdvice', { currency: route.currency, network: network(route.network).name })}
        </p>
        {route.addressEntry === 'elsewhere' && <p className="hint">{t('refundAddressElsewhere')}</p>}
        {route.addressEntry === 'signed' && <p className="hint">{t('refundSignElsewhere')}</p>}
        {route.addressEntry !== 'elsewhere' && (
          <AddressForm action={`/pay/${sessionId}/refund-address`} network={route.network} currency={route.currency} />
        )}
      </div>
    </details>
  );
}

/** The whole address is in the title. */
function ShortAddress({ text }: { text: string }) {
  return (
    <code dir="ltr" translate="no" title={text} data-payer={text}>
      {shortAddress(text)}
    </code>
  );
}
