// Reads this installation's facts for the documentation.

import { readDescription } from '@/app/sdk/package';
import type { Facts } from '@/components/docs/fill';
import { config } from '@/lib/platform/config/config';

export async function readFacts(): Promise<Facts> {
  const { version, integrity } = await readDescription();
  return { origin: config().PUBLIC_URL, sdk_version: version, sdk_integrity: integrity };
}
