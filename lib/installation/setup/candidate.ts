// The settings with a set-up's changes applied, so that they are checked before they are written. Pure.

import { readConfig, type Config } from '@/lib/platform/config/config';
import type { Settings } from './plan';

/** Values that readConfig requires besides the changes. Both are discarded. */
const PLACEHOLDERS = {
  DATABASE_URL: 'postgresql://127.0.0.1/placeholder',
  MASTER_KEYS: `1:${Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64')}`,
};

/** Throws an Error that lists every faulty setting and repeats no value. */
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
