// What the drill does to the installation: each strike breaks one part, and returns the function that repairs it. Some
// make a standby take over; those say so, and their repair waits for it.

import { setTimeout as sleep } from 'node:timers/promises';
import { cutFromOthers, cutOff, joinAgain, joinOthers, NAMES } from './machines.mjs';

/** How soon a supervisor starts a process again. */
const RESTART_MS = 1000;
/** A machine needs longer to come back. */
const RETURN_MS = 4000;
/** Longer than Patroni's ttl: with all of etcd away, the leader goes on. */
const ETCD_AWAY_MS = 15_000;
/** A former leader stays cut off this long after another took over. */
const STAY_CUT_MS = 5000;

/**
 * @typedef {{ name: string, isFailover?: boolean, strike: () => Promise<() => Promise<unknown>> }} Strike
 * @param {{ cluster: import('./cluster.mjs').Cluster, installation: import('../../crash/installation.mjs').Installation, random: () => number }} scene
 * @returns {Strike[]}
 */
export function strikesOn({ cluster, installation, random }) {
  const program = (name, restart) => ({
    name,
    strike: async () => {
      await installation.kill(name);
      return async () => {
        await sleep(RESTART_MS);
        await restart();
      };
    },
  });
  /** A leader is lost; `repair` runs once another has taken over. */
  const leaderLost = (name, hit, repair) => ({
    name,
    isFailover: true,
    strike: async () => {
      const former = await cluster.leader();
      await hit(former);
      return async () => {
        await cluster.newLeader(former);
        await repair(former);
      };
    },
  });
  const cut = (name, hit, repair) =>
    leaderLost(name, hit, async (former) => {
      await sleep(STAY_CUT_MS);
      repair(former);
    });
  const signers = [program('signer', () => installation.startSigner())];

  return [
    {
      name: 'leader: postgres',
      isFailover: true,
      strike: async () => {
        cluster.killPostgres(await cluster.leader());
        return async () => {};
      },
    },
    leaderLost(
      'leader: patroni',
      (former) => cluster.killPatroni(former),
      (former) => cluster.startPatroni(former),
    ),
    leaderLost(
      'leader: both and etcd',
      async (former) => {
        cluster.killPostgres(former);
        await Promise.all([cluster.killPatroni(former), cluster.killEtcd(former)]);
      },
      async (former) => {
        cluster.startEtcd(former);
        cluster.startPatroni(former);
      },
    ),
    {
      name: 'planned switchover',
      isFailover: true,
      strike: async () => {
        const former = await cluster.leader();
        await cluster.switchOver();
        return () => cluster.newLeader(former);
      },
    },
    cut('leader cut from others', cutFromOthers, joinOthers),
    cut('leader cut off', cutOff, joinAgain),
    {
      name: 'synchronous standby',
      strike: async () => {
        const standby = await cluster.synchronousStandby();
        cluster.killPostgres(standby);
        await cluster.killPatroni(standby);
        return async () => {
          await sleep(RETURN_MS);
          cluster.startPatroni(standby);
        };
      },
    },
    {
      name: 'one etcd',
      strike: async () => {
        const name = NAMES[Math.floor(random() * NAMES.length)];
        await cluster.killEtcd(name);
        return async () => {
          await sleep(RETURN_MS);
          cluster.startEtcd(name);
        };
      },
    },
    {
      name: 'all etcd',
      strike: async () => {
        await Promise.all(NAMES.map((name) => cluster.killEtcd(name)));
        return async () => {
          await sleep(ETCD_AWAY_MS);
          for (const name of NAMES) cluster.startEtcd(name);
        };
      },
    },
    {
      name: 'haproxy',
      strike: async () => {
        await cluster.killHaproxy();
        return async () => {
          await sleep(RESTART_MS);
          cluster.startHaproxy();
        };
      },
    },
    ...Object.keys(installation.webs).map((name) => program(name, () => installation.startWeb(name))),
    ...Object.keys(installation.workers).map((name) => program(`worker-${name}`, () => installation.startWorker(name))),
    // A standby of the signer joins this list when there is one: it is promoted instead of the restart.
    ...signers,
  ];
}
