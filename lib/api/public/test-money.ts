// "Pay with test money" for people: one click pays the missing amount of a test payment from the sandbox's own payer, with the
// selected network and token. It does what the test helper `pay` does, and exists under the same conditions.

import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { ApiResponse } from '@/lib/platform/http';
import { openRateLimit } from '@/lib/platform/rate-limit/token-bucket';
import { hasTestMoney } from '@/lib/payments/sessions/test-money';
import { chosenMethod, isMethodName, methodName } from '@/lib/payments/checkout/stage';
import { readCheckout } from '@/lib/payments/checkout/view';
import { answerForm, inAPlace, redirect } from './form';
import { callSandbox } from '@/lib/api/operations/sandbox-client';
import type { Services } from '@/lib/api/services';

/** Until the transfer is observed, the session still requests the money, so a second click would pay it twice. */
const ofSession = openRateLimit({ rate: 1 / 15, burst: 1 });

/** Never throws. 303 to the payment's page for every form of ours, because the page shows the result; an error otherwise. */
export function answerTestMoney(services: Services, sessionId: string, request: Request): Promise<ApiResponse> {
  return answerForm(services, request, (form, client) =>
    inAPlace(services, client, async () => {
      const method = form.get('method');
      const paid = await payTestMoney(services, sessionId, method);
      const query = new URLSearchParams(isMethodName(method) ? { method } : {});
      if (paid !== 'too_soon') query.set('test_money', paid);
      return redirect(`/pay/${sessionId}?${query}`);
    }),
  );
}

/**
 * Pays the missing amount with the named method or, without one, with the first that the session offers. `failed`: the local
 * chain did not respond, or this method expects no more money. Throws NOT_FOUND for live sessions and where there are no local
 * chains, and SESSION_NOT_FOUND.
 */
export async function payTestMoney(
  context: Context,
  sessionId: string,
  name: string | null,
): Promise<'sent' | 'failed' | 'too_soon'> {
  const view = await readCheckout(context, sessionId);
  if (!view) throw new ServiceError('SESSION_NOT_FOUND');
  if (!hasTestMoney(context.config, view.facts.environment)) throw new ServiceError('NOT_FOUND');
  const method = chosenMethod(view, name ?? undefined);
  if (!method || (name !== null && methodName(method) !== name)) return 'failed';
  if (ofSession(sessionId, context.clock.now().getTime()) > 0) return 'too_soon';
  const { network, currency, address: recipient, amount } = method;
  const cents = Number(amount.replace('.', ''));
  try {
    await callSandbox(context, '/control/pay', { network, currency, recipient, cents, scenario: 'exact' });
    return 'sent';
  } catch (error) {
    context.log.warn({ err: error, sessionId }, 'a test payment could not be made');
    return 'failed';
  }
}
