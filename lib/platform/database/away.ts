// Whether an error says that the database cannot serve anyone now.

/**
 * SQLSTATE classes: connection failures, exhausted resources, operator intervention, errors of the system, and a race that a
 * transaction lost each time. 25006: the server takes no writes, as a standby or when a host protects a full disk. 25P03: the
 * server ended a transaction that a stalled process left idle.
 */
const STATES = /^(?:(?:08|40|53|57|58)[0-9A-Z]{3}|25006|25P03)$/;
const CODES = /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND)$/;
const MESSAGES =
  /connection (terminated|timeout)|timeout exceeded when trying to connect|Connection ended|is not queryable|query read timeout/i;

/** `state`: the SQLSTATE of the error, which Prisma hides. */
export function isDatabaseAway(error: unknown, state: string | null = null): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return STATES.test(state ?? String(code)) || CODES.test(String(code)) || MESSAGES.test(String(message));
}
