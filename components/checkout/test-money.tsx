// "Pay with test money": a plain form that makes a test payment without a wallet, a program or scripts.

import { getWords } from '@/lib/i18n/translate';
import { methodName } from '@/lib/payments/checkout/stage';
import type { PayMethod } from '@/lib/payments/checkout/view';

export type TestMoneyResult = 'unpressed' | 'sent' | 'failed';

type Props = { readonly sessionId: string; readonly method: PayMethod; readonly result: TestMoneyResult };

/** Only for payments that the server would make (lib/payments/sessions/test-money). */
export async function TestMoney({ sessionId, method, result }: Props) {
  const { t } = await getWords();
  return (
    <form className="test-money" method="post" action={`/pay/${sessionId}/test-money`}>
      <input type="hidden" name="method" value={methodName(method)} />
      <button className="button" type="submit">
        {t('payTestMoney')}
      </button>
      <p className="hint" role="status">
        {t(TEXTS[result])}
      </p>
    </form>
  );
}

const TEXTS = {
  unpressed: 'testExplained',
  sent: 'testMoneySent',
  failed: 'walletUnavailable',
} as const satisfies Record<TestMoneyResult, string>;
