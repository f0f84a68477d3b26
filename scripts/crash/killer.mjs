// Kills the product's processes with SIGKILL, at times and in an order that a seed decides. It finds them as children
// of the supervisor, and kills nothing else.

import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Each target's process, by its command line. */
const TARGETS = {
  web: /\bdist\/server\.mjs\b/,
  worker: /\bdist\/worker\.mjs\b/,
  postgres: /\bpostgres\b.* -D /,
};
const PAUSE_MS = { least: 150, most: 1600 };
/** After this many kills in a row, restarted or not, the product may recover once: merchants wait minutes, not hours. */
const KILLS_IN_A_ROW = 4;
const RECOVERY_LIMIT_MS = 60_000;
/** The supervisor waits up to five seconds before it restarts a process. */
const RETURN_LIMIT_MS = 30_000;

/**
 * Kills processes until `isEnough` accepts the number of kills, and resolves to the number of kills of each. It waits for
 * a chosen process that is down.
 * @param {{ supervisor: number, baseUrl: string, isEnough: (kills: number) => boolean, random: () => number }} options `random` answers at least 0 and less than 1
 */
export async function killOften({ supervisor, baseUrl, isEnough, random }) {
  const names = Object.keys(TARGETS);
  const kills = Object.fromEntries(names.map((name) => [name, 0]));
  for (let n = 0; !isEnough(n); n++) {
    await sleep(PAUSE_MS.least + random() * (PAUSE_MS.most - PAUSE_MS.least));
    const name = names[Math.floor(random() * names.length)];
    process.kill(await running(supervisor, name), 'SIGKILL');
    kills[name]++;
    if ((n + 1) % KILLS_IN_A_ROW === 0) await recovered(baseUrl);
  }
  // All processes must run and respond before the result is judged.
  for (const name of names) await running(supervisor, name);
  await recovered(baseUrl);
  return kills;
}

/** The web process and its database respond. */
async function recovered(baseUrl) {
  const end = Date.now() + RECOVERY_LIMIT_MS;
  for (;;) {
    const isWell = await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(2000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isWell) return;
    if (Date.now() > end) throw new Error(`the product was not back within ${RECOVERY_LIMIT_MS / 1000} s`);
    await sleep(50);
  }
}

async function running(supervisor, name) {
  const end = Date.now() + RETURN_LIMIT_MS;
  for (;;) {
    const found = children(supervisor).find(({ command }) => TARGETS[name].test(command));
    if (found) return found.pid;
    if (Date.now() > end) throw new Error(`${name} was not started again within ${RETURN_LIMIT_MS / 1000} s`);
    await sleep(50);
  }
}

function children(supervisor) {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args=', '-ww'], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return Number(parent) === supervisor && !state.startsWith('Z') ? [{ pid: Number(pid), command }] : [];
  });
}

/** A small seeded generator (mulberry32), so that a failed run can be repeated. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
