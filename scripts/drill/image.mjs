// `npm run drill -- image [--built]`: builds the image and runs compose.yaml with podman. The base images are stand-ins from Debian and
// npm, because this drill needs no registry of images. `--built` takes .next and dist of this checkout (`npm run build`) instead of
// building them again. As root; needs Debian's buildah, podman, podman-compose, runc and debootstrap.

import { spawnSync } from 'node:child_process';
import path from 'node:path';

export const summary = 'builds the image, runs compose.yaml with it, pays and refunds, and stops it';

const PROGRAM = path.join(import.meta.dirname, 'image/run.mjs');

/** Podman's runtimes refuse a hybrid of both versions of control groups, so the second one is left out of a mount namespace of its own. */
const IN_NAMESPACE = 'umount /sys/fs/cgroup/unified 2>/dev/null; exec "$@"';

/** @param {string[]} words */
export async function drill(words) {
  const run = ['sh', '-c', IN_NAMESPACE, 'sh', process.execPath, PROGRAM, ...words];
  return spawnSync('unshare', ['--mount', ...run], { stdio: 'inherit' }).status === 0;
}
