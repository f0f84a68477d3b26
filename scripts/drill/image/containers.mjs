// The containers of compose.yaml, found by their service.

import { setTimeout as sleep } from 'node:timers/promises';
import { podman } from './podman.mjs';

export const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

export function containerOf(service) {
  const words = ['ps', '-a', '--filter', `label=com.docker.compose.service=${service}`, '--format', '{{.Names}}'];
  return podman(words).split('\n')[0] ?? '';
}

export function logsOf(service) {
  try {
    return podman(['logs', '--tail', '15', containerOf(service)], { stdio: ['ignore', 'pipe', 'inherit'] });
  } catch {
    return 'no container';
  }
}

export async function healthy(service, limit = 180_000) {
  for (const end = Date.now() + limit; Date.now() < end; await sleep(1000)) {
    try {
      podman(['healthcheck', 'run', containerOf(service)], { stdio: 'ignore' });
      return;
    } catch {}
  }
  throw new Error(`${service} did not become healthy`);
}

export async function exited(service) {
  for (const end = Date.now() + 180_000; Date.now() < end; await sleep(500)) {
    const [state, code] = podman([
      'inspect',
      containerOf(service),
      '--format',
      '{{.State.Status}} {{.State.ExitCode}}',
    ]).split(' ');
    if (state !== 'exited') continue;
    if (code === '0') return;
    break;
  }
  throw new Error(`${service} failed`);
}
