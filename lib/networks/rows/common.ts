// Constants that several rows use.

/** A host whose clock is off by more than this refuses all signed requests (X-Service-Timestamp), so the operator notices. */
export const CLOCK_TOLERANCE_SECONDS = 300;

/** Facts of every local chain: nothing on it is public. */
export const LOCAL = {
  genesis: null,
  finalityFallback: null,
  explorer: null,
  endpoints: [],
  isPaidFromExchanges: false,
} as const;
