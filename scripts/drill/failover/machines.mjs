// Three database machines on this one: network namespaces with an address each, joined by a bridge. Only the first
// namespace, in which the product runs, reaches the bridge from outside. A machine can be cut off from everything, or
// from the other two alone. Needs root and `ip` (iproute2).

import { execFileSync } from 'node:child_process';

const NETWORK = '10.213.77';
const BRIDGE = 'drillbridge';
export const NAMES = ['db1', 'db2', 'db3'];

export const addressOf = (name) => `${NETWORK}.1${NAMES.indexOf(name) + 1}`;
/** The range of the machines and of the product. */
export const RANGE = `${NETWORK}.0/24`;
/** The user `nobody`, since PostgreSQL and Patroni refuse to run as root. */
export const NOBODY = 65534;

const ip = (...args) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
const others = (name) => NAMES.filter((one) => one !== name);
const spaceOf = (name) => `drill-${name}`;
const portOf = (name) => `drill-${name}`;

/** Throws where the machine or the user cannot make them, or another drill runs. */
export function openMachines() {
  if (process.getuid?.() !== 0) throw new Error('the drill makes network namespaces: run it as root');
  ip('link', 'add', BRIDGE, 'type', 'bridge');
  ip('addr', 'add', `${NETWORK}.1/24`, 'dev', BRIDGE);
  ip('link', 'set', BRIDGE, 'up');
  for (const name of NAMES) {
    ip('netns', 'add', spaceOf(name));
    ip('link', 'add', portOf(name), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', spaceOf(name));
    ip('link', 'set', portOf(name), 'master', BRIDGE, 'up');
    ip('-n', spaceOf(name), 'addr', 'add', `${addressOf(name)}/24`, 'dev', 'eth0');
    ip('-n', spaceOf(name), 'link', 'set', 'eth0', 'up');
    ip('-n', spaceOf(name), 'link', 'set', 'lo', 'up');
  }
}

/**
 * The machines share this one's processors with the product and with whatever else runs here. Real ones have their own, so theirs
 * come first.
 */
const PRIORITY = '-10';

/** A command on a machine, as a command and arguments here. Each step replaces its process, so the pid stays. */
export const on = (name, command, args) => [
  'ip',
  ...['netns', 'exec', spaceOf(name), 'nice', '-n', PRIORITY],
  ...['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'],
  ...[command, ...args],
];

/** Cuts the machine's cable. */
export const cutOff = (name) => ip('link', 'set', portOf(name), 'down');
export const joinAgain = (name) => ip('link', 'set', portOf(name), 'up');

/** The machine drops what it would send to the other two; the product still reaches it. */
export function cutFromOthers(name) {
  for (const one of others(name)) ip('-n', spaceOf(name), 'route', 'add', 'blackhole', `${addressOf(one)}/32`);
}
export function joinOthers(name) {
  for (const one of others(name)) ip('-n', spaceOf(name), 'route', 'del', 'blackhole', `${addressOf(one)}/32`);
}

/** Never throws: it also removes what an interrupted start left. */
export function closeMachines() {
  const quietly = (...args) => {
    try {
      ip(...args);
    } catch {
      // It is not there.
    }
  };
  for (const name of NAMES) {
    quietly('link', 'del', portOf(name));
    quietly('netns', 'del', spaceOf(name));
  }
  quietly('link', 'del', BRIDGE);
}
