// Stops a PostgreSQL whose supervisor was killed. It finds the server by the pid file in the data directory. It stops
// it only if the server proves to use that directory, because the pid may belong to another program by now.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const USER = 'app';
/** A server in recovery answers that it is starting up; stopping waits until recovery ends. */
const STARTING_UP = '57P03';
const TIMEOUT_MS = 30_000;

/** Calls `stop` when a server is running on the directory, and removes the file that a reboot left behind. */
export async function stopLeftover(directory, stop) {
  const file = path.join(directory, 'postmaster.pid');
  if (!fs.existsSync(file)) return;
  // Its lines are: process, directory, start in Unix seconds, port, and more.
  const [, , started, port] = fs.readFileSync(file, 'utf8').split('\n');
  // After a reboot none of its processes exist. PostgreSQL would wait for an unrelated process that reuses the number.
  if (Number(started) < Date.now() / 1000 - os.uptime() - 1) fs.rmSync(file, { force: true });
  else if (await serves(Number(port), directory)) stop();
}

/** Whether a PostgreSQL on that port has its data in that directory. */
async function serves(port, directory) {
  const { default: pg } = await import('pg');
  for (const until = Date.now() + TIMEOUT_MS; ; await sleep(200)) {
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: USER,
      database: 'postgres',
      connectionTimeoutMillis: 5000,
    });
    try {
      await client.connect();
      const { rows } = await client.query('SHOW data_directory');
      return samePlace(rows[0].data_directory, directory);
    } catch (error) {
      if (error.code === STARTING_UP && Date.now() < until) continue;
      return false; // The port is closed, or belongs to another server.
    } finally {
      await client.end().catch(() => {});
    }
  }
}

const samePlace = (one, other) => fs.existsSync(one) && fs.realpathSync(one) === fs.realpathSync(other);
