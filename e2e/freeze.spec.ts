// The freeze switch. It leaves the sandbox frozen, as only a person at the signer's terminal frees it, so it comes after all
// other stories (playwright.config.ts).

import { answerAt, asOperator } from './desk';
import { expect, test } from './story';

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
  await expect(page.getByText('node dist/signer.mjs unfreeze')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Freeze signing' })).toHaveCount(0);
  const { refund_id } = await merchant.refund(session.id);
  await expect.poll(async () => (await merchant.readRefund(refund_id)).hold?.reason).toBe('frozen');
});
