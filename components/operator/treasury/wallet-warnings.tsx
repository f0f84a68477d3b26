// Own wallets of a network that an issuer blocks, or whose permissions changed: which wallet, what that means, and what to do.

import type { ReactNode } from 'react';
import { Note } from '@/components/ui/card';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { NetworkTreasury } from '@/lib/dashboard/operator/treasury/read';

type Warning = NetworkTreasury['warnings'][number];

export function WalletWarnings({ words: { t }, warnings }: { words: DashboardWords; warnings: readonly Warning[] }) {
  const note = (one: Warning, what: string, title: string, text: ReactNode) => (
    <div key={`${one.address} ${what}`} className="px-4 pb-4 sm:px-5">
      <Note tone="warn" title={title}>
        <p className="break-all">
          {t(`ownWallet_${one.role}`)}: {one.address}
        </p>
        {text}
      </Note>
    </div>
  );
  return warnings.flatMap((one) => [
    ...one.blocked.map((currency) =>
      note(one, currency, `${t('alarmWalletBlocked')} · ${currency}`, <p>{t('alarmWalletBlockedText')}</p>),
    ),
    one.change !== null &&
      note(
        one,
        one.change,
        `${t('alarmWalletPermissions')} · ${t(`ownWallet_${one.change}`)}`,
        <>
          {one.permissions.map(({ id, threshold, keys }) => (
            <p key={id} className="break-all">
              {t('ownWalletKeys', {
                threshold: String(threshold),
                keys: keys.map(({ address, weight }) => `${address} (${weight})`).join(', '),
              })}
            </p>
          ))}
          <p>{t('alarmWalletPermissionsText')}</p>
        </>,
      ),
  ]);
}
