// An operator finds a store and a user from any page.

import { asOperator } from './console';
import { expect, test } from './story';

test('a store is found by a part of its name, and its owner by their address, from the palette', async ({ page }) => {
  await asOperator(page);
  const palette = page.getByRole('dialog', { name: 'Search for a page' });
  const search = async (text: string, option: string) => {
    await page.goto('/operator/health');
    // The keyboard shortcut works once the page's scripts have loaded.
    await expect(async () => {
      await page.keyboard.press('Control+k');
      await expect(palette).toBeVisible({ timeout: 1000 });
    }).toPass();
    await page.keyboard.type(text);
    await page.getByRole('option', { name: option }).click();
    await expect(palette).toBeHidden();
  };
  await search('blue mug', 'Stores with “blue mug”');
  await page.waitForURL('**/operator/stores?q=blue+mug');
  const row = page.getByRole('row', { name: 'Blue Mug Shop' });
  await expect(row).toContainText('mira@bluemug.example');
  await page.getByRole('searchbox').fill('no such store');
  await page.getByRole('searchbox').press('Enter');
  await expect(page.getByText('Nothing matches.')).toBeVisible();

  await search('mira@', 'Users with “mira@”');
  await page.waitForURL('**/operator/users?q=mira%40');
  await expect(page.getByRole('table', { name: 'Users' })).toContainText('mira@bluemug.example');
});
