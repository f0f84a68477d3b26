// Where the money of the only store of an installation goes: straight to its own wallet. Nothing is paid out; the refund wallet has to be funded.

import { Network } from '@/components/dashboard/payments/status';
import { Address } from '@/components/ui/address';
import { Card, Note } from '@/components/ui/card';
import type { DirectNetwork } from '@/lib/dashboard/payouts/direct';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

type Props = { readonly words: DashboardWords; readonly networks: readonly DirectNetwork[] };

export function DirectSettlement({ words: { t, format }, networks }: Props) {
  if (networks.length === 0)
    return (
      <Note tone="warn" title={t('dirNoneTitle')}>
        {t('dirNoneText')}
      </Note>
    );
  return (
    <>
      <Card title={t('dirTitle')} text={t('dirText')}>
        <ul className="grid gap-4" data-direct={networks.length}>
          {networks.map(({ network, address }) => (
            <li key={network} className="grid gap-1 border-t border-line pt-4 first:border-0 first:pt-0">
              <span className="font-semibold">
                <Network name={network} />
              </span>
              <div className="flex">
                <Address text={address} />
              </div>
            </li>
          ))}
        </ul>
      </Card>
      <Card title={t('dirRefundTitle')} text={t('dirRefundText')}>
        <ul className="grid gap-4">
          {networks.map(({ network, refundWallet }) => (
            <li key={network} className="grid gap-1 border-t border-line pt-4 first:border-0 first:pt-0">
              <span className="font-semibold">
                <Network name={network} />
              </span>
              {refundWallet ? (
                <>
                  <div className="flex">
                    <Address text={refundWallet.address} />
                  </div>
                  <span className="text-[0.8125rem] text-muted" data-refund-wallet={network}>
                    {t('dirHolds', {
                      amounts: format.list(
                        refundWallet.tokens.map(({ amount, currency }) => format.money(amount, currency)),
                      ),
                    })}
                  </span>
                </>
              ) : (
                <span className="text-[0.8125rem] text-muted">{t('dirUnread')}</span>
              )}
            </li>
          ))}
        </ul>
      </Card>
    </>
  );
}
