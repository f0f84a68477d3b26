// Requests that change a store's branding and its logo. Owners change it with a fresh step-up: the support
// contact and the embedding pages decide whom customers trust.

import { z } from 'zod';
import { changeLogo, changeBranding } from '@/lib/merchants/branding/change-branding';
import { LARGEST_UPLOAD, route, type DashboardRoute } from '@/lib/dashboard/route';
import { actorOf, storeOf } from './store-routes';

const text = z.string().max(1000).nullable();
const STORE = '/stores/{store_id}';
/** More than the use-case accepts, so that the use-case reports the limit. */
const MAX_READ = 100;

export const BRANDING_ROUTES: readonly DashboardRoute[] = [
  // Every field is required: a missing one would be cleared.
  route({
    method: 'POST',
    path: `${STORE}/branding`,
    access: 'store.change',
    body: z.object({
      display_name: text,
      brand_color: text,
      theme: z.enum(['auto', 'light', 'dark']),
      support_contact: text,
      embed_origins: z.array(z.string().max(300)).max(MAX_READ),
    }),
    handle: async (call) => {
      const { body } = call;
      const wish = {
        displayName: body.display_name,
        brandColor: body.brand_color,
        theme: body.theme,
        supportContact: body.support_contact,
        embedOrigins: body.embed_origins,
      };
      await changeBranding(call.context, { storeId: storeOf(call), wish }, actorOf(call));
      return { done: true };
    },
  }),
  route({
    method: 'POST',
    path: `${STORE}/logo`,
    access: 'store.change',
    body: z.object({ logo: z.base64().min(1).max(LARGEST_UPLOAD) }),
    largestBody: LARGEST_UPLOAD,
    handle: async (call) => {
      const bytes = Buffer.from(call.body.logo, 'base64');
      const logo = await changeLogo(call.context, { storeId: storeOf(call), bytes }, actorOf(call));
      return { hash: logo?.hash ?? null };
    },
  }),
  route({
    method: 'POST',
    path: `${STORE}/logo/remove`,
    access: 'store.change',
    body: z.object({}),
    handle: async (call) => {
      await changeLogo(call.context, { storeId: storeOf(call), bytes: null }, actorOf(call));
      return { done: true };
    },
  }),
];
