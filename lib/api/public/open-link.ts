// The form of a payment link's page: POST, from our own pages only, with a redirect to the page of the new session, or back to
// the link's page, which shows why there is none.

import { ServiceError } from '@/lib/platform/errors/errors';
import type { ApiResponse } from '@/lib/platform/http';
import { isLocale } from '@/lib/i18n/locales';
import { openPaymentLink, SHOWN_REFUSALS } from '@/lib/payments/links/open';
import { formName } from '@/lib/payments/links/page';
import { hasTestMoney } from '@/lib/payments/sessions/test-money';
import { answerForm, foreignForm, inAPlace, redirect } from './form';
import type { Services } from '@/lib/api/services';
import { payTestMoney } from './test-money';

/** The typed fields that the redirect returns to the page with the error. */
const LONGEST_SHOWN = 60;

/** Never throws. 303 for every form of ours, whatever the result; an error for everything else. */
export function answerOpenLink(services: Services, linkId: string, request: Request): Promise<ApiResponse> {
  return answerForm(services, request, async (form, from) => {
    const name = formName(services.config, linkId, form.get('name') ?? '');
    if (name === null) throw foreignForm();
    return inAPlace(services, from, () => open(services, { linkId, name, form, from }));
  });
}

type Opening = {
  readonly linkId: string;
  readonly name: string;
  readonly form: URLSearchParams;
  readonly from: string;
};

async function open(services: Services, { linkId, name, form, from }: Opening): Promise<ApiResponse> {
  const typed = form.get('amount') ?? '';
  const lang = form.get('lang');
  const locale = isLocale(lang) ? lang : null;
  const opened = await openPaymentLink(services, { linkId, name, typed, locale, from });
  if (!opened) throw new ServiceError('NOT_FOUND', { message: 'There is no such payment link.' });
  if ('sessionId' in opened) {
    const isTest = opened.sessionId.startsWith('cs_test_') && hasTestMoney(services.config, 'test');
    if (!isTest || form.get('test_money') !== 'yes') return redirect(`/pay/${opened.sessionId}`);
    const paid = await payTestMoney(services, opened.sessionId, null);
    return redirect(`/pay/${opened.sessionId}${paid === 'too_soon' ? '' : `?test_money=${paid}`}`);
  }
  const query = new URLSearchParams();
  // Also for an empty amount, because the page has a message for it.
  if (typed !== '' || opened.refusal === 'amount') query.set('amount', typed.slice(0, LONGEST_SHOWN));
  const said = SHOWN_REFUSALS.find((one) => one === opened.refusal);
  if (said) query.set('refused', said);
  return redirect(`/link/${linkId}${query.size > 0 ? `?${query}` : ''}`);
}
