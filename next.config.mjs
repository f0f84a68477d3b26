// Next's settings. What is off is off because no page needs it and each has been the door of a published attack.

import { PHASE_PRODUCTION_SERVER } from 'next/constants.js';

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  // The process that Next runs in compresses, once it knows what is sent (server-pages.ts, lib/api/adapters/next-start.ts).
  compress: false,
  // The build checks the types of what it builds. `npm run check` covers the tests' types too; a broken test must not keep a service
  // from starting.
  typescript: { tsconfigPath: 'tsconfig.build.json' },
  // The API's paths are answered as they were asked for, with or without a last slash.
  skipTrailingSlashRedirect: true,
  // Without the optimizer /_next/image is a 404.
  images: { unoptimized: true },
  // Native addons and libraries that find their own files; the server's bundle and Next's share one copy of each.
  serverExternalPackages: [
    '@node-rs/argon2',
    '@prisma/adapter-pg',
    '@prisma/client',
    'pg',
    'pino',
    'undici',
    'iovalkey',
    'rate-limiter-flexible',
    'ethers',
    'tronweb',
    '@solana/web3.js',
    '@solana/spl-token',
  ],
  turbopack: { root: import.meta.dirname },
};

/** next-intl's part is for the compiler; at run time it would load one. */
export default async function settings(phase) {
  if (phase === PHASE_PRODUCTION_SERVER) return config;
  const { default: createNextIntlPlugin } = await import('next-intl/plugin');
  return createNextIntlPlugin('./lib/i18n/request.ts')(config);
}
