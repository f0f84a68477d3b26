// A mail server on loopback that accepts or refuses mails, for tests of mails before the set-up.

import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

/** `mails`: the accepted mails, as sent. `refuses`: refuses every further sign-in and sender. */
export async function startMailServer() {
  const state = { mails: [] as string[], refuses: false };
  const server = net.createServer((socket) => {
    let isBody = false;
    let body = '';
    const say = (line: string) => void socket.write(`${line}\r\n`);
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (text: string) => {
      if (isBody) {
        body += text;
        if (!body.endsWith('\r\n.\r\n')) return;
        state.mails.push(body);
        [isBody, body] = [false, ''];
        return say('250 taken');
      }
      for (const line of text.split('\r\n').filter((one) => one !== '')) {
        if (/^EHLO/i.test(line)) say('250-hello\r\n250 AUTH PLAIN');
        else if (/^AUTH/i.test(line)) say(state.refuses ? '535 no' : '235 yes');
        else if (/^DATA/i.test(line)) {
          isBody = true;
          say('354 go on');
        } else say(/^QUIT/i.test(line) ? '221 bye' : '250 fine');
      }
    });
    say('220 mail');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { ...(server.address() as AddressInfo), state, close: () => void server.close() };
}
