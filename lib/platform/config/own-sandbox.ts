// Whether this is a sandbox on the developer's own machine, as `npm start` makes it. Only there are mails shown to everyone,
// and only there does the demo's operator need no second factor and no established colleague. A sandbox at a public address
// does not qualify.

import type { Config } from './config';

/** Names and addresses that reach only this machine. */
const THIS_MACHINE = /^(127\.0\.0\.1|localhost|\[?::1\]?)$/;

/**
 * Whether strangers could reach a sandbox: by its address, or because it listens to other machines, whatever Host they send.
 */
export const isOpenSandbox = ({
  SANDBOX_ORIGIN,
  PUBLIC_URL,
  HOST,
}: Pick<Config, 'SANDBOX_ORIGIN' | 'PUBLIC_URL' | 'HOST'>): boolean =>
  SANDBOX_ORIGIN !== undefined && !(THIS_MACHINE.test(new URL(PUBLIC_URL).hostname) && THIS_MACHINE.test(HOST));

/** True only for a sandbox that is reached at this machine's own address. */
export const isOwnSandbox = ({ SANDBOX_ORIGIN, PUBLIC_URL }: Pick<Config, 'SANDBOX_ORIGIN' | 'PUBLIC_URL'>): boolean =>
  SANDBOX_ORIGIN !== undefined && THIS_MACHINE.test(new URL(PUBLIC_URL).hostname);
