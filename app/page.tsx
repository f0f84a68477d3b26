// The start page: says what this installation is and where to read on.

import { LanguageSwitch } from '@/components/ui/language-switch';
import { config } from '@/lib/config';
import { getWords } from '@/lib/i18n/translate';

export default async function HomePage() {
  const { t } = await getWords();
  const isSandbox = config().SANDBOX_ORIGIN !== undefined;
  return (
    <main className="message-page">
      <p className="product">{t('productName')}</p>
      <h1>{t('homeTitle')}</h1>
      <p>{t('homeText')}</p>
      <p>{t('homeCustomer')}</p>
      {isSandbox && <p className="notice">{t('homeSandbox')}</p>}
      <p className="actions">
        {isSandbox && (
          <a className="button" href="/shop">
            {t('homeShop')}
          </a>
        )}
        <a className={isSandbox ? 'button-quiet' : 'button'} href="/docs">
          {t('homeDocs')}
        </a>
        <a className="button-quiet" href="/login">
          {t('homeSignIn')}
        </a>
        <a className="button-quiet" href="/status">
          {t('homeStatus')}
        </a>
      </p>
      <LanguageSwitch />
    </main>
  );
}
