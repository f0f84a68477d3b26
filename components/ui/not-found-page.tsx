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
  /** Whether the link to the start page is the main action. For customers the text names the next step: the link, or the shop. */
  readonly isStartFirst?: boolean;
  /** The start page of the surrounding pages. */
  readonly start?: '/' | '/dashboard' | '/docs';
  /** The languages of the surrounding pages; the payment page's languages by default. */
  readonly locales?: readonly Locale[];
};

export async function NotFoundPage({ icon, title, text, isStartFirst = false, start = '/', locales }: Props) {
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
      <a className={isStartFirst ? 'button' : 'button-quiet'} href={start}>
        {t('toStart')}
      </a>
    </MessagePage>
  );
}
