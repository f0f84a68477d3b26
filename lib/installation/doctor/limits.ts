// Whether the web processes can share their rate limits in Valkey. Its own connection, which takes one token of a limit that no request has.

import type { Config } from '@/lib/platform/config/config';
import { openValkeyBuckets } from '@/lib/platform/rate-limit/valkey';
import type { Finding } from './findings';

const ALONE = 'each web process enforces the rate limits alone';

export async function limitFindings({ VALKEY_URL: url }: Pick<Config, 'VALKEY_URL'>): Promise<readonly Finding[]> {
  const check = 'limits';
  if (url === undefined) return [{ check, state: 'ok', message: `VALKEY_URL is not set: ${ALONE}` }];
  const buckets = await openValkeyBuckets(url, {});
  try {
    await buckets.connect();
    return [{ check, state: 'ok', message: 'Valkey answers: all web processes share the rate limits' }];
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (buckets.isRefusal(error)) {
      const todo =
        'Correct name and password in VALKEY_URL, or the rights of that user (docs/operate.md, “Rate limits”).';
      return [{ check, state: 'fail', message: `Valkey refuses VALKEY_URL (${message}), so web does not start`, todo }];
    }
    const why = typeof code === 'string' ? code : message;
    const todo = `Check host, port and TLS in VALKEY_URL. Meanwhile ${ALONE}.`;
    return [{ check, state: 'fail', message: `Valkey cannot be reached (${why})`, todo }];
  } finally {
    buckets.close();
  }
}
