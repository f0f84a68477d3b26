// Token buckets in Valkey or Redis, from which all web processes take. The packages are loaded only where VALKEY_URL is set.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'iovalkey';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimit, Taken } from './token-bucket';

const PREFIX = 'stabletill:limit';
/** The longest that a request waits for Valkey. Then the connection is closed, so that later requests do not wait. */
const ANSWER_MILLISECONDS = 500;
const CONNECT_MILLISECONDS = 1000;
/** The longest that the start of a process waits. A Valkey that loads its data accepts connections, and is not ready for minutes. */
const READY_MILLISECONDS = 2000;
const RECONNECT_MILLISECONDS = 500;

/**
 * Takes one token as token-bucket.ts does, by Valkey's clock. The library's own script counts in fixed windows: a caller could send two
 * bursts within a moment, and would then wait for a whole window. KEYS[1] is the bucket, ARGV[3] the burst and ARGV[4] the seconds in
 * which it comes back. The bucket expires when it is full again. Returns the tokens that are used, and more than the burst for a refusal.
 */
const TAKE = `
local burst = tonumber(ARGV[3])
local rate = burst / tonumber(ARGV[4]) / 1000
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local tokens = burst
local stored = redis.call('GET', KEYS[1])
if stored then
  local left, at = string.match(stored, '^(%S+) (%S+)$')
  tokens = math.min(burst, tonumber(left) + math.max(0, now - tonumber(at)) * rate)
end
local isRefused = tokens < 1 - 1e-9
if not isRefused then tokens = tokens - 1 end
redis.call('SET', KEYS[1], string.format('%.12f %.0f', tokens, now), 'PX', math.max(1, math.ceil((burst - tokens) / rate)))
if isRefused then return { burst + 1, math.ceil((1 - tokens) / rate) } end
return { burst - math.floor(tokens + 1e-9), 0 }
`;

/** The library runs the script only for a duration of whole seconds. The script does not use this one. */
const ANY_DURATION = { customDuration: 1 };

/** Valkey answers, and does not let this process use it. Any other error passes with time. */
const REFUSALS = /^(?:WRONGPASS|NOAUTH|NOPERM|ERR invalid password|ERR unknown command)/;
const isRefusal = (error: unknown): boolean => error instanceof Error && REFUSALS.test(error.message);

/**
 * The password is an argument of AUTH. The client adds the refused command to the error, and Valkey repeats the arguments of an unknown
 * command in the message, and so in the stack. Errors are logged.
 */
function withoutCommand<E>(error: E): E | Error {
  if (!(error instanceof Error && 'command' in error)) return error;
  return new Error(error.message.replace(/, with args .*$/s, ''));
}

/** The client's error for a command that was not answered within ANSWER_MILLISECONDS. */
const isTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'Command timed out';

export type ValkeyBuckets = {
  /** Takes one token. Rejects at once while Valkey is away. */
  take(policy: string, caller: string): Promise<Taken>;
  /**
   * Waits for the first connection, for READY_MILLISECONDS at most, and takes a token. Rejects with the reason why that is not possible;
   * connecting continues.
   */
  connect(): Promise<void>;
  isRefusal(error: unknown): boolean;
  close(): void;
};

export async function openValkeyBuckets(
  url: string,
  policies: Readonly<Record<string, RateLimit>>,
): Promise<ValkeyBuckets> {
  const [{ Redis: Client }, { RateLimiterRes: Counted, RateLimiterValkey }] = await Promise.all([
    import('iovalkey'),
    import('rate-limiter-flexible'),
  ]);
  const client = openClient(Client, url);
  /** Why the connection failed. Commands that wait fail only with the message that it is closed. */
  let reason: Error | null = null;
  client.on('error', (error: Error) => (reason = withoutCommand(error)));
  client.on('ready', () => {
    // The client also counts as ready when Valkey has refused AUTH and answered INFO. It has ended the connection then.
    if (client.stream.writable) reason = null;
  });
  const limiterOf = ([policy, limit]: [string, RateLimit]) => {
    const limiter = new RateLimiterValkey({
      storeClient: client,
      keyPrefix: `${PREFIX}:${policy}`,
      points: limit.burst,
      duration: limit.burst / limit.rate,
      customIncrTtlLuaScript: TAKE,
      rejectIfValkeyNotReady: true,
    });
    return [policy, { limit, limiter }] as const;
  };
  const limiters = new Map(Object.entries({ ...policies, check: { rate: 1, burst: 1 } }).map(limiterOf));

  const take = async (policy: string, caller: string): Promise<Taken> => {
    const known = limiters.get(policy);
    if (!known) throw new Error(`${policy} is no limit`);
    const { limit, limiter } = known;
    try {
      return takenOf(limit, await limiter.consume(caller, 1, ANY_DURATION));
    } catch (error) {
      if (error instanceof Counted) return takenOf(limit, error);
      // Later requests would wait behind the commands that are not answered yet. Closing fails those at once.
      if (isTimeout(error)) client.stream.destroy();
      throw isRefusal(error) ? withoutCommand(error) : (reason ?? withoutCommand(error));
    }
  };
  return {
    take,
    isRefusal,
    async connect() {
      try {
        await Promise.race([client.connect(), failUnlessReady()]);
      } catch (error) {
        throw reason ?? withoutCommand(error);
      }
      await take('check', randomUUID());
    },
    close: () => client.disconnect(),
  };
}

/** Connects later. Throws an Error that does not repeat the address, as that of URL does. */
function openClient(Client: typeof Redis, url: string): Redis {
  try {
    return new Client(url, {
      lazyConnect: true,
      connectTimeout: CONNECT_MILLISECONDS,
      commandTimeout: ANSWER_MILLISECONDS,
      retryStrategy: () => RECONNECT_MILLISECONDS,
      maxLoadingRetryTime: RECONNECT_MILLISECONDS,
      // A command that got no answer fails and is not sent again: its request has been decided without it.
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      enableOfflineQueue: false,
    });
  } catch {
    throw new Error('VALKEY_URL cannot be read. Percent-encode its user and password.');
  }
}

async function failUnlessReady(): Promise<never> {
  await sleep(READY_MILLISECONDS, undefined, { ref: false });
  throw new Error(`Valkey was not ready within ${READY_MILLISECONDS} ms: it may be loading its data`);
}

function takenOf({ rate, burst }: RateLimit, { consumedPoints, msBeforeNext }: RateLimiterRes): Taken {
  const used = Math.min(consumedPoints, burst);
  return {
    wait: consumedPoints > burst ? Math.max(1, Math.ceil(msBeforeNext / 1000)) : 0,
    remaining: burst - used,
    reset: Math.ceil(used / rate),
  };
}
