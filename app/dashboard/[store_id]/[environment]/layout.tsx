// Pages of one environment of a store: live or test; any other value is not found.

import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';

type Props = { readonly params: Promise<{ environment: string }>; readonly children: ReactNode };

export default async function EnvironmentLayout({ params, children }: Props) {
  const { environment } = await params;
  if (environment !== 'live' && environment !== 'test') notFound();
  return children;
}
