// The demo accounts' credentials. Secrets and passwords are shown once by the product, so the sandbox keeps what it was shown in
// $DATA_DIR/demo.json and uses it again at the next start.

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

/** As sandbox.json writes them. */
export type DemoAccounts = z.output<typeof demoAccounts>;
export type Login = z.output<typeof login>;
export type DemoStore = DemoAccounts['stores'][number];

export const demoFile = (dataDirectory: string): string => path.join(dataDirectory, 'demo.json');

/** What was kept, or null when there is no file or an unreadable one: then everything is made anew. */
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
