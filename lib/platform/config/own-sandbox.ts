// Whether this is a sandbox on one's own machine, as `npm start` makes it: the only place where mails are shown to everybody and
// the demo's operator needs no second factor and no colleague of long standing. A sandbox at a public address is none.

import type { Config } from './config';

/** Names and addresses by which only this machine is reached. */
const THIS_MACHINE = /^(127\.0\.0\.1|localhost|\[?::1\]?)$/;

/** Whether strangers could reach a sandbox: by its address, or because it listens to other machines, whatever Host they write. */
export const isOpenSandbox = ({
  SANDBOX_ORIGIN,
  PUBLIC_URL,
  HOST,
}: Pick<Config, 'SANDBOX_ORIGIN' | 'PUBLIC_URL' | 'HOST'>): boolean =>
  SANDBOX_ORIGIN !== undefined && !(THIS_MACHINE.test(new URL(PUBLIC_URL).hostname) && THIS_MACHINE.test(HOST));

/** True for a sandbox that is reached at this machine's own address, and for nothing else. */
export const isOwnSandbox = ({ SANDBOX_ORIGIN, PUBLIC_URL }: Pick<Config, 'SANDBOX_ORIGIN' | 'PUBLIC_URL'>): boolean =>
  SANDBOX_ORIGIN !== undefined && THIS_MACHINE.test(new URL(PUBLIC_URL).hostname);
