// The payment number that a customer quotes to the shop, with a copy button.

import { getWords } from '@/lib/i18n/translate';
import { CopyText } from './copy-text';

type Props = {
  readonly sessionId: string;
  /** Whether the page says to contact the shop with it. It then has a box of its own beside that sentence. */
  readonly isNeeded: boolean;
};

export async function Reference({ sessionId, isNeeded }: Props) {
  const { t } = await getWords();
  return (
    <p className={isNeeded ? 'send send-to reference' : undefined}>
      <span className={isNeeded ? 'label' : undefined}>{t('reference')}</span>{' '}
      <code dir="ltr" translate="no">
        {sessionId}
      </code>
      <CopyText
        text={sessionId}
        words={{
          copy: t('copy'),
          copied: t('copied'),
          failed: t('copyFailed'),
          label: `${t('copy')}: ${t('reference')}`,
        }}
      />
    </p>
  );
}
