// The page for something that is not there, in the visitor's language: what may be wrong, the way on, and a choice of languages.

import type { Locale } from '@/lib/i18n/locales';
import { getWords } from '@/lib/i18n/translate';
import type { IconName } from './icon';
import { LanguageSwitch } from './language-switch';
import { MessagePage } from './message-page';

type Props = {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  /** Whether the start page is the way on. A customer's way on is in the text: the link, or the shop. */
  readonly isStartFirst?: boolean;
  /** The languages that the pages around are written in; as the payment page where nothing is given. */
  readonly locales?: readonly Locale[];
};

export async function NotFoundPage({ icon, title, text, isStartFirst = false, locales }: Props) {
  const { t } = await getWords();
  return (
    <MessagePage
      icon={icon}
      title={title}
      text={text}
      product={t('productName')}
      foot={
        <>
          <p>
            <a href="/status">{t('systemStatus')}</a>
          </p>
          <LanguageSwitch {...(locales ? { locales } : {})} />
        </>
      }
    >
      <a className={isStartFirst ? 'button' : 'button-quiet'} href="/">
        {t('toStart')}
      </a>
    </MessagePage>
  );
}
