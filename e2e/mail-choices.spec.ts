// A member chooses which mails about a store they receive.

import { asOperator, newStore, otherPage } from './console';
import { expect, test } from './story';

test('a member turns mails about undelivered events off, and finds them off after a reload', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(desk);
  const { id } = await newStore(page, desk);
  await page.goto(`/dashboard/${id}/members#mails`);
  const mails = page.locator('#mails');
  const events = mails.getByLabel('Events that could not be delivered');
  await expect(events).toBeChecked();
  await events.uncheck();
  await mails.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved', { exact: false }).first()).toBeVisible();
  await page.reload();
  await expect(events).not.toBeChecked();
  await expect(mails.getByLabel('Payments that need a decision')).toBeChecked();
});
