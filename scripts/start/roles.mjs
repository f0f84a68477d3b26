// The database addresses of the processes: the owner's for preparation, and one role each for web and worker.

/**
 * Creates the roles. Falls back to the owner's role where it may not create roles and they do not exist.
 * @param {{ owner: string, secrets: Record<string, string>, sandbox: boolean, warn: (line: string) => void }} given
 * @returns {Promise<{ owner: string, web: string, worker: string }>}
 */
export async function separateRoles({ owner, secrets, sandbox, warn }) {
  // Loaded late: a fresh checkout installs the packages first.
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
