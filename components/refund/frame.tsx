// The frame of a page about money that goes back: whose shop it is, the one thing to do, and the switch of languages.

import type { ReactNode } from 'react';
import { LanguageSwitch } from '@/components/ui/language-switch';
import { getWords } from '@/lib/i18n/translate';

type Props = {
  readonly storeName: string;
  readonly isTest: boolean;
  /** What the customer may quote to the shop; null where the page's address is a secret. */
  readonly reference: string | null;
  /** The rest of the page's query, which a switch of language keeps. */
  readonly query?: Readonly<Record<string, string>>;
  readonly children: ReactNode;
};

export async function Frame({ storeName, isTest, reference, query, children }: Props) {
  const { t } = await getWords();
  return (
    <div className="refund-page">
      <header>
        <Store name={storeName} badge={isTest ? { text: t('testBadge'), title: t('testExplained') } : null} />
      </header>
      <main className="panel">{children}</main>
      <footer className="foot">
        {reference !== null && (
          <p>
            <span>{t('reference')}</span>{' '}
            <code dir="ltr" translate="no">
              {reference}
            </code>
          </p>
        )}
        <LanguageSwitch {...(query ? { query } : {})} />
      </footer>
    </div>
  );
}

function Store({ name, badge }: { name: string; badge: { text: string; title: string } | null }) {
  return (
    <p className="store">
      <span className="store-mark" aria-hidden="true">
        {[...name.trim()][0]}
      </span>
      <bdi>{name}</bdi>
      {badge && (
        <span className="badge" title={badge.title}>
          {badge.text}
        </span>
      )}
    </p>
  );
}
