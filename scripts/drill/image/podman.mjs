// Podman, buildah and podman-compose for the drill, with a store of its own, so that no image or container of this machine is touched.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Kept between runs, because the stand-ins take minutes. */
export const HOME = '/var/tmp/stabletill-image-drill';
const STORE = ['--root', `${HOME}/store`, '--runroot', `${HOME}/run`, '--storage-driver', 'overlay'];
const CONFIGURATION = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
events_logger = "file"
`;

function run(command, words, options = {}) {
  fs.mkdirSync(HOME, { recursive: true });
  const file = path.join(HOME, 'containers.conf');
  fs.writeFileSync(file, CONFIGURATION);
  const env = { ...process.env, CONTAINERS_CONF: file, ...options.env };
  return (execFileSync(command, words, { encoding: 'utf8', maxBuffer: 1e9, ...options, env }) ?? '').trim();
}

export const host = run;
export const podman = (words, options) => run('podman', [...STORE, ...words], options);
export const buildah = (words, options) => run('buildah', [...STORE, ...words], options);

/** podman-compose 1.0.3 names its own network too where a service has `network_mode`, which podman refuses. */
const WRAPPER = `#!/bin/bash
words=()
while [ $# -gt 0 ]; do
  case $1 in
    --net | --network-alias) shift ;;
    *) words+=("$1") ;;
  esac
  shift
done
exec /usr/bin/podman ${STORE.join(' ')} "\${words[@]}"
`;

/** podman-compose finds this podman on its PATH. */
export function compose(directory, words, options) {
  const bin = path.join(HOME, 'bin');
  fs.mkdirSync(bin, { recursive: true });
  fs.writeFileSync(path.join(bin, 'podman'), WRAPPER, { mode: 0o755 });
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  return run('podman-compose', ['-p', 'stabletill', '-f', 'compose.json', ...words], {
    cwd: directory,
    env,
    ...options,
  });
}

export const exists = (image) => {
  try {
    podman(['image', 'exists', image], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
