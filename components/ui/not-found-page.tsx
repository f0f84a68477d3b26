// The "not found" page in the visitor's language: the possible cause, the next step, and a choice of languages.

import type { Locale } from '@/lib/i18n/locales';
import { getWords } from '@/lib/i18n/translate';
import type { IconName } from './icon';
import { LanguageSwitch } from './language-switch';
import { MessagePage } from './message-page';

type Props = {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  /** Whether to link to the start page. For customers the text names the next step: the link, or the shop. */
  readonly isStartFirst?: boolean;
  /** The languages of the surrounding pages; the payment page's languages by default. */
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
