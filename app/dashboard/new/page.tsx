// A new store: the list of stores, with its form open.

import { redirect } from 'next/navigation';
import { requirePage } from '@/lib/dashboard/page';

export default async function NewStorePage() {
  await requirePage('account');
  redirect('/dashboard?new=store');
}
