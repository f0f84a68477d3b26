// A link within the dashboard. It prefetches nothing: a table of payments must not request every one of them.

import NextLink from 'next/link';
import type { ComponentProps } from 'react';

export function Link(props: ComponentProps<typeof NextLink>) {
  return <NextLink prefetch={false} {...props} />;
}
