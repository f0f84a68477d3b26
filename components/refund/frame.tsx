// The frame of a page about money that goes back: the shop, the one action, and the switch of languages.

import type { ReactNode } from 'react';
import { LanguageSwitch } from '@/components/ui/language-switch';
import { StoreMark, type Logo } from '@/components/ui/store-mark';
import { SupportLink } from '@/components/ui/support-link';
import { getWords } from '@/lib/i18n/translate';
import type { Brand } from '@/lib/merchants/branding/logo-columns';
import { BrandStyle } from './brand-style';

type Props = {
  readonly storeName: string;
  readonly logo: Logo | null;
  readonly brand: Brand;
  readonly isTest: boolean;
  /** A reference that the customer may quote to the shop; null where the page's address is a secret. */
  readonly reference: string | null;
  /** The shop's contact and the reference for it; null if the shop has none, or nothing needs a question. */
  readonly support?: { readonly contact: string; readonly reference: string } | null;
  /** The rest of the page's query, which a switch of language keeps. */
  readonly query?: Readonly<Record<string, string>>;
  readonly children: ReactNode;
};

export async function Frame({ storeName, logo, brand, isTest, reference, support = null, query, children }: Props) {
  const { t } = await getWords();
  return (
    <div className="refund-page">
      <BrandStyle brand={brand} />
      <header>
        <Store
          name={storeName}
          logo={logo}
          badge={isTest ? { text: t('testBadge'), title: t('testExplained') } : null}
        />
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
        {support !== null && (
          <p>
            <span>{t('contact')}</span> <SupportLink {...support} />
          </p>
        )}
        <LanguageSwitch {...(query ? { query } : {})} />
      </footer>
    </div>
  );
}

type StoreProps = {
  readonly name: string;
  readonly logo: Logo | null;
  readonly badge: { readonly text: string; readonly title: string } | null;
};

function Store({ name, logo, badge }: StoreProps) {
  return (
    <p className="store">
      <StoreMark name={name} logo={logo} />
      <bdi>{name}</bdi>
      {badge && (
        <span className="badge" title={badge.title}>
          {badge.text}
        </span>
      )}
    </p>
  );
}
