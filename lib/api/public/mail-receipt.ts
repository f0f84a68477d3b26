// The form that mails the receipt of a payment: POST, from our own page only, with a redirect to the receipt, which shows the
// result.

import { normalEmail } from '@/lib/merchants/accounts/users';
import { mailReceipt, type MailedReceipt } from '@/lib/payments/receipts/mail';
import type { ApiResponse } from '@/lib/platform/http';
import type { Words } from '@/lib/i18n/translate';
import { answerForm, redirect } from './form';
import type { Services } from '@/lib/api/services';

/** The result that the receipt's page gets in its query. */
type ReceiptMailResult = MailedReceipt | 'invalid';

type MailReceiptRequest = {
  readonly sessionId: string;
  readonly request: Request;
  /** The browser's cookie `payer`. */
  readonly payerToken: string | undefined;
  /** The page's language. */
  readonly words: Words;
};

/** Never throws. 303 to the receipt for every form of ours; an error for everything else. */
export async function answerMailReceipt(services: Services, input: MailReceiptRequest): Promise<ApiResponse> {
  const { sessionId, request, payerToken, words } = input;
  return answerForm(services, request, async (form) => {
    const to = normalEmail(form.get('email') ?? '');
    const result: ReceiptMailResult =
      to === null ? 'invalid' : await mailReceipt(services, { sessionId, payerToken, to }, words);
    return redirect(`/pay/${encodeURIComponent(sessionId)}/receipt?mail=${result}#receipt-mail`);
  });
}
