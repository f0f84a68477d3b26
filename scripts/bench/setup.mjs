// Set-up for the API benchmarks: a current build, and a load generator that takes one order at a time.

import { fork, spawnSync } from 'node:child_process';
import path from 'node:path';
import { needsBuild } from '../build.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
const SESSIONS = '/api/v1/checkout/sessions';

/** Builds when the sources are newer than the build. */
export function buildIfNeeded() {
  if (!needsBuild(ROOT)) return;
  const built = spawnSync(process.execPath, [path.join(ROOT, 'scripts/build.mjs')], { stdio: 'inherit' });
  if (built.status !== 0) throw new Error('The build failed.');
}

/**
 * Starts the load generator. `send` gives it an order (generator/main.mjs) and resolves to the measurement, with the
 * server's processor time per request in microseconds (null where the system does not report it).
 * @param {{ apiKey: string, apiSecret: string, ids: string[] }} database
 */
export function openGenerator({ apiKey, apiSecret, ids }) {
  const child = fork(path.join(import.meta.dirname, 'generator/main.mjs'));
  const send = async (server, order) => {
    const cpu = server.cpuSeconds();
    const { result, error } = await new Promise((resolve, reject) => {
      const ended = () => reject(new Error('the load generator ended'));
      child.once('exit', ended);
      child.once('message', (message) => {
        child.off('exit', ended);
        resolve(message);
      });
      const targets = ids.map((id) => `${SESSIONS}/${id}`);
      child.send({ kind: 'get', rate: null, targets, port: server.port, apiKey, apiSecret, ...order });
    });
    if (error) throw new Error(`${server.name}, ${order.kind}: ${error}\n${server.output()}`);
    return { ...result, serverMicros: cpu === null ? null : ((server.cpuSeconds() - cpu) * 1e6) / result.count };
  };
  return { send, stop: () => child.kill() };
}

/** For loads that must succeed: a refused request ends the benchmark, because its measurement is void. */
export function mustSucceed(send) {
  return async (server, order) => {
    const result = await send(server, order);
    if (result.refused === 0) return result;
    throw new Error(
      `${server.name} refused ${result.refused} of ${result.count}: ${result.sample}\n${server.output()}`,
    );
  };
}

/** Prints whether each target was met; returns whether all were. */
export function judge(goals) {
  console.log('');
  for (const { what, value, target, met } of goals)
    console.log(`${met ? 'met   ' : 'MISSED'}  ${what}: ${value} (target ${target})`);
  return goals.every(({ met }) => met);
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
