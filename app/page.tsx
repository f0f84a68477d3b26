// The start page: describes this installation to merchants who sign in and customers who arrive by mistake.

import { LanguageSwitch } from '@/components/ui/language-switch';
import { NetworkMark, ProductMark, TokenMark } from '@/components/ui/marks';
import { presentedNetworks } from '@/lib/networks/registry';
import { config } from '@/lib/platform/config/config';
import { getWords } from '@/lib/i18n/translate';
import { STABLECOINS } from '@/lib/money/amounts';
import darkPicture from './checkout-dark.png';
import picture from './checkout.png';

export default async function HomePage() {
  const { t, network } = await getWords();
  const isSandbox = config().SANDBOX_ORIGIN !== undefined;
  return (
    <>
      <header>
        {isSandbox && <p className="home-band">{t('homeSandbox')}</p>}
        <div className="home-head">
          <a className="product" href="/">
            <ProductMark /> {t('productName')}
          </a>
          <a className="button-quiet" href="/login">
            {t('homeSignIn')}
          </a>
        </div>
      </header>
      <main className="home">
        <div className="home-text">
          <h1>{t('homeTitle')}</h1>
          <p>{t('homeText')}</p>
          <ul className="home-marks">
            {STABLECOINS.map((currency) => (
              <li key={currency}>
                <TokenMark currency={currency} /> {currency}
              </li>
            ))}
            {presentedNetworks(config()).map((one) => (
              <li key={one}>
                <NetworkMark network={one} /> {network(one).name}
              </li>
            ))}
          </ul>
          <p className="actions">
            <a className="button" href={isSandbox ? '/shop' : '/signup'}>
              {t(isSandbox ? 'homeShop' : 'homeSignUp')}
            </a>
            <a className="button-quiet" href="/docs">
              {t('homeDocs')}
            </a>
          </p>
          <ul className="home-links">
            {isSandbox && (
              <li>
                <a href="/signup">{t('homeSignUp')}</a>
              </li>
            )}
            <li>
              <a href="/docs/going-live#who-holds-the-money">{t('homeMoney')}</a>
            </li>
            <li>
              <a href="/status">{t('systemStatus')}</a>
            </li>
          </ul>
          <p className="hint">{t('homeCustomer')}</p>
          <LanguageSwitch />
        </div>
        {/* The text already says this, so screen readers skip it. */}
        <picture className="home-picture">
          <source media="(prefers-color-scheme: dark)" srcSet={darkPicture.src} />
          <img src={picture.src} width={390} height={844} alt="" loading="lazy" />
        </picture>
      </main>
    </>
  );
}
