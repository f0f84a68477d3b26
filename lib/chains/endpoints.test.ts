import { describe, expect, it } from 'vitest';
import { openTestClock, silentLog } from '@/lib/testing/chain-clock';
import { ChainError, type ChainFault } from './chain';
import { openEndpoints } from './endpoints';

const open = (count: number, prove: (client: { name: string }) => Promise<void> = async () => {}) => {
  const clock = openTestClock(1_760_000_000);
  const clients = Array.from({ length: count }, (_, index) => ({ name: `endpoint ${index + 1}` }));
  const endpoints = openEndpoints({ clients, prove, clock, log: silentLog() });
  const broken = new Map<string, ChainError>();
  let asked: string[] = [];
  const run = async () => {
    asked = [];
    const result = await endpoints.use(async ({ name }) => {
      asked.push(name.slice(-1));
      const error = broken.get(name);
      if (error) throw error;
      return name.slice(-1);
    });
    return { result, asked: asked.join('') };
  };
  const fail = (index: number, fault: ChainFault, details = {}) =>
    broken.set(`endpoint ${index}`, new ChainError(fault, `endpoint ${index} failed`, details));
  return {
    clock,
    endpoints,
    run,
    fail,
    heal: (index: number) => broken.delete(`endpoint ${index}`),
    asked: () => asked.join(''),
  };
};

describe('the order of endpoints', () => {
  it('is the configured one while all are well', async () => {
    const { run } = open(3);
    expect(await run()).toEqual({ result: '1', asked: '1' });
  });

  it('puts a failed one last for 1, 2, 4 … seconds, and back after it recovered', async () => {
    const { run, fail, heal, clock } = open(2);
    fail(1, 'unavailable');
    expect(await run()).toEqual({ result: '2', asked: '12' });
    expect(await run()).toEqual({ result: '2', asked: '2' });
    clock.advance(1001);
    expect(await run()).toEqual({ result: '2', asked: '12' });
    clock.advance(1001);
    expect(await run()).toEqual({ result: '2', asked: '2' });
    heal(1);
    clock.advance(1000);
    expect(await run()).toEqual({ result: '1', asked: '1' });
  });

  it('still asks the only endpoint while it is in back-off', async () => {
    const { run, fail, heal } = open(1);
    fail(1, 'unavailable');
    await expect(run()).rejects.toMatchObject({ fault: 'unavailable' });
    heal(1);
    expect((await run()).result).toBe('1');
  });

  it('leaves an endpoint alone for as long as its Retry-After says, at most a minute', async () => {
    const { run, fail, heal, clock, asked } = open(1);
    fail(1, 'unavailable', { retryAfterSeconds: 7 });
    await expect(run()).rejects.toMatchObject({ fault: 'unavailable' });
    heal(1);
    clock.advance(6999);
    await expect(run()).rejects.toMatchObject({ fault: 'unavailable' });
    expect(asked()).toBe('');
    clock.advance(1);
    expect((await run()).asked).toBe('1');
    fail(1, 'unavailable', { retryAfterSeconds: 999_999 });
    await expect(run()).rejects.toMatchObject({ fault: 'unavailable' });
    heal(1);
    clock.advance(60_000);
    expect((await run()).asked).toBe('1');
  });

  it('passes too_large on without asking another', async () => {
    const { run, fail, asked } = open(2);
    fail(1, 'too_large');
    await expect(run()).rejects.toMatchObject({ fault: 'too_large' });
    expect(asked()).toBe('1');
  });

  it("tries the others before it believes in a reorganisation, which is nobody's failure", async () => {
    const { run, fail } = open(2);
    fail(1, 'reorganised');
    expect(await run()).toEqual({ result: '2', asked: '12' });
    expect(await run()).toEqual({ result: '2', asked: '12' });
    fail(2, 'unavailable');
    await expect(run()).rejects.toMatchObject({ fault: 'reorganised' });
  });

  it("gives errors that are not the chain's to the caller untouched", async () => {
    const { endpoints } = open(2);
    await expect(endpoints.use(() => Promise.reject(new TypeError('ours')))).rejects.toThrow(TypeError);
  });
});

describe('the proof of an endpoint', () => {
  it('comes before the first use and again every hour', async () => {
    let proofs = 0;
    const { run, clock } = open(1, async () => void (proofs += 1));
    await run();
    await run();
    expect(proofs).toBe(1);
    clock.advance(3_600_000);
    await run();
    expect(proofs).toBe(2);
  });

  it('refused, keeps the endpoint out until it proves itself', async () => {
    let right = false;
    const { run, clock, asked } = open(1, async () => {
      if (!right) throw new ChainError('wrong_chain', 'endpoint 1 does not serve bsc');
    });
    await expect(run()).rejects.toMatchObject({ fault: 'wrong_chain', message: 'endpoint 1 does not serve bsc' });
    right = true;
    await expect(run()).rejects.toMatchObject({ fault: 'wrong_chain' });
    expect(asked()).toBe('');
    clock.advance(60_000);
    expect((await run()).result).toBe('1');
  });
});
