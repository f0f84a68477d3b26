import { describe, expect, it } from 'vitest';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { localEthereum } from '@/testing/watching/watched-chain';
import { ChainError, type ChainFault, type Head } from '@/lib/networks/chain';
import { openEndpoints } from './endpoints';

const headOf = (number: number, time = 1_760_000_000): Head => {
  const block = { number, hash: `0x${number}`, parentHash: '0x0', time };
  return { tip: block, final: block };
};

const open = (count: number, prove: (client: { name: string }) => Promise<void> = async () => {}) => {
  const clock = openTestClock(1_760_000_000);
  const clients = Array.from({ length: count }, (_, index) => ({ name: `endpoint ${index + 1}` }));
  const endpoints = openEndpoints({
    spec: localEthereum,
    clients,
    prove,
    readHead: async ({ name }) => {
      const head = heads.get(name) ?? headOf(100, clock.now().getTime() / 1000);
      if (head instanceof ChainError) throw head;
      return head;
    },
    clock,
    log: silentLog(),
  });
  const heads = new Map<string, Head | ChainError>();
  const broken = new Map<string, ChainError>();
  let requested: string[] = [];
  const run = async () => {
    requested = [];
    const result = await endpoints.use(async ({ name }) => {
      requested.push(name.slice(-1));
      const error = broken.get(name);
      if (error) throw error;
      return name.slice(-1);
    });
    return { result, requested: requested.join('') };
  };
  const fail = (index: number, fault: ChainFault, details = {}) =>
    broken.set(`endpoint ${index}`, new ChainError(fault, `endpoint ${index} failed`, details));
  return {
    clock,
    endpoints,
    heads,
    run,
    fail,
    heal: (index: number) => broken.delete(`endpoint ${index}`),
    requested: () => requested.join(''),
  };
};

describe('the order of endpoints', () => {
  it('is the configured one while all are healthy', async () => {
    const { run } = open(3);
    expect(await run()).toEqual({ result: '1', requested: '1' });
  });

  it('puts a failed endpoint last for 1, 2, 4 … seconds, and back after its recovery', async () => {
    const { run, fail, heal, clock } = open(2);
    fail(1, 'unavailable');
    expect(await run()).toEqual({ result: '2', requested: '12' });
    expect(await run()).toEqual({ result: '2', requested: '2' });
    clock.advance(1001);
    expect(await run()).toEqual({ result: '2', requested: '12' });
    clock.advance(1001);
    expect(await run()).toEqual({ result: '2', requested: '2' });
    heal(1);
    clock.advance(1000);
    expect(await run()).toEqual({ result: '1', requested: '1' });
  });

  it('still uses the only endpoint while it is in backoff', async () => {
    const { run, fail, heal } = open(1);
    fail(1, 'unavailable');
    await expect(run()).rejects.toMatchObject({ fault: 'unavailable' });
    heal(1);
    expect((await run()).result).toBe('1');
  });

  it('sends no request to an endpoint during its Retry-After, at most a minute', async () => {
    const { run, fail, heal, clock, requested } = open(1);
    fail(1, 'unavailable', { retryAfterSeconds: 7 });
    await expect(run()).rejects.toMatchObject({ fault: 'unavailable' });
    heal(1);
    clock.advance(6999);
    await expect(run()).rejects.toMatchObject({ fault: 'unavailable' });
    expect(requested()).toBe('');
    clock.advance(1);
    expect((await run()).requested).toBe('1');
    fail(1, 'unavailable', { retryAfterSeconds: 999_999 });
    await expect(run()).rejects.toMatchObject({ fault: 'unavailable' });
    heal(1);
    clock.advance(60_000);
    expect((await run()).requested).toBe('1');
  });

  it('passes too_large on without trying another endpoint', async () => {
    const { run, fail, requested } = open(2);
    fail(1, 'too_large');
    await expect(run()).rejects.toMatchObject({ fault: 'too_large' });
    expect(requested()).toBe('1');
  });

  it('tries the other endpoints before it accepts a reorg, which is not an endpoint failure', async () => {
    const { run, fail } = open(2);
    fail(1, 'reorganised');
    expect(await run()).toEqual({ result: '2', requested: '12' });
    expect(await run()).toEqual({ result: '2', requested: '12' });
    fail(2, 'unavailable');
    await expect(run()).rejects.toMatchObject({ fault: 'reorganised' });
  });

  it('passes on errors that are not ChainErrors unchanged', async () => {
    const { endpoints } = open(2);
    await expect(endpoints.use(() => Promise.reject(new TypeError('ours')))).rejects.toThrow(TypeError);
  });
});

describe('the identity proof of an endpoint', () => {
  it('runs before the first use and again every hour', async () => {
    let proofs = 0;
    const { run, clock } = open(1, async () => void (proofs += 1));
    await run();
    await run();
    expect(proofs).toBe(1);
    clock.advance(3_600_000);
    await run();
    expect(proofs).toBe(2);
  });

  it('excludes the endpoint after a failure until it succeeds', async () => {
    let right = false;
    const { run, clock, requested } = open(1, async () => {
      if (!right) throw new ChainError('wrong_chain', 'endpoint 1 does not serve bsc');
    });
    await expect(run()).rejects.toMatchObject({ fault: 'wrong_chain', message: 'endpoint 1 does not serve bsc' });
    right = true;
    await expect(run()).rejects.toMatchObject({ fault: 'wrong_chain' });
    expect(requested()).toBe('');
    clock.advance(60_000);
    expect((await run()).result).toBe('1');
  });
});

describe('the health of endpoints', () => {
  const states = (endpoints: { control: { health(): readonly { state: string }[] } }) =>
    endpoints.control.health().map(({ state }) => state);

  it('is unknown until a check, which reads endpoints without recent requests', async () => {
    const { endpoints, run, clock, heads } = open(3);
    expect(states(endpoints)).toEqual(['unknown', 'unknown', 'unknown']);
    heads.set('endpoint 3', new ChainError('unavailable', 'endpoint 3 could not be reached for head'));
    await run();
    expect(states(endpoints)).toEqual(['ok', 'unknown', 'unknown']);
    await endpoints.control.check();
    expect(endpoints.control.health()).toMatchObject([
      { position: 1, state: 'ok', message: null, height: null, failures: 0 },
      { position: 2, state: 'ok', message: null, height: 100, failures: 0 },
      { position: 3, state: 'failing', message: 'endpoint 3 could not be reached for head', failures: 1 },
    ]);
    heads.delete('endpoint 3');
    await endpoints.control.check();
    expect(states(endpoints)).toEqual(['ok', 'ok', 'failing']);
    clock.advance(15_000);
    await endpoints.control.check();
    expect(states(endpoints)).toEqual(['ok', 'ok', 'ok']);
  });

  it('shows which endpoints throttle or serve another chain, and since when', async () => {
    const { endpoints, clock, heads } = open(2, async ({ name }) => {
      if (name === 'endpoint 2') throw new ChainError('wrong_chain', 'endpoint 2 does not serve bsc');
    });
    heads.set('endpoint 1', new ChainError('unavailable', 'status 429', { retryAfterSeconds: 7 }));
    await endpoints.control.check();
    const since = clock.now();
    const expected = [
      { state: 'throttled', message: 'status 429', since },
      { state: 'refused', message: 'endpoint 2 does not serve bsc', since },
    ];
    expect(endpoints.control.health()).toMatchObject(expected);
    clock.advance(3000);
    expect(endpoints.control.health()).toMatchObject(expected);
  });

  it('is lagging for an endpoint far behind the others, which comes last until it catches up', async () => {
    const { endpoints, run, clock, heads } = open(2);
    const now = () => clock.now().getTime() / 1000;
    heads.set('endpoint 1', headOf(90, now() - 41));
    await endpoints.control.check();
    expect(states(endpoints)).toEqual(['lagging', 'ok']);
    expect(await run()).toMatchObject({ requested: '2' });
    heads.delete('endpoint 1');
    clock.advance(15_000);
    await endpoints.control.check();
    expect(states(endpoints)).toEqual(['ok', 'ok']);
    expect(await run()).toMatchObject({ requested: '1' });
  });

  it('does not suffer from an earlier reading or from a block from the future', async () => {
    const { endpoints, clock, heads } = open(2);
    await endpoints.control.check();
    clock.advance(120_000);
    heads.set('endpoint 1', new ChainError('unavailable', 'endpoint 1 is away'));
    await endpoints.control.check();
    expect(states(endpoints)).toEqual(['failing', 'ok']);
    heads.set('endpoint 1', headOf(9_999_999, clock.now().getTime() / 1000 + 9999));
    clock.advance(15_000);
    await endpoints.control.check();
    expect(states(endpoints)).toEqual(['ok', 'ok']);
  });
});
