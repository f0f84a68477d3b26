// Redirects a store's bare address to its first page.

import { redirect } from 'next/navigation';
import { homeOf } from '@/components/dashboard/places';
import { requireStorePage } from '@/lib/dashboard/store-page';
import { takesLive } from '@/lib/dashboard/viewer';

export default async function StorePage({ params }: { readonly params: Promise<{ store_id: string }> }) {
  const { context, store } = await requireStorePage(params, 'store.read');
  redirect(homeOf({ ...store, takesLive: takesLive(context.config, store) }));
}
