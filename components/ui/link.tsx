// A link within the dashboard. It loads nothing ahead: a table of payments must not ask the server for every one of them.

import NextLink from 'next/link';
import type { ComponentProps } from 'react';

export function Link(props: ComponentProps<typeof NextLink>) {
  return <NextLink prefetch={false} {...props} />;
}
