// Shared code of the stories about the return to the shop.

import type { Page } from '@playwright/test';
import type { Merchant, Session } from './merchant';
import { expect } from './story';

/** Far longer than the countdown. */
export const LONG_MS = 30_000;

export const countdown = (page: Page) => page.locator('.shop-return-text');
export const stayButton = (page: Page) => page.getByRole('button', { name: 'Stay on this page' });

export const statusOf = async ({ url }: Session) =>
  ((await (await fetch(`${url}/status`)).json()) as { status: string }).status;

/** A paid session. */
export async function paid(merchant: Merchant, over: Record<string, unknown>): Promise<Session> {
  const session = await merchant.create(over);
  await merchant.pay(session.id);
  await expect.poll(() => statusOf(session)).toBe('COMPLETED');
  return session;
}
