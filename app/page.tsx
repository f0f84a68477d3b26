// The start page: what this installation is, for merchants who come to sign in and customers who got here by mistake.

import { LanguageSwitch } from '@/components/ui/language-switch';
import { NetworkMark, TokenMark } from '@/components/ui/marks';
import { NETWORKS } from '@/lib/chains/networks';
import { config } from '@/lib/config';
import { getWords } from '@/lib/i18n/translate';
import { STABLECOINS } from '@/lib/money';
import picture from './checkout.png';

export default async function HomePage() {
  const { t, network } = await getWords();
  const isSandbox = config().SANDBOX_ORIGIN !== undefined;
  return (
    <main className="home">
      <div className="home-text">
        <p className="product">{t('productName')}</p>
        <h1>{t('homeTitle')}</h1>
        <p>{t('homeText')}</p>
        <ul className="home-marks">
          {STABLECOINS.map((currency) => (
            <li key={currency}>
              <TokenMark currency={currency} /> {currency}
            </li>
          ))}
          {[...new Set(NETWORKS.map((one) => one.network))].map((one) => (
            <li key={one}>
              <NetworkMark network={one} /> {network(one).name}
            </li>
          ))}
        </ul>
        {isSandbox && <p className="notice">{t('homeSandbox')}</p>}
        <p className="actions">
          {isSandbox && (
            <a className="button" href="/shop">
              {t('homeShop')}
            </a>
          )}
          <a className={isSandbox ? 'button-quiet' : 'button'} href="/login">
            {t('homeSignIn')}
          </a>
          <a className="button-quiet" href="/signup">
            {t('homeSignUp')}
          </a>
          <a className="button-quiet" href="/docs">
            {t('homeDocs')}
          </a>
        </p>
        <ul className="home-links">
          <li>
            <a href="/docs/going-live#who-holds-the-money">{t('homeMoney')}</a>
          </li>
          <li>
            <a href="/status">{t('homeStatus')}</a>
          </li>
        </ul>
        <p className="hint">{t('homeCustomer')}</p>
        <LanguageSwitch />
      </div>
      {/* The same as the text says, so there is nothing to read out. */}
      <img className="home-picture" src={picture.src} width={390} height={844} alt="" loading="lazy" />
    </main>
  );
}
