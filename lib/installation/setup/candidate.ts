// The settings as they would be with a set-up's changes, so that they are checked before they are written down. Pure.

import { readConfig, type Config } from '@/lib/platform/config/config';
import type { Settings } from './plan';

/** What readConfig needs besides the changes. Both are thrown away. */
const PLACEHOLDERS = {
  DATABASE_URL: 'postgresql://127.0.0.1/placeholder',
  MASTER_KEYS: `1:${Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64')}`,
};

/** Throws an Error that lists every setting at fault, with no value in it. */
export function withSettings(current: Config, changes: Settings): Config {
  const read = readConfig({ ...PLACEHOLDERS, ...changes });
  const changed = Object.fromEntries(Object.entries(read).filter(([name]) => name in changes));
  return {
    ...current,
    ...changed,
    endpoints: new Map([...current.endpoints, ...read.endpoints]),
    budgets: new Map([...current.budgets, ...read.budgets]),
  };
}
