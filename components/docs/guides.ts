// The guides that this installation shows: those whose paths its API has.

import { ROUTES } from '@/lib/api/routes';
import type { DocsTexts, Guide } from './docs-text';

export const shownGuides = ({ guides }: Pick<DocsTexts, 'guides'>): readonly Guide[] =>
  guides.filter(({ needs }) => needs === undefined || ROUTES.some(({ path }) => path === needs));
