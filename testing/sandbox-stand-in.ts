// A stand-in for the sandbox's control server: it records the requests and answers what the test wants.

import { createServer } from 'node:http';
import { openServer } from './server';

type Asked = { readonly path: string; readonly body: Record<string, unknown> };

/** `answerTo`: the status and body of an answer. */
export async function openSandboxStandIn(answerTo: (asked: Asked) => readonly [status: number, body: object]) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request as AsyncIterable<Buffer>) text += part.toString();
    const one = { path: String(request.url), body: JSON.parse(text) as Record<string, unknown> };
    asked.push(one);
    const [status, body] = answerTo(one);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  return { ...(await openServer(server)), asked };
}

export type SandboxStandIn = Awaited<ReturnType<typeof openSandboxStandIn>>;
