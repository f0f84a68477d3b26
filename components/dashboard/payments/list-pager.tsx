'use client';
// The pager of a list whose page is in its address.

import { Pager } from '@/components/ui/pager';
import { usePageLinks } from './list-head';

export function ListPager({ older, newer, shown }: { older: string | null; newer: string | null; shown: number }) {
  const hrefOf = usePageLinks();
  return <Pager newerHref={hrefOf('before', newer)} olderHref={hrefOf('after', older)} shown={shown} />;
}
