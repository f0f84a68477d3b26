// Locates the hosted page's own script, which the build makes from components/checkout/browser.

import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Marks scripts that stay on a page without framework scripts (lib/api/adapters/without-framework). */
export const OF_THE_PAGE = 'data-of-the-page';

let address: Promise<string> | undefined;

/** Its path with a content hash. Throws when nothing was built. */
export const checkoutScript = (): Promise<string> => (address ??= read());

async function read(): Promise<string> {
  const text = await readFile(path.join(process.cwd(), 'dist', 'checkout.json'), 'utf8');
  return (JSON.parse(text) as { readonly script: string }).script;
}
