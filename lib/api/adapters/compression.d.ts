// Types for the part of `compression` that is used. Its own types need those of Express, which is not installed.

declare module 'compression' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export default function compression(): (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
}
