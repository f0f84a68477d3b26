// The database addresses of the processes: the owner's for what is done before they start, and one role each for web and worker.

/**
 * Makes the roles, or falls back to the owner's where DATABASE_URL's role may make none and an administrator made none either.
 * @param {{ owner: string, secrets: Record<string, string>, sandbox: boolean, warn: (line: string) => void }} given
 * @returns {Promise<{ owner: string, web: string, worker: string }>}
 */
export async function separateRoles({ owner, secrets, sandbox, warn }) {
  // Loaded late: the packages of a fresh checkout are installed before.
  const { applyRoles, MayNotMakeRoles, urlOfRole } = await import('../database-roles/apply.mjs');
  const passwords = { web: secrets.WEB_DATABASE_PASSWORD, worker: secrets.WORKER_DATABASE_PASSWORD };
  try {
    await applyRoles(owner, { passwords, sandbox });
  } catch (error) {
    if (!(error instanceof MayNotMakeRoles)) throw error;
    warn(
      `${error.message} Until then web and worker use the owner's role, with which they refuse to start in production with a live network.`,
    );
    return { owner, web: owner, worker: owner };
  }
  return {
    owner,
    web: urlOfRole(owner, 'web', passwords.web),
    worker: urlOfRole(owner, 'worker', passwords.worker),
  };
}
