// The branding of the second demo shop, as an example on a fresh machine: its colour, logo and support contact, and the one
// origin that may frame its pages (the embedding shop of the browser stories).

import type { Context } from '@/lib/platform/context';
import { setStoreLogo } from '@/lib/merchants/branding/logo';
import { DEFAULT_BRANDING, readStoreBranding, setStoreBranding } from '@/lib/merchants/branding/branding';

/** A tea cup of 48 by 48 pixels, as PNG. */
const LOGO = Buffer.from(
  [
    'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAQMAAABtzGvEAAAABlBMVEUPdm7////55LhXAAAAPUlEQVR42mNgoBQoKRBLYQPs//+j',
    'Ug8g1AcIZYCgmP//s4BQBsgUWCUzRB8zxBTG/38IUajAHqIdlSIPAADsaTGJFgj8dAAAAABJRU5ErkJggg==',
  ].join(''),
  'base64',
);

const LOOK = {
  displayName: 'Noor Tea',
  brandColor: '#0f766e',
  supportContact: 'help@teahouse.example',
  embedOrigins: ['http://shop.localhost:4010'],
};

/** Sets the store's branding once. Later changes of its merchant stay. */
export async function seedBranding(context: Pick<Context, 'pool' | 'clock'>, storeId: string): Promise<void> {
  if ((await readStoreBranding(context.pool, storeId)) !== DEFAULT_BRANDING) return;
  await setStoreBranding(context, { storeId, wish: LOOK });
  await setStoreLogo(context, { storeId, bytes: LOGO });
}
