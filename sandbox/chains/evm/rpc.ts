// JSON-RPC to a local chain of the sandbox. The node is our own child on this machine, so there is one endpoint and no retry: a
// failed call is an error of the sandbox.

/** Mining a hundred blocks or a deep reorg stays far below this, even on a busy machine. */
const CALL_LIMIT_MS = 20_000;

export type Rpc = <T = string>(method: string, ...params: readonly unknown[]) => Promise<T>;

/** Returns a function that makes calls at the URL. It throws with the node's own message when the node refuses one. */
export function openRpc(url: string): Rpc {
  let last = 0;
  return async <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++last, method, params }),
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
    });
    const { result, error } = (await answer.json()) as { result?: T; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result as T;
  };
}
