// Where the hosted page's own script is, which the build makes of components/checkout/browser.

import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Marks the scripts that stay on a page that is sent without the framework's (lib/api/adapters/without-framework). */
export const OF_THE_PAGE = 'data-of-the-page';

let address: Promise<string> | undefined;

/** Its path, which names its content. Throws where nothing was built. */
export const checkoutScript = (): Promise<string> => (address ??= read());

async function read(): Promise<string> {
  const text = await readFile(path.join(process.cwd(), 'dist', 'checkout.json'), 'utf8');
  return (JSON.parse(text) as { readonly script: string }).script;
}
