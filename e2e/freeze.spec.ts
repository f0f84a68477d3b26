// The freeze switch. It leaves the sandbox frozen, because only a person at the signer's terminal can unfreeze it. So
// it runs after all other stories (playwright.config.ts).

import { answerAt, asOperator, seriousFaults } from './console';
import { expect, test } from './story';

// The switch raises the alarm.
test.describe.configure({ mode: 'serial' });

type Status = { readonly status: string };
const completed = (url: string) =>
  expect.poll(async () => ((await (await fetch(`${url}/status`)).json()) as Status).status).toBe('COMPLETED');

test('the freeze switch stops signing within a second or two', async ({ page, merchant }) => {
  await asOperator(page);
  const session = await merchant.create();
  await merchant.pay(session.id, {});
  await completed(session.url);
  await answerAt(page, 'Freeze signing', 'Stop signing now', 'A drill.');
  await expect
    .poll(async () => {
      await page.reload();
      return page.getByRole('main').getByText('Frozen', { exact: true }).count();
    })
    .toBeGreaterThan(0);
  await expect(page.getByText('stabletill signer unfreeze')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Freeze signing' })).toHaveCount(0);
  const { refund_id } = await merchant.refund(session.id);
  await expect.poll(async () => (await merchant.readRefund(refund_id)).hold?.reason).toBe('frozen');
});

test('stopped signing raises an alarm: mailed, listed with what to do, and acknowledged', async ({ page }) => {
  await asOperator(page, '/operator/alarms');
  const row = page.getByRole('row', { name: 'Signing is stopped' });
  await expect(async () => {
    await page.reload();
    await expect(row).toBeVisible({ timeout: 1000 });
  }).toPass({ timeout: 60_000 });
  await expect(row).toContainText('Critical');
  await expect(row).toContainText('Not acknowledged');
  expect(await seriousFaults(page)).toEqual([]);
  await row.getByRole('button', { name: 'Acknowledge' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Acknowledge', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(row).toContainText('Acknowledged by');
  await expect(row.getByRole('button', { name: 'Acknowledge' })).toHaveCount(0);
  await row.getByRole('link', { name: 'What to do' }).click();
  await page.waitForURL('**/operator#freeze');
  await page.goto('/sandbox/mail');
  await expect(page.getByRole('link', { name: /\[Critical\] Signing is stopped/ }).first()).toBeVisible();
});
