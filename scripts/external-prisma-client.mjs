// A part of the build: keeps `import('@/prisma/generated/client')` a load at run time, of its own bundle. Within the bundle of a
// program, Prisma's runtime would load whenever the program starts.

export const externalPrismaClient = {
  name: 'external-prisma-client',
  setup(/** @type {import('esbuild').PluginBuild} */ build) {
    build.onResolve({ filter: /^@\/prisma\/generated\/client$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './prisma-client.mjs', external: true } : undefined,
    );
  },
};
