// The page behind the link of a mail about a payout address. Opening it changes nothing, because mail scanners open links: a button stops
// the address, without sign-in and without scripts.

import { AccountCard } from '@/components/dashboard/account/frame';
import { Address } from '@/components/ui/address';
import { Badge } from '@/components/ui/badge';
import { Button, ButtonLink } from '@/components/ui/button';
import { services } from '@/lib/api/services';
import { getDashboardWords, titled, type DashboardWords } from '@/lib/i18n/dashboard-words';
import { dashboardNetwork } from '@/lib/i18n/dashboard-network';
import { networkFacts } from '@/lib/networks/networks';
import { displayAddress } from '@/lib/networks/payment-uri';
import { readByStopToken, type LinkedAddress } from '@/lib/payouts/addresses/stop';
import { unixSeconds } from '@/lib/platform/clock';

export const generateMetadata = titled('padTitle');

type Props = { readonly params: Promise<{ token: string }> };

export default async function StopPayoutAddressPage({ params }: Props) {
  const { token } = await params;
  const [words, linked] = await Promise.all([getDashboardWords(), readByStopToken(services().pool, token)]);
  const { t, format } = words;
  if (!linked)
    return (
      <AccountCard title={t('padLinkUnknownTitle')} text={t('padLinkUnknownText')}>
        <DashboardLink t={t} />
      </AccountCard>
    );
  const about = { store: linked.storeName, network: dashboardNetwork(t, linked.network) };
  if (linked.stoppedAt !== null) {
    const time = format.second(unixSeconds(linked.stoppedAt));
    return (
      <AccountCard title={t('padLinkDoneTitle')} text={t('padLinkDoneText', { ...about, time })}>
        <Linked linked={linked} t={t} />
        <p className="text-muted">{t('padLinkDoneNext')}</p>
        <DashboardLink t={t} />
      </AccountCard>
    );
  }
  const time = format.second(unixSeconds(linked.payAfter));
  return (
    <AccountCard title={t('padLinkTitle')} text={t('padLinkText', { ...about, time })}>
      <Linked linked={linked} t={t} />
      <p className="text-muted">{t('padLinkWhat')}</p>
      <form method="post" action={`/payout-addresses/stop/${token}/confirm`}>
        <Button kind="danger" type="submit" isWide>
          {t('padLinkStop')}
        </Button>
      </form>
    </AccountCard>
  );
}

function Linked({ linked, t }: { linked: LinkedAddress; t: DashboardWords['t'] }) {
  const { network, environment, address } = linked;
  const facts = networkFacts(network);
  return (
    <div className="grid gap-2">
      {environment === 'test' && (
        <div>
          <Badge tone="warn">{t('navTest')}</Badge>
        </div>
      )}
      <Address text={facts ? displayAddress(facts.family, address) : address} />
    </div>
  );
}

const DashboardLink = ({ t }: { t: DashboardWords['t'] }) => (
  <ButtonLink href="/dashboard" isWide>
    {t('padLinkDashboard')}
  </ButtonLink>
);
