// The page behind a claim link: the shop, the refund, and the address that it waits for, or its progress since.

import { Address } from '@/components/ui/address';
import { unixSeconds } from '@/lib/platform/clock';
import { getWords, type Words } from '@/lib/i18n/translate';
import { centsToText } from '@/lib/money/amounts';
import type { AddressCheck } from '@/lib/refunds/customer-address/page';
import type { Claim } from '@/lib/refunds/customer-address/from-claim-link';
import { AddressForm } from './address-form';
import { AddressStep, typedQuery } from './address-step';
import { Frame } from './frame';

type Props = {
  /** Excludes an expired claim that was not used. */
  readonly claim: Claim;
  readonly token: string;
  /** The result for the typed address; null before anything was typed. */
  readonly check: AddressCheck | null;
};

export async function ClaimPage({ claim, token, check }: Props) {
  const words = await getWords();
  const { t, amount } = words;
  const { network, currency } = claim;
  const path = `/claim/${token}`;
  return (
    <Frame
      storeName={claim.storeName}
      logo={claim.logo}
      brand={claim.brand}
      isTest={claim.environment === 'test'}
      // The order's own page reveals more than this link does.
      reference={null}
      support={claim.supportContact === null ? null : { contact: claim.supportContact, reference: claim.orderId }}
      query={claim.state === 'open' ? typedQuery(check) : {}}
    >
      <h1 data-claim={claim.state}>
        {t.rich('claimHeadline', {
          store: () => <bdi>{claim.storeName}</bdi>,
          amount: amount(centsToText(claim.amount)),
          currency,
        })}
      </h1>
      <ClaimSteps at={stepOf(claim, check)} words={words} />
      {claim.state === 'open' ? (
        <>
          {check === null ? (
            <>
              <p>{t('claimText', { network: words.network(network).name })}</p>
              <AddressForm action={path} network={network} currency={currency} />
            </>
          ) : (
            <AddressStep check={check} path={path} network={network} currency={currency} />
          )}
          <p className="hint">{t('claimExpires', { time: words.time(unixSeconds(claim.expiresAt)) })}</p>
        </>
      ) : (
        <Outcome claim={claim} words={words} />
      )}
    </Frame>
  );
}

/** The address, its comparison, and the refund: 0 to 2, and 3 once it is sent. Null if nothing will be sent. */
function stepOf({ state, status, address }: Claim, check: AddressCheck | null): number | null {
  if (status === 'failed' || status === 'canceled') return null;
  if (status === 'completed') return 3;
  if (state !== 'open') return address === null ? null : SENDING;
  return check !== null && check.refusal === null ? 1 : 0;
}

/** The step that stays open until the refund is sent. */
const SENDING = 2;

function ClaimSteps({ at, words: { t } }: { at: number | null; words: Words }) {
  if (at === null) return null;
  return (
    <ol className="steps claim-steps">
      {(['refundAddressTitle', 'refundAddressConfirm', 'refundSent'] as const).map((key, n) => (
        <li
          key={key}
          className={n < at || (n === at && n < SENDING) ? 'step-done' : undefined}
          aria-current={n === at ? 'step' : undefined}
        >
          {t(key)}
        </li>
      ))}
    </ol>
  );
}

function Outcome({ claim, words }: { claim: Claim; words: Words }) {
  const { t } = words;
  return (
    <section id="refund-address" role="status" className="refund-address">
      <p className="headline">{headline(claim, words)}</p>
      {claim.address !== null && isSentToAddress(claim) && (
        <div className="row">
          <Address text={claim.address} />
        </div>
      )}
      {claim.status === 'processing' && claim.address !== null && <p className="hint">{t('claimGivenText')}</p>}
      {claim.receiptNumber !== null && (
        <p>
          <a className="button-quiet" href={`/receipt/${claim.receiptNumber}`}>
            {t('receipt')}
          </a>
        </p>
      )}
    </section>
  );
}

/** Nothing goes to the address if the refund failed or was canceled. */
const isSentToAddress = ({ status }: Claim): boolean => status !== 'failed' && status !== 'canceled';

function headline({ status, address, network }: Claim, { t, network: names }: Words): string {
  switch (status) {
    case 'pending':
    case 'processing':
      return address === null ? t('claimUnderway') : t('claimGiven', { network: names(network).name });
    case 'completed':
      return t('claimSent');
    case 'failed':
      return t('claimFailed');
    case 'canceled':
      return t('claimCanceled');
  }
}
