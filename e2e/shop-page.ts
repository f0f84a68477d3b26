// A shop's page on another origin, as a merchant would write it: a button, the script, a list of events.

import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** The port of the origin that the sandbox's second store lists. */
const PORT = 4010;
export const SHOP = `http://shop.localhost:${PORT}`;
/** The same page on an origin that no store lists. */
export const STRANGER = `http://stranger.localhost:${PORT}`;

/** Longer than any file of stories keeps the port. */
const LONGEST_WAIT = 900_000;
const PAUSE = 200;

/**
 * Serves the page `?pay=URL&mode=MODE` until it is closed. `home`: the origin of the script. Another file of stories may use the port, because
 * the origin is the one that the store lists; then it waits for it. Call it in a hook with this much time (`giveTime`).
 */
export async function openShop(home: string): Promise<{ close: () => Promise<void> }> {
  for (const end = Date.now() + LONGEST_WAIT; ; await sleep(PAUSE)) {
    try {
      return await listen(home);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || Date.now() > end) throw error;
    }
  }
}

/** What a hook that opens the shop needs at most. */
export const giveTime = (hook: { setTimeout: (milliseconds: number) => void }): void =>
  hook.setTimeout(LONGEST_WAIT + 60_000);

function listen(home: string): Promise<{ close: () => Promise<void> }> {
  const server = http.createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page(home));
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return new Promise((resolve, reject) =>
    server.once('error', reject).listen(PORT, '127.0.0.1', () => resolve({ close })),
  );
}

const page = (home: string): string => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width">
<button id="buy">Buy</button> <a id="link">Buy by link</a> <p id="other">Other things</p>
<script src="${home}/embed.js"></script>
<script>
  const query = new URLSearchParams(location.search);
  window.reports = [];
  window.ended = [];
  window.messages = [];
  addEventListener('message', ({ origin, data }) => messages.push({ origin, data }));
  buy.onclick = () => {
    window.opened = Stabletill.open(query.get('pay'), {
      mode: query.get('mode'),
      onStatus: (outcome) => reports.push(outcome),
      onClose: (last) => ended.push(last),
    });
  };
  link.href = query.get('pay');
  link.dataset.stabletill = query.get('mode');
  link.addEventListener('stabletill:status', ({ detail }) => reports.push(detail));
  link.addEventListener('stabletill:close', ({ detail }) => ended.push(detail));
</script></html>`;
