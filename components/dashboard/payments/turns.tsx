'use client';
// The pager of a list whose page is in its address.

import { Pager } from '@/components/ui/pager';
import { useTurns } from './list-head';

export function Turns({ older, newer, shown }: { older: string | null; newer: string | null; shown: number }) {
  const turn = useTurns();
  return <Pager newerHref={turn('before', newer)} olderHref={turn('after', older)} shown={shown} />;
}
