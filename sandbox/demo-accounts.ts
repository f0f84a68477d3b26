// The demo accounts' credentials. The product shows secrets and passwords once, so the sandbox keeps them in $DATA_DIR/demo.json
// and uses them again at the next start.

import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const login = z.object({ email: z.string(), password: z.string() });
const demoAccounts = z.object({
  operator: login,
  merchants: z.array(login),
  stores: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      merchant_email: z.string(),
      api_key: z.string(),
      api_secret: z.string(),
      webhook_url: z.string(),
      webhook_secret: z.string(),
    }),
  ),
});

/** In the format of sandbox.json. */
export type DemoAccounts = z.output<typeof demoAccounts>;
export type Login = z.output<typeof login>;
export type DemoStore = DemoAccounts['stores'][number];

export const demoFile = (dataDirectory: string): string => path.join(dataDirectory, 'demo.json');

/** The stored accounts, or null when the file is missing or unreadable. All of them are created again then. */
export function readDemoAccounts(dataDirectory: string): DemoAccounts | null {
  const file = demoFile(dataDirectory);
  if (!fs.existsSync(file)) return null;
  const read = demoAccounts.safeParse(parsed(fs.readFileSync(file, 'utf8')));
  return read.success ? read.data : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}
