// Which guides this installation shows: those whose paths its API has.

import { ROUTES } from '@/lib/api/routes';
import { ALL_GUIDES, type Guide } from './docs-text';

export const GUIDES: readonly Guide[] = ALL_GUIDES.filter(
  ({ needs }) => needs === undefined || ROUTES.some(({ path }) => path === needs),
);
