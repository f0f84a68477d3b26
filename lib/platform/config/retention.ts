// The settings of how long ended rows stay in the database, and where they are exported to before they go (lib/installation/retention).

import { z } from 'zod';
import { count } from './setting-kinds';

/** Days; 0 keeps the rows for ever. */
const retentionDays = (otherwise: number, least: number) =>
  count(otherwise, 0, 36_500).refine(
    (days) => days === 0 || days >= least,
    `must be at least ${least}, or 0 to keep everything`,
  );

export const RETENTION_SETTINGS = {
  DELIVERY_RETENTION_DAYS: retentionDays(0, 30),
  MAIL_RETENTION_DAYS: retentionDays(30, 30),
  EVENT_RETENTION_DAYS: retentionDays(0, 180),
  ARCHIVE_DIR: z.string().startsWith('/', 'must be an absolute path').optional(),
} as const;
