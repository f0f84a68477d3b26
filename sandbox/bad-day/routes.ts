// The routes of the page "A bad day": GET /sandbox shows it, POST /sandbox/bad-day makes something go wrong or undoes it.

import type { ServerResponse } from 'node:http';
import { PaymentRefused } from '../chains/payment';
import { readForm, refuseForeign, seeOther } from '../forms';
import { Refusal, send, type Exchange } from '../http';
import { text } from '../shop/text';
import { BadDay, changeSchema } from './bad-day';
import { badDayFault, badDayPage } from './page';

export const BAD_DAY_PATHS: readonly string[] = ['/sandbox', '/sandbox/', '/sandbox/bad-day'];

const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

/** Refusals become a page here, because a person reads them. */
export async function serveBadDay(badDay: BadDay, publicUrl: string, exchange: Exchange): Promise<void> {
  try {
    await route(badDay, publicUrl, exchange);
  } catch (error) {
    if (error instanceof PaymentRefused) return page(exchange.response, 400, badDayFault(error.message));
    if (!(error instanceof Refusal)) throw error;
    page(exchange.response, error.status, badDayFault(error.message));
  }
}

async function route(badDay: BadDay, publicUrl: string, { request, response, url }: Exchange): Promise<void> {
  const isAction = url.pathname === '/sandbox/bad-day';
  if (request.method === 'GET' && !isAction) return page(response, 200, badDayPage(badDay.networks(), badDay.common()));
  if (request.method !== 'POST' || !isAction) throw new Refusal(404, text('fault.nothing'));
  refuseForeign(request, publicUrl);
  const form = await readForm(request);
  const change = changeSchema.safeParse({
    ...Object.fromEntries(form),
    address: form.get('address')?.trim(),
    is_on: form.get('is_on') === 'yes',
  });
  if (!change.success) throw new Refusal(400, text('bad.unknown'));
  await badDay.set(change.data);
  seeOther(response, '/sandbox');
}

function page(response: ServerResponse, status: number, markup: string): void {
  response.setHeader('content-security-policy', POLICY);
  response.setHeader('referrer-policy', 'same-origin');
  send(response, status, 'text/html', markup);
}
